package federation_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/catalogue"
)

// A userinfo endpoint that fails keeps nobody out; what is not known of the user is said to be so.
func TestUserinfoAway(t *testing.T) {
	p := newProvider(t)
	p.claims["email"] = nil
	p.answers["/userinfo"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	if identity := mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider()); identity.Complete || identity.Subject != "user-1" {
		t.Errorf("got %+v", identity)
	}
}

func wantAway(t *testing.T, err error) {
	t.Helper()
	if catalogue.CodeOf(err) != catalogue.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestProviderAway(t *testing.T) {
	p := newProvider(t)
	now := time.Now()
	c := newClient(federation.Config{Clock: func() time.Time { return now }})
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	const document = "/.well-known/openid-configuration"
	p.answers[document] = down
	for range 3 { // it is left alone for a moment
		_, err := signIn(t, c, p, p.identityProvider(), nil)
		wantAway(t, err)
	}
	if p.asked[document] != 1 {
		t.Errorf("asked %d times", p.asked[document])
	}
	now = now.Add(4 * time.Second)
	delete(p.answers, document)
	mustSignIn(t, c, p, p.identityProvider())
	now = now.Add(2 * time.Hour) // what it said goes on counting
	p.answers[document] = down
	p.now = func() time.Time { return now }
	mustSignIn(t, c, p, p.identityProvider())
	if p.asked[document] != 3 {
		t.Errorf("asked %d times", p.asked[document])
	}
	p.answers["/token"] = down
	_, err := signIn(t, c, p, p.identityProvider(), nil)
	wantAway(t, err)
	p.Close()
	_, err = signIn(t, c, p, p.identityProvider(), nil)
	wantAway(t, err)
}

// A provider that takes its time, or never stops talking, is given up.
func TestProviderThatStalls(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"silent":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"endless": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, &endless{left: 16 << 20}) },
	} {
		p := newProvider(t)
		p.answers["/.well-known/openid-configuration"] = answer
		_, err := signIn(t, newClient(federation.Config{Timeout: time.Second}), p, p.identityProvider(), nil)
		if catalogue.CodeOf(err) != catalogue.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left -= len(p); e.left < 0 {
		return 0, io.EOF
	}
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

func TestDocumentsThatAreRefused(t *testing.T) {
	for name, document := range map[string]map[string]any{
		"another issuer":         {"issuer": "https://evil.example"},
		"keys without TLS":       {"jwks_uri": "http://evil.example/keys"},
		"tokens without TLS":     {"token_endpoint": "http://evil.example/token"},
		"sign-in without TLS":    {"authorization_endpoint": "http://evil.example/authorize"},
		"userinfo without TLS":   {"userinfo_endpoint": "http://evil.example/userinfo"},
		"sign-in by a script":    {"authorization_endpoint": "javascript:alert(1)"},
		"no keys":                {"jwks_uri": nil},
		"no token endpoint":      {"token_endpoint": nil},
		"no authorisation":       {"authorization_endpoint": nil},
		"algorithms of no list":  {"id_token_signing_alg_values_supported": "RS256"},
		"methods that are a map": {"token_endpoint_auth_methods_supported": map[string]any{}},
	} {
		p := newProvider(t)
		p.document = document
		_, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil)
		if catalogue.CodeOf(err) != catalogue.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What holds a code or a token follows no redirect to somewhere else.
func TestRedirectsOfTheTokenEndpoint(t *testing.T) {
	p, thief := newProvider(t), newProvider(t)
	p.answers["/token"] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL+"/token", http.StatusTemporaryRedirect)
	}
	_, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil)
	wantAway(t, err)
	if thief.asked["/token"] != 0 {
		t.Error("the code went to another server")
	}
}
