package signin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/auth/signin"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
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
	// limited is what the limit answers; hints are ID tokens that are known: client, user, session.
	limited bool
	hints   map[string][3]string
	asked   []string
}

// store is the part of the engine that signing in needs.
var (
	_ signin.Store   = (*sqlite.Accounts)(nil)
	_ store.Registry = (*sqlite.Accounts)(nil)
)

func newWorld(t *testing.T) *world { return startWorld(t, httptest.NewServer) }

func startWorld(t *testing.T, start func(http.Handler) *httptest.Server) *world {
	t.Helper()
	w := &world{t: t, now: time.Now().UTC().Truncate(time.Microsecond), log: &lockedBuffer{}, hints: map[string][3]string{}}
	var err error
	if w.accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db")); err != nil {
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
		Store: w.accounts, Roster: w.current, Refresh: w.refresh, Issuer: issuer, AuthURL: w.URL,
		SealingKey: bytes.Repeat([]byte{7}, 32), Clock: w.clock, Logger: logger,
		Federation: federation.New(federation.Config{Clock: w.clock, Logger: logger}), ReadIDTokenHint: w.readHint, Limit: w.limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle(signin.AuthorizePath, handler.AuthorizeHandler())
	mux.Handle(signin.LoginPath, handler.LoginHandler())
	mux.Handle(signin.CallbackPath, handler.CallbackHandler())
	mux.Handle(signin.StylePath, handler.StyleHandler())
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

// put stores records, which count at once.
func (w *world) put(records ...account.Record) {
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

var hashed = sync.OnceValues(func() (string, error) { return password.Hash(context.Background(), secret) })

// seed makes two customers, each with a program and a user of the same name and password.
func (w *world) seed() {
	w.t.Helper()
	hash, err := hashed()
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(
		customer("demo"), program("web", "demo"), person(teacherID, "demo", "Teacher", hash),
		customer("other"), program("other-web", "other"), person(pupilID, "other", "Teacher", hash),
	)
}

// browser keeps cookies and follows no redirect.
type browser struct {
	w *world
	*http.Client
	header http.Header
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := *w.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{w: w, Client: &client, header: http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}}}
}

// page is an answer that has been read.
type page struct {
	*http.Response
	body string
}

func (b *browser) do(method, address string, form url.Values, header ...string) page {
	b.w.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	if strings.HasPrefix(address, "/") {
		address = b.w.URL + address
	}
	r, err := http.NewRequestWithContext(b.w.t.Context(), method, address, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	r.Header = b.header.Clone()
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := b.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return page{answer, string(text)}
}

func (b *browser) get(address string, header ...string) page {
	b.w.t.Helper()
	return b.do(http.MethodGet, address, nil, header...)
}

func (b *browser) post(address string, form url.Values, header ...string) page {
	b.w.t.Helper()
	return b.do(http.MethodPost, address, form, header...)
}

// request is a good authorisation request, changed: names and values in turn; "" takes one away.
func request(changes ...string) url.Values {
	values := url.Values{
		"response_type": {"code"}, "client_id": {"web"}, "redirect_uri": {appURI}, "state": {"st&te=1"},
		"scope": {"openid email"}, "nonce": {"n-1"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		if values.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values
}

func authorize(changes ...string) string { return "/v1/authorize?" + request(changes...).Encode() }

var hidden = regexp.MustCompile(`name="(request|confirm)" value="([^"]+)"`)

// form is what the page's form would send, with more fields: names and values in turn.
func (p page) form(t *testing.T, fields ...string) url.Values {
	t.Helper()
	found := hidden.FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("no form in %d %v\n%s", p.StatusCode, p.Header, p.body)
	}
	values := url.Values{found[1]: {html.UnescapeString(found[2])}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return values
}

// signIn fills the login page in and returns the answer.
func (b *browser) signIn(changes ...string) page {
	b.w.t.Helper()
	shown := b.get(authorize(changes...))
	return b.post("/v1/authorize/login", shown.form(b.w.t, "username", "teacher", "password", secret))
}

// answered returns the parameters that the answer brings to a redirect address, having checked that it
// leads there and holds iss.
func (p page) answered(t *testing.T, to string) url.Values {
	t.Helper()
	location := p.Header.Get("Location")
	rest, ok := strings.CutPrefix(location, to)
	if !ok || p.StatusCode != http.StatusFound && p.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d to %q, not to %s\n%s", p.StatusCode, location, to, p.body)
	}
	if want := "?"; strings.Contains(to, "?") && !strings.HasPrefix(rest, "&") || !strings.Contains(to, "?") && !strings.HasPrefix(rest, want) {
		t.Errorf("the answer is appended as %q", rest)
	}
	values, err := url.ParseQuery(rest[1:])
	if err != nil {
		t.Fatal(err)
	}
	if values.Get("iss") != issuer {
		t.Errorf("iss is %q", values.Get("iss"))
	}
	return values
}

// redeem uses a code up and returns what it stands for.
func (w *world) redeem(code string) account.Code {
	w.t.Helper()
	if raw, err := base64.RawURLEncoding.DecodeString(code); err != nil || len(raw) != 32 {
		w.t.Fatalf("the code %q holds %d bytes, %v", code, len(raw), err)
	}
	found, err := w.accounts.RedeemCode(w.t.Context(), sha256.Sum256([]byte(code)), w.clock(),
		account.Grant{Hash: sha256.Sum256([]byte("refresh" + code)), IssuedAt: w.clock(), Expires: w.clock().Add(time.Hour)},
		func(account.Code) error { return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// code is what a good answer stands for.
func (w *world) code(p page, to string) account.Code {
	w.t.Helper()
	values := p.answered(w.t, to)
	if values.Get("code") == "" || values.Has("error") {
		w.t.Fatalf("got %v", values)
	}
	return w.redeem(values.Get("code"))
}

func wantError(t *testing.T, p page, to, code string) {
	t.Helper()
	values := p.answered(t, to)
	if values.Get("error") != code || values.Has("code") || values.Get("error_description") == "" {
		t.Errorf("got %v, want %s", values, code)
	}
}

// wantFault is an error that goes nowhere.
func wantFault(t *testing.T, p page, status int) {
	t.Helper()
	if p.StatusCode != status || p.Header.Get("Location") != "" {
		t.Errorf("got %d to %q, want %d\n%s", p.StatusCode, p.Header.Get("Location"), status, p.body)
	}
}

// cookie is one that an answer sets, nil where it sets none of that name.
func (p page) cookie(name string) *http.Cookie {
	for _, cookie := range p.Cookies() {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}

// dayBefore is the UTC day before the world's.
func (w *world) dayBefore() *catalogue.Date {
	day := catalogue.DateOf(w.clock()) - 1
	return &day
}

// lockedBuffer is a log that handlers and a test share.
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
