package federation_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
)

const callback = "https://films.example/v1/authorize/callback/demo/school"

// newClient returns a client that reaches providers on this machine, unless config contains another transport.
func newClient(config federation.Config) *federation.Client {
	if config.Transport == nil {
		config.Transport = http.DefaultTransport
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return federation.New(config)
}

// signIn performs a complete sign-in. If change is not nil, it alters the provider's answer.
func signIn(t *testing.T, c *federation.Client, p *provider, known *account.IdentityProvider, change func(url.Values)) (*federation.Identity, error) {
	t.Helper()
	address, pending, err := c.Begin(t.Context(), known, callback, federation.Options{})
	if err != nil {
		return nil, err
	}
	answer := p.authorize(address)
	if change != nil {
		change(answer)
	}
	return c.Finish(t.Context(), known, callback, pending, answer)
}

func mustSignIn(t *testing.T, c *federation.Client, p *provider, known *account.IdentityProvider) *federation.Identity {
	t.Helper()
	identity, err := signIn(t, c, p, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func TestSignIn(t *testing.T) {
	p := newProvider(t)
	identity := mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
	if time.Since(identity.AuthTime) > time.Minute {
		t.Errorf("signed in at %s", identity.AuthTime)
	}
	identity.AuthTime = time.Time{}
	want := &federation.Identity{
		Issuer: p.URL, Subject: "user-1", Email: "ann@school.example", EmailVerified: true,
		GivenName: "Ann", FamilyName: "Lee", Complete: true,
	}
	if diff := cmp.Diff(want, identity); diff != "" {
		t.Error(diff)
	}
}

func TestBeginOptions(t *testing.T) {
	p := newProvider(t)
	c, known, age := newClient(federation.Config{}), p.identityProvider(), int64(300)
	read := func(wish federation.Options) url.Values {
		t.Helper()
		address, _, err := c.Begin(t.Context(), known, callback, wish)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(address, p.URL+"/authorize?") {
			t.Fatalf("%s, %v", address, err)
		}
		return u.Query()
	}
	q := read(federation.Options{LoginHint: "ann@school.example", Prompt: "login", MaxAge: &age})
	for name, want := range map[string]string{
		"scope": "openid profile email", "login_hint": "ann@school.example", "prompt": "login", "max_age": "300",
		"client_id": clientID, "redirect_uri": callback,
	} {
		if got := q.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	known.Scopes = []string{"openid", "groups"}
	again := read(federation.Options{})
	if again.Get("scope") != "openid groups" || again.Has("prompt") || again.Has("max_age") || again.Has("login_hint") {
		t.Errorf("got %v", again)
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if q.Get(name) == again.Get(name) {
			t.Errorf("%s is the same twice", name)
		}
	}
}

func TestSignatures(t *testing.T) {
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.RS512, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA} {
		t.Run(string(algorithm), func(t *testing.T) {
			p := newProvider(t)
			p.rotate(algorithm)
			mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
		})
	}
}

// TestNoAlgorithmAnnounced checks that a provider that announces no algorithms is taken to use RS256, which every
// provider must support.
func TestNoAlgorithmAnnounced(t *testing.T) {
	p := newProvider(t)
	p.document["id_token_signing_alg_values_supported"] = nil
	mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
}

func TestKeysRotate(t *testing.T) {
	p := newProvider(t)
	p.document["id_token_signing_alg_values_supported"] = []string{"RS256", "ES256"}
	c := newClient(federation.Config{})
	mustSignIn(t, c, p, p.identityProvider())
	p.rotate(jose.ES256)
	// At the very moment at which a fetch of keys ends, go-oidc may hand out its keys once more.
	for rotated := time.Now(); ; {
		if _, err := signIn(t, c, p, p.identityProvider(), nil); err == nil {
			break
		} else if time.Since(rotated) > 20*time.Second {
			t.Fatal(err)
		}
	}
	if p.asked["/keys"] != 2 || p.asked["/.well-known/openid-configuration"] != 1 {
		t.Errorf("asked %v", p.asked)
	}
}

func TestClientAuthentication(t *testing.T) {
	for name, test := range map[string]struct {
		announced any
		accepted  string
		public    bool
	}{
		"basic":                     {[]string{"client_secret_basic"}, "client_secret_basic", false},
		"nothing announced":         {nil, "client_secret_basic", false},
		"post":                      {[]string{"client_secret_post"}, "client_secret_post", false},
		"both announced, one taken": {[]string{"client_secret_basic", "client_secret_post"}, "client_secret_post", false},
		"none of ours announced":    {[]string{"private_key_jwt"}, "client_secret_basic", false},
		"public":                    {[]string{"client_secret_basic", "none"}, "none", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.methods, p.document["token_endpoint_auth_methods_supported"] = []string{test.accepted}, test.announced
			known := p.identityProvider()
			if test.public {
				known.ClientSecret = ""
			}
			mustSignIn(t, newClient(federation.Config{}), p, known)
		})
	}
}

// TestClocks checks that a provider's clock may differ from this machine's clock by a minute.
func TestClocks(t *testing.T) {
	for _, test := range []struct {
		name   string
		ahead  time.Duration // of the provider's clock, relative to this machine's clock
		accept bool
	}{
		{"a minute behind", -time.Minute - 55*time.Second, true}, // ID tokens last a minute
		{"far behind", -10 * time.Minute, false},
		{"a minute ahead", time.Minute, true},
		{"far ahead", 10 * time.Minute, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t)
			p.now = func() time.Time { return time.Now().Add(test.ahead) }
			_, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil)
			if accepted := err == nil; accepted != test.accept {
				t.Errorf("got %v", err)
			}
		})
	}
}
