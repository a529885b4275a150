package federation_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/fault"
)

// TestUserinfoAway checks that a sign-in succeeds although the userinfo endpoint fails, and that the identity is marked
// as incomplete.
func TestUserinfoAway(t *testing.T) {
	p := newProvider(t)
	p.claims["email"] = nil
	p.answers["/userinfo"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	if identity := mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider()); identity.Complete || identity.Subject != "user-1" {
		t.Errorf("got %+v", identity)
	}
}

func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestProviderAway(t *testing.T) {
	p := newProvider(t)
	now := time.Now()
	var log bytes.Buffer
	c := newClient(federation.Config{Clock: func() time.Time { return now }, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	const document = "/.well-known/openid-configuration"
	p.answers[document] = down
	for range 3 { // the client asks a failed provider again only after a pause
		_, err := signIn(t, c, p, p.identityProvider(), nil)
		wantUnavailable(t, err)
	}
	if p.asked[document] != 1 {
		t.Errorf("asked %d times", p.asked[document])
	}
	now = now.Add(4 * time.Second)
	delete(p.answers, document)
	mustSignIn(t, c, p, p.identityProvider())
	now = now.Add(2 * time.Hour) // the cached document still counts
	p.answers[document] = down
	p.now = func() time.Time { return now }
	mustSignIn(t, c, p, p.identityProvider())
	if p.asked[document] != 3 {
		t.Errorf("asked %d times", p.asked[document])
	}
	p.answers["/token"] = down
	log.Reset()
	_, err := signIn(t, c, p, p.identityProvider(), nil)
	wantUnavailable(t, err)
	p.Close()
	_, err = signIn(t, c, p, p.identityProvider(), nil)
	wantUnavailable(t, err)
	for _, cause := range []string{"the token endpoint returned 502", "connection refused"} {
		if !strings.Contains(log.String(), "an identity provider's token endpoint cannot be used") || !strings.Contains(log.String(), cause) {
			t.Errorf("%q is missing from the log:\n%s", cause, log.String())
		}
	}
	if strings.Contains(log.String(), p.identityProvider().ClientSecret) {
		t.Errorf("the log has a secret:\n%s", log.String())
	}
}

// TestProviderThatStalls checks that the client gives up a provider that does not answer in time or answers with too
// much data.
func TestProviderThatStalls(t *testing.T) {
	p := newProvider(t)
	p.answers["/.well-known/openid-configuration"] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	_, err := signIn(t, newClient(federation.Config{Timeout: time.Second}), p, p.identityProvider(), nil)
	wantUnavailable(t, err)
}

func TestLongAnswer(t *testing.T) {
	for _, test := range []struct {
		spaces int
		accept bool
	}{{1000, true}, {1 << 20, false}} {
		p := newProvider(t)
		p.answers["/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(" "), test.spaces))
			write(w, map[string]any{
				"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			})
		}
		if _, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil); (err == nil) != test.accept {
			t.Errorf("after %d spaces: %v", test.spaces, err)
		}
	}
}

func TestInvalidDocuments(t *testing.T) {
	for name, document := range map[string]map[string]any{
		"another issuer":         {"issuer": "https://evil.example"},
		"keys without TLS":       {"jwks_uri": "http://evil.example/keys"},
		"tokens without TLS":     {"token_endpoint": "http://evil.example/token"},
		"sign-in without TLS":    {"authorization_endpoint": "http://evil.example/authorize"},
		"userinfo without TLS":   {"userinfo_endpoint": "http://evil.example/userinfo"},
		"sign-in by a script":    {"authorization_endpoint": "javascript:alert(1)"},
		"no keys":                {"jwks_uri": nil},
		"no token endpoint":      {"token_endpoint": nil},
		"no authorization":       {"authorization_endpoint": nil},
		"algorithms of no list":  {"id_token_signing_alg_values_supported": "RS256"},
		"methods that are a map": {"token_endpoint_auth_methods_supported": map[string]any{}},
	} {
		p := newProvider(t)
		p.document = document
		_, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil)
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRedirectsOfTheTokenEndpoint checks that a request with a code follows no redirect to another address, with or
// without a client secret.
func TestRedirectsOfTheTokenEndpoint(t *testing.T) {
	for _, public := range []bool{false, true} {
		p, thief := newProvider(t), newProvider(t)
		p.answers["/token"] = func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+"/token", http.StatusTemporaryRedirect)
		}
		known := p.identityProvider()
		if public {
			known.ClientSecret = ""
		}
		_, err := signIn(t, newClient(federation.Config{}), p, known, nil)
		wantUnavailable(t, err)
		if thief.asked["/token"] != 0 {
			t.Errorf("public %v: the code went to another server", public)
		}
	}
}

// TestRedirectsOfDocuments checks that the client follows redirects of documents.
func TestRedirectsOfDocuments(t *testing.T) {
	p := newProvider(t)
	p.document["jwks_uri"] = p.URL + "/old-keys"
	p.answers["/old-keys"] = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, p.URL+"/keys", http.StatusFound) }
	mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
}

// carried is a transport that answers every request itself, for any host name.
type carried func(r *http.Request) *http.Response

func (c carried) RoundTrip(r *http.Request) (*http.Response, error) { return c(r), nil }

// TestRedirectsThatLoseTLS checks that the client does not follow a redirect from https to http, because anybody on the
// network path could change the document.
func TestRedirectsThatLoseTLS(t *testing.T) {
	const issuer = "https://idp.example"
	var asked []string
	client := newClient(federation.Config{Transport: carried(func(r *http.Request) *http.Response {
		asked = append(asked, r.URL.String())
		w := httptest.NewRecorder()
		if r.URL.Scheme == "https" {
			http.Redirect(w, r, "http://idp.example"+r.URL.Path, http.StatusFound)
		} else {
			write(w, map[string]any{
				"issuer": issuer, "authorization_endpoint": issuer + "/a", "token_endpoint": issuer + "/t", "jwks_uri": issuer + "/k",
			})
		}
		return w.Result()
	})})
	_, _, err := client.Begin(t.Context(), &account.IdentityProvider{Issuer: issuer, ClientID: clientID}, callback, federation.Options{})
	wantUnavailable(t, err)
	if len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
}
