package auth_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	issuer   = "https://films.example"
	audience = "https://films.example/v1"
	secret   = "demo-secret"
)

// clock is a clock that stands still until it is moved.
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

// lockedBuffer is a buffer that the service's goroutine and a test may share.
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

func hashOf(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// clients are those of every fixture.
func clients() []*account.LegacyClient {
	return []*account.LegacyClient{
		{ID: "demo", SecretHashes: [][32]byte{hashOf(secret), hashOf("second-secret")}, Rights: account.CustomerRights()},
		{ID: "other", SecretHashes: [][32]byte{hashOf(secret)}, Rights: account.RightsOf(account.ViewVideos)},
		{ID: "public", Rights: account.RightsOf(account.ViewVideos)},
		{ID: "disabled", SecretHashes: [][32]byte{hashOf(secret)}, Disabled: true},
		{ID: "a:b c", SecretHashes: [][32]byte{hashOf("p%+ä")}},
	}
}

func start(t testing.TB) *fixture {
	t.Helper()
	return startOn(t, newAccounts(t, clients()...))
}

func startOn(t testing.TB, accounts *accounts) *fixture {
	t.Helper()
	return startAt(t, accounts, time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC))
}

func startAt(t testing.TB, accounts *accounts, now time.Time) *fixture {
	t.Helper()
	f := &fixture{accounts: accounts, clock: &clock{now: now}, log: &lockedBuffer{}}
	service, err := auth.New(context.Background(), auth.Config{
		Accounts: accounts, Issuer: issuer, Audience: audience, Clock: f.clock.Now,
		Logger: slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
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

// post sends a form to the token endpoint; change may alter the request.
func (f *fixture) post(form string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/token", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, alter := range change {
		alter(r)
	}
	w := httptest.NewRecorder()
	f.TokenHandler().ServeHTTP(w, r)
	return w
}

// tokens is a successful answer of the token endpoint.
type tokens struct {
	Access           string `json:"access_token"`
	Refresh          string `json:"refresh_token"`
	ExpiresIn        int    `json:"expires_in"`
	RefreshExpiresIn int    `json:"refresh_expires_in"`
	Scope            string `json:"scope"`
}

// grant sends a form that must be granted.
func (f *fixture) grant(t testing.TB, form string, change ...func(*http.Request)) tokens {
	t.Helper()
	w := f.post(form, change...)
	var answer tokens
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return answer
}

// login gets tokens for a client by its secret.
func (f *fixture) login(t testing.TB, client string) tokens {
	t.Helper()
	return f.grant(t, "grant_type=client_credentials&client_id="+client+"&client_secret="+secret)
}

func refreshForm(client, token string) string {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}.Encode()
}

// authenticate sends an access token to the verifier.
func (f *fixture) authenticate(token string) (*account.Caller, error) {
	r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return f.Verifier().Authenticate(r)
}

// sign makes a token with one of the service's own keys, or with any other.
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

// within fails the test unless a condition comes true within a second, in which every change counts.
func within(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a second: %s", what)
		}
	}
}

// volatile are the parts of an answer that differ from run to run.
var volatile = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`"timestamp": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"`), `"timestamp": "<now>"`},
	{regexp.MustCompile(`"access_token": "[\w-]+\.[\w-]+\.[\w-]+"`), `"access_token": "<token>"`},
	{regexp.MustCompile(`"refresh_token": "[\w-]{43}"`), `"refresh_token": "<256 bits>"`},
	{regexp.MustCompile(`"kid": "[\w-]{43}"`), `"kid": "<thumbprint>"`},
	{regexp.MustCompile(`"x": "[\w-]{43}"`), `"x": "<public key>"`},
	{regexp.MustCompile(`"jti": "[A-Z2-7]{26}"`), `"jti": "<130 bits>"`},
}

// golden compares an answer, or any JSON, with testdata/NAME.golden.
func golden(t *testing.T, name, head string, body []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, body, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	got := head + indented.String() + "\n"
	for _, v := range volatile {
		got = v.pattern.ReplaceAllString(got, v.text)
	}
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// goldenAnswer compares status, headers and body of an answer.
func goldenAnswer(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	var head strings.Builder
	head.WriteString(http.StatusText(w.Code) + "\n")
	if err := w.Header().WriteSubset(&head, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, name, strings.ReplaceAll(head.String(), "\r\n", "\n")+"\n", w.Body.Bytes())
}

func TestNew(t *testing.T) {
	broken := newAccounts(t)
	broken.fail(errors.New("the disk is gone"))
	damaged := newAccounts(t)
	if err := damaged.AddKey(context.Background(), "signing", account.Key{ID: "short", Secret: []byte("no seed")}, false); err != nil {
		t.Fatal(err)
	}
	empty := newAccounts(t)
	for name, config := range map[string]auth.Config{
		"no issuer":                     {Accounts: empty},
		"fraction of a second":          {Accounts: empty, Issuer: issuer, AccessLifetime: 1500 * time.Millisecond},
		"negative lifetime":             {Accounts: empty, Issuer: issuer, AccessLifetime: -time.Second},
		"refresh fraction":              {Accounts: empty, Issuer: issuer, RefreshLifetime: time.Hour + 1},
		"refresh no longer than access": {Accounts: empty, Issuer: issuer, AccessLifetime: time.Hour, RefreshLifetime: time.Hour},
		"negative number of tokens":     {Accounts: empty, Issuer: issuer, Remembered: -1},
		"store away":                    {Accounts: broken, Issuer: issuer},
		"damaged key":                   {Accounts: damaged, Issuer: issuer},
	} {
		t.Run(name, func(t *testing.T) {
			if service, err := auth.New(context.Background(), config); err == nil {
				_ = service.Close()
				t.Error("no error")
			}
		})
	}
}

// Processes that start together on a new store agree on one key.
func TestFirstKey(t *testing.T) {
	shared := newAccounts(t, clients()...)
	var started [4]*fixture
	var all sync.WaitGroup
	for i := range started {
		all.Go(func() { started[i] = startOn(t, shared) })
	}
	all.Wait()
	token := started[0].login(t, "demo").Access
	for i, f := range started {
		if _, err := f.authenticate(token); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	shared.key(t) // there is one
}

func TestKeys(t *testing.T) {
	f := start(t)
	get := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		f.KeysHandler().ServeHTTP(w, httptest.NewRequest(method, "/.well-known/jwks.json", nil))
		return w
	}
	goldenAnswer(t, "keys/get", get(http.MethodGet))
	goldenAnswer(t, "keys/post", get(http.MethodPost))
	if strings.Contains(get(http.MethodGet).Body.String(), `"d"`) {
		t.Error("the private half is published")
	}
}

// A foreign verifier that knows the published set only accepts our tokens.
func TestKeysVerify(t *testing.T) {
	f := start(t)
	w := httptest.NewRecorder()
	f.KeysHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/jwks.json", nil))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	signed, err := jose.ParseSignedCompact(f.login(t, "demo").Access, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signed.Verify(set); err != nil {
		t.Error(err)
	}
}

// A new key signs within a second, is published, and the tokens of the old one stay valid.
func TestKeyRotation(t *testing.T) {
	f := start(t)
	before := f.login(t, "demo").Access
	key := f.accounts.addKey(t, f.clock.Now())
	within(t, "the new key signs", func() bool { return keyOf(t, f.login(t, "demo").Access) == key.ID })
	for _, token := range []string{before, f.login(t, "demo").Access} {
		if _, err := f.authenticate(token); err != nil {
			t.Error(err)
		}
	}
	w := httptest.NewRecorder()
	f.KeysHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/jwks.json", nil))
	for _, id := range []string{key.ID, keyOf(t, before)} {
		if !strings.Contains(w.Body.String(), id) {
			t.Errorf("key %s is not published", id)
		}
	}
}

// A key that is taken away takes its tokens along, remembered ones too.
func TestKeyTakenAway(t *testing.T) {
	f := start(t)
	token := f.login(t, "demo").Access
	if _, err := f.authenticate(token); err != nil {
		t.Fatal(err)
	}
	f.accounts.addKey(t, f.clock.Now())
	f.accounts.lose(t, keyOf(t, token))
	within(t, "tokens of the lost key are refused", func() bool { _, err := f.authenticate(token); return err != nil })
	if _, err := f.authenticate(f.login(t, "demo").Access); err != nil {
		t.Error(err)
	}
}

// A key that another process has just added verifies at once.
func TestKeyUnknownYet(t *testing.T) {
	f := start(t)
	key := f.accounts.addKey(t, f.clock.Now())
	if _, err := f.authenticate(sign(t, key, "at+jwt", f.claims())); err != nil {
		t.Error(err)
	}
}

func keyOf(t *testing.T, token string) string {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		t.Fatal(err)
	}
	return signed.Signatures[0].Header.KeyID
}
