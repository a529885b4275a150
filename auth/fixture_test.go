package auth_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/fault"
)

const (
	issuer   = "https://films.example"
	audience = "https://films.example/v1"
	secret   = "demo-secret"
	redirect = "https://school.example/back?from=films&x=%2F"
)

// begin is the initial time of every fixture's clock.
var begin = time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC)

// clock is a clock that changes only when a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// fixture is a running service with its store, its clock and its log.
type fixture struct {
	*auth.Service
	accounts *accounts
	clock    *clock
	log      *lockedBuffer
}

// lockedBuffer is a buffer that is safe for concurrent use by the service and a test.
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

func start(t testing.TB) *fixture {
	t.Helper()
	stored := newAccounts(t)
	stored.put(t, world()...)
	return startOn(t, stored)
}

func startOn(t testing.TB, accounts *accounts) *fixture {
	t.Helper()
	return startAt(t, accounts, begin)
}

func startAt(t testing.TB, accounts *accounts, now time.Time) *fixture {
	t.Helper()
	return startWith(t, accounts, &clock{now: now})
}

func startWith(t testing.TB, accounts *accounts, clock *clock, change ...func(*auth.Config)) *fixture {
	t.Helper()
	f := &fixture{accounts: accounts, clock: clock, log: &lockedBuffer{}}
	config := auth.Config{
		Accounts: accounts, Issuer: issuer, Audience: audience, Clock: f.clock.Now,
		Logger: slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, alter := range change {
		alter(&config)
	}
	service, err := auth.New(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Service = service
	return f
}

// sweep lets another process delete what has expired: each does so when it starts.
func sweep(t testing.TB, accounts *accounts, clock *clock) {
	t.Helper()
	other := accounts.reopen(t)
	f := startWith(t, other, clock)
	<-other.swept
	if err := f.Close(); err != nil { // waits until retired keys are deleted as well
		t.Fatal(err)
	}
}

// send posts a form to a handler and returns the answer. Each change may alter the request.
func send(handler http.Handler, path, form string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, alter := range change {
		alter(r)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// post posts a form to the token endpoint.
func (f *fixture) post(form string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return send(f.TokenHandler(), "/v1/token", form, change...)
}

// tokens is a successful answer of the token endpoint.
type tokens struct {
	Access           string `json:"access_token"`
	Refresh          string `json:"refresh_token"`
	ID               string `json:"id_token"`
	ExpiresIn        int    `json:"expires_in"`
	RefreshExpiresIn int    `json:"refresh_expires_in"`
	NotBefore        int64  `json:"not-before-policy"`
	Session          string `json:"session_state"`
	Scope            string `json:"scope"`
}

// grant posts a form to the token endpoint and fails the test if the answer is not a success.
func (f *fixture) grant(t testing.TB, form string, change ...func(*http.Request)) tokens {
	t.Helper()
	w := f.post(form, change...)
	var answer tokens
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return answer
}

// login gets tokens for a client with its secret.
func (f *fixture) login(t testing.TB, client string) tokens {
	t.Helper()
	return f.grant(t, loginForm(client))
}

func loginForm(client string) string {
	return "grant_type=client_credentials&client_id=" + client + "&client_secret=" + secret
}

// personalise gets tokens of a client for a user whom Service-User-Id names.
func (f *fixture) personalise(t testing.TB, client, user string) tokens {
	t.Helper()
	return f.grant(t, loginForm(client), header("Service-User-Id", user))
}

func refreshForm(client, token string) string {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}.Encode()
}

// code stores an authorization code, as signing in does, and returns it.
func (f *fixture) code(t testing.TB, change func(*account.Code)) string {
	t.Helper()
	code := rand.Text()
	stored := account.Code{
		Hash: sha256.Sum256([]byte(code)), ClientID: "demo", RedirectURI: redirect, User: f.teacher(t).ID, Scope: "openid profile email",
		Nonce: "n-0S6", Family: rand.Text(), Session: "session-of-the-browser", AuthTime: f.clock.Now().Add(-time.Minute),
		Expires: f.clock.Now().Add(time.Minute),
	}
	if change != nil {
		change(&stored)
	}
	if err := f.accounts.PutCode(context.Background(), stored); err != nil {
		t.Fatal(err)
	}
	return code
}

// teacher adds a user who signs in with a password.
func (f *fixture) teacher(t testing.TB) *account.User {
	t.Helper()
	user, err := f.accounts.Accounts.EnsureUser(context.Background(), &account.User{
		ID: "5f0c6d1e0000000000000001", AccountID: "school", Username: "teacher", PasswordHash: "$argon2id$",
		Email: "teacher@school.example", EmailVerified: true, GivenName: "Ada", FamilyName: "Byron",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func codeForm(client, code string, more ...string) string {
	values := url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {redirect}}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	return values.Encode()
}

// The verifier and its challenge are the example of RFC 7636, appendix B.
const (
	codeVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	codeChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// authenticate sends an access token to the verifier.
func (f *fixture) authenticate(token string) (*account.Caller, error) {
	r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return f.Verifier().Authenticate(r)
}

// accepts reports whether the verifier accepts an access token. It fails the test on any error other than
// Unauthenticated.
func (f *fixture) accepts(t testing.TB, token string) bool {
	t.Helper()
	_, err := f.authenticate(token)
	if err != nil && fault.CodeOf(err) != fault.Unauthenticated {
		t.Fatal(err)
	}
	return err == nil
}

// sign returns a token that key signs; key may be unknown to the service.
func sign(t testing.TB, key account.Key, typ string, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: ed25519.NewKeyFromSeed(key.Secret), KeyID: key.ID}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)),
	)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// part returns a decoded part of a token.
func part(t testing.TB, token string, at int) []byte {
	t.Helper()
	decoded, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[at])
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// within fails the test unless a condition becomes true within a second, the time in which every change must take
// effect, plus the delays of a busy machine.
func within(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
