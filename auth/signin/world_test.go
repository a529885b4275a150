package signin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/auth/signin"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/web/design"
)

const (
	issuer     = "https://films.example"
	appURI     = "https://app.example/callback?keep=%7e1&x"
	plainURI   = "https://app.example/plain"
	goodbyeURI = "https://app.example/bye"
	secret     = "correct horse"
	teacherID  = "000000000000000000000001"
	pupilID    = "000000000000000000000002"
	challenge  = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// world is a service with its store, its clock and its log.
type world struct {
	t *testing.T
	*httptest.Server
	accounts *sqlite.Accounts
	log      *lockedBuffer

	mu     sync.Mutex
	now    time.Time
	roster *account.Roster
	// limited is the answer of the rate limit. hints contains the client, user and session of each known ID token.
	limited      bool
	codesLimited error
	hints        map[string][3]string
	asked        []string
	// meanwhile runs after a code has been stored; first runs before a session is stored.
	meanwhile func(account.Code)
	first     func(account.Session)
	// looked counts the reads of sessions.
	looked atomic.Int64
}

// busy is the store of a world whose hooks run during calls.
type busy struct {
	*sqlite.Accounts
	w *world
}

func (b busy) Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error) {
	b.w.looked.Add(1)
	return b.Accounts.Session(ctx, hash, now)
}

func (b busy) PutSession(ctx context.Context, session account.Session) error {
	if b.w.first != nil {
		b.w.first(session)
	}
	return b.Accounts.PutSession(ctx, session)
}

func (b busy) PutCode(ctx context.Context, code account.Code) error {
	err := b.Accounts.PutCode(ctx, code)
	if b.w.meanwhile != nil {
		b.w.meanwhile(code)
	}
	return err
}

// The SQLite store implements what signing in needs.
var (
	_ signin.Store   = (*sqlite.Accounts)(nil)
	_ store.Registry = (*sqlite.Accounts)(nil)
)

func newWorld(t *testing.T) *world { return startWorld(t, httptest.NewServer) }

func startWorld(t *testing.T, start func(http.Handler) *httptest.Server) *world {
	t.Helper()
	w := &world{t: t, now: time.Now().UTC().Truncate(time.Microsecond), log: &lockedBuffer{}, hints: map[string][3]string{}}
	var err error
	if w.accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"), sqlite.WithClock(w.clock)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.accounts.Close(); err != nil {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	w.Server = start(mux)
	t.Cleanup(w.Close)
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	handler, err := signin.New(signin.Config{
		Store: busy{w.accounts, w}, Roster: w.current, Refresh: w.refresh, Issuer: issuer, AuthURL: w.URL,
		SealingKey: bytes.Repeat([]byte{7}, 32), Clock: w.clock, Logger: logger,
		Federation: federation.New(federation.Config{Transport: http.DefaultTransport, Clock: w.clock, Logger: logger}), ReadIDTokenHint: w.readHint, Limit: w.limit,
		LimitCodes: func(context.Context, string) error { return w.codesLimited },
		Refused: func(r *http.Request, reason, client string) {
			logger.WarnContext(r.Context(), "authentication refused", "reason", reason, "client", client)
		},
		Style: design.Style, Logo: template.HTML(design.Logo),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle(signin.AuthorizePath, handler.AuthorizeHandler())
	mux.Handle(signin.LoginPath, handler.LoginHandler())
	mux.Handle(signin.CodePath, handler.CodeHandler())
	mux.Handle(signin.EnrollPath, handler.EnrollHandler())
	mux.Handle(signin.CallbackPath, handler.CallbackHandler())
	mux.Handle(signin.StylePath, handler.StyleHandler())
	mux.Handle(signin.LogoPath, handler.LogoHandler())
	mux.HandleFunc(design.IconPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(design.Icon) })
	mux.Handle(signin.LogoutPath, handler.LogoutHandler())
	w.seed()
	return w
}

func (w *world) clock() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *world) pass(by time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(by) }

func (w *world) current() *account.Roster { w.mu.Lock(); defer w.mu.Unlock(); return w.roster }

func (w *world) refresh(ctx context.Context) error {
	records, _, err := w.accounts.Roster(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roster = account.NewRoster(records)
	return nil
}

func (w *world) readHint(token string) (client, user, session string, err error) {
	known, ok := w.hints[token]
	if !ok {
		return "", "", "", errors.New("unknown")
	}
	return known[0], known[1], known[2], nil
}

func (w *world) limit(rw http.ResponseWriter, _ *http.Request, account, username string) bool {
	w.asked = append(w.asked, account+" "+username)
	if w.limited {
		rw.Header().Set("Retry-After", "30")
		http.Error(rw, `{"message":"slow down"}`, http.StatusTooManyRequests)
		return false
	}
	return true
}

// put stores entities, which take effect at once.
func (w *world) put(records ...account.Entity) {
	w.t.Helper()
	err := w.accounts.Edit(w.t.Context(), account.Actor{Client: account.CommandLine}, func(ctx context.Context, tx store.RegistryTx) error {
		for _, record := range records {
			if err := tx.Put(ctx, record); err != nil {
				return fmt.Errorf("%v: %w", record.Key(), err)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.refresh(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func customer(id string) *account.Account {
	return &account.Account{
		ID: id, Name: "Customer " + id, Tier: "basic", Type: account.Standard, Status: account.Active, Environment: account.Live,
		PasswordSignIn: true,
	}
}

func program(id, of string) *account.Client {
	return &account.Client{
		ID: id, AccountID: of, Name: "Program <" + id + ">",
		RedirectURIs: []string{appURI, plainURI, "com.example.app:/cb"}, PostLogoutRedirectURIs: []string{goodbyeURI, goodbyeURI + "?a=b"},
	}
}

func person(id, of, name, hash string) *account.User {
	return &account.User{ID: id, AccountID: of, Username: name, PasswordHash: hash}
}

// hashed returns a hash of the secret that takes almost no time to verify.
var hashed = sync.OnceValue(func() string {
	salt, encode := []byte("a salt of a test"), base64.RawStdEncoding.EncodeToString
	return "$argon2id$v=19$m=64,t=1,p=1$" + encode(salt) + "$" + encode(argon2.IDKey([]byte(secret), salt, 1, 64, 1, 32))
})

// seed adds two customers, each with a program and a user with the same username and password.
func (w *world) seed() {
	w.t.Helper()
	w.put(
		customer("demo"), program("web", "demo"), person(teacherID, "demo", "Teacher", hashed()),
		customer("other"), program("other-web", "other"), person(pupilID, "other", "Teacher", hashed()),
	)
}

// dayBefore returns the UTC day before the world's current day.
func (w *world) dayBefore() *catalogue.Date {
	day := catalogue.DateOf(w.clock()) - 1
	return &day
}

// lockedBuffer is a log that is safe for concurrent use by handlers and a test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
