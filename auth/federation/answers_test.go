package federation_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/auth/federation"
)

func TestUntrustedAnswers(t *testing.T) {
	for name, lie := range map[string]func(p *provider, answer url.Values){
		"another nonce":         func(p *provider, _ url.Values) { p.claims["nonce"] = "x" },
		"no nonce":              func(p *provider, _ url.Values) { p.claims["nonce"] = nil },
		"another audience":      func(p *provider, _ url.Values) { p.claims["aud"] = "another" },
		"no audience":           func(p *provider, _ url.Values) { p.claims["aud"] = nil },
		"audiences, no party":   func(p *provider, _ url.Values) { p.claims["aud"] = []string{clientID, "another"} },
		"another party":         func(p *provider, _ url.Values) { p.claims["azp"] = "another" },
		"another issuer":        func(p *provider, _ url.Values) { p.claims["iss"] = "https://evil.example" },
		"expired":               func(p *provider, _ url.Values) { p.claims["exp"] = time.Now().Add(-2 * time.Minute).Unix() },
		"no end":                func(p *provider, _ url.Values) { p.claims["exp"] = nil },
		"no subject":            func(p *provider, _ url.Values) { p.claims["sub"] = nil },
		"a long subject":        func(p *provider, _ url.Values) { p.claims["sub"] = strings.Repeat("x", 256) },
		"a subject of control":  func(p *provider, _ url.Values) { p.claims["sub"] = "a\x00b" },
		"another access token":  func(p *provider, _ url.Values) { p.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" },
		"an unpublished key":    func(p *provider, _ url.Values) { p.key.Key = newKey(p.t, jose.RS256) },
		"an unknown key":        func(p *provider, _ url.Values) { p.key.KeyID = "x" },
		"another state":         func(_ *provider, a url.Values) { a.Set("state", "x") },
		"no state":              func(_ *provider, a url.Values) { a.Del("state") },
		"another iss":           func(_ *provider, a url.Values) { a.Set("iss", "https://evil.example") },
		"an empty iss":          func(_ *provider, a url.Values) { a.Set("iss", "") },
		"two iss":               func(p *provider, a url.Values) { a["iss"] = []string{p.URL, p.URL} },
		"no code":               func(_ *provider, a url.Values) { a.Del("code") },
		"another code":          func(_ *provider, a url.Values) { a.Set("code", "x") },
		"a code that was used":  func(p *provider, _ url.Values) { p.used = true },
		"another challenge":     func(p *provider, _ url.Values) { p.challenge = "x" },
		"userinfo of another":   func(p *provider, _ url.Values) { p.claims["email"] = nil; p.userinfo["sub"] = "user-2" },
		"userinfo of nobody":    func(p *provider, _ url.Values) { p.claims["email"] = nil; p.userinfo["sub"] = nil },
		"claims of other types": func(p *provider, _ url.Values) { p.claims["given_name"] = 5 },
		"a symmetric signature": func(p *provider, _ url.Values) { // a signature with the client's secret as the HS256 key
			p.algorithm, p.key = jose.HS256, jose.JSONWebKey{Key: []byte(strings.Repeat(secret, 4)), KeyID: p.key.KeyID}
		},
		"no ID token": func(p *provider, _ url.Values) {
			p.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) {
				write(w, map[string]any{"access_token": "an-access-token", "token_type": "Bearer"})
			}
		},
		"no signature": func(p *provider, _ url.Values) {
			p.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) {
				write(w, map[string]any{"access_token": "an-access-token", "token_type": "Bearer", "id_token": unsigned(p)})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			c := newClient(federation.Config{})
			address, pending, err := c.Begin(t.Context(), p.identityProvider(), callback, federation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			answer := p.authorize(address)
			lie(p, answer)
			identity, err := c.Finish(t.Context(), p.identityProvider(), callback, pending, answer)
			if !errors.Is(err, federation.ErrUntrusted) || identity != nil {
				t.Fatalf("got %v, %v", identity, err)
			}
			if strings.Contains(err.Error(), "the-code") || strings.Contains(err.Error(), secret) {
				t.Errorf("the error contains secrets: %s", err)
			}
		})
	}
}

// unsigned returns the provider's ID token with the algorithm none.
func unsigned(p *provider) string {
	parts := strings.Split(p.idToken(), ".")
	return "eyJhbGciOiJub25lIn0." + parts[1] + "."
}

// TestIssuerOfAnswers checks that a provider that announces iss in its answers (RFC 9207) must send it, and that other
// providers may send it.
func TestIssuerOfAnswers(t *testing.T) {
	p := newProvider(t)
	p.document["authorization_response_iss_parameter_supported"] = true
	c := newClient(federation.Config{})
	if _, err := signIn(t, c, p, p.identityProvider(), nil); !errors.Is(err, federation.ErrUntrusted) {
		t.Errorf("an answer without iss: %v", err)
	}
	if _, err := signIn(t, c, p, p.identityProvider(), func(a url.Values) { a.Set("iss", p.URL) }); err != nil {
		t.Error(err)
	}
	other := newProvider(t)
	if _, err := signIn(t, c, other, other.identityProvider(), func(a url.Values) { a.Set("iss", other.URL) }); err != nil {
		t.Error(err)
	}
}

func TestDenied(t *testing.T) {
	p := newProvider(t)
	c := newClient(federation.Config{})
	for code, passing := range map[string]bool{"access_denied": false, "login_required": false, "server_error": true, "temporarily_unavailable": true} {
		_, err := signIn(t, c, p, p.identityProvider(), func(a url.Values) { a.Del("code"); a.Set("error", code) })
		var denied *federation.Denied
		if !errors.As(err, &denied) || denied.Code != code || denied.Temporary() != passing {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestMaxAge(t *testing.T) {
	for name, test := range map[string]struct {
		authTime any
		accept   bool
	}{
		"recent":   {time.Now().Add(-time.Minute).Unix(), true},
		"long ago": {time.Now().Add(-time.Hour).Unix(), false},
		"not said": {nil, false},
	} {
		p := newProvider(t)
		p.claims["auth_time"] = test.authTime
		c, age := newClient(federation.Config{}), int64(300)
		address, pending, err := c.Begin(t.Context(), p.identityProvider(), callback, federation.Options{MaxAge: &age})
		if err != nil {
			t.Fatal(err)
		}
		identity, err := c.Finish(t.Context(), p.identityProvider(), callback, pending, p.authorize(address))
		if accepted := err == nil; accepted != test.accept {
			t.Errorf("%s: %v", name, err)
		} else if accepted && identity.AuthTime.Unix() != test.authTime {
			t.Errorf("%s: signed in at %s", name, identity.AuthTime)
		}
	}
}
