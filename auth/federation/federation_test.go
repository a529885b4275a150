package federation_test

import (
	"bytes"
	"errors"
	"io"
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
	"github.com/filmstrip/filmstrip/catalogue"
)

const callback = "https://films.example/v1/authorize/callback/demo/school"

func newClient(config federation.Config) *federation.Client {
	config.Logger = slog.New(slog.DiscardHandler)
	return federation.New(config)
}

// signIn goes the whole way; change alters the provider's answer.
func signIn(t *testing.T, c *federation.Client, p *provider, known *account.IdentityProvider, change func(url.Values)) (*federation.Identity, error) {
	t.Helper()
	address, pending, err := c.Begin(t.Context(), known, callback, federation.Wish{})
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

func TestBeginAsksForWhatIsWished(t *testing.T) {
	p := newProvider(t)
	c, known, age := newClient(federation.Config{}), p.identityProvider(), int64(300)
	read := func(wish federation.Wish) url.Values {
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
	q := read(federation.Wish{LoginHint: "ann@school.example", Prompt: "login", MaxAge: &age})
	for name, want := range map[string]string{
		"scope": "openid profile email", "login_hint": "ann@school.example", "prompt": "login", "max_age": "300",
		"client_id": clientID, "redirect_uri": callback,
	} {
		if got := q.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	known.Scopes = []string{"openid", "groups"}
	again := read(federation.Wish{})
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

// A provider that says nothing of its algorithms means RS256, as every provider must have it.
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
	mustSignIn(t, c, p, p.identityProvider())
	if p.asked["/keys"] != 2 || p.asked["/.well-known/openid-configuration"] != 1 {
		t.Errorf("asked %v", p.asked)
	}
}

func TestWaysToAuthenticate(t *testing.T) {
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

// The clocks of providers differ from ours by a minute.
func TestClocks(t *testing.T) {
	for _, test := range []struct {
		name   string
		ahead  time.Duration // of our clock, the provider's
		accept bool
	}{
		{"a minute behind", -time.Minute - 55*time.Second, true}, // tokens last a minute
		{"far behind", -10 * time.Minute, false},
		{"a minute ahead", time.Minute, true},
		{"far ahead", 10 * time.Minute, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t)
			p.now = func() time.Time { return time.Now().Add(test.ahead) }
			p.claims["nbf"] = p.now().Unix()
			_, err := signIn(t, newClient(federation.Config{}), p, p.identityProvider(), nil)
			if accepted := err == nil; accepted != test.accept {
				t.Errorf("got %v", err)
			}
		})
	}
}

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
		"a symmetric signature": func(p *provider, _ url.Values) { // of the client's secret, as HS256 would have it
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
			address, pending, err := c.Begin(t.Context(), p.identityProvider(), callback, federation.Wish{})
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
				t.Errorf("the error tells secrets: %s", err)
			}
		})
	}
}

// unsigned is the provider's ID token with the algorithm none.
func unsigned(p *provider) string {
	parts := strings.Split(p.idToken(), ".")
	return "eyJhbGciOiJub25lIn0." + parts[1] + "."
}

// A provider that announces iss in its answers (RFC 9207) must send it; others may.
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
		if !errors.As(err, &denied) || denied.Code != code || denied.Passing() != passing {
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
		address, pending, err := c.Begin(t.Context(), p.identityProvider(), callback, federation.Wish{MaxAge: &age})
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

// How providers tell of the same user.
func TestClaims(t *testing.T) {
	ann := federation.Identity{Email: "ann@school.example", EmailVerified: true, GivenName: "Ann", FamilyName: "Lee", Complete: true}
	with := func(change func(*federation.Identity)) federation.Identity {
		changed := ann
		change(&changed)
		return changed
	}
	for name, test := range map[string]struct {
		claims, userinfo map[string]any
		want             federation.Identity
	}{
		"Keycloak":             {map[string]any{"azp": clientID, "preferred_username": "ann", "aud": []string{clientID}}, nil, ann},
		"several audiences":    {map[string]any{"azp": clientID, "aud": []string{"account", clientID}}, nil, ann},
		"verified as text":     {map[string]any{"email_verified": "true"}, nil, ann},
		"not verified as text": {map[string]any{"email_verified": "false"}, nil, with(func(i *federation.Identity) { i.EmailVerified = false })},
		"nothing of verified":  {map[string]any{"email_verified": nil}, nil, with(func(i *federation.Identity) { i.EmailVerified = false })},
		"at userinfo": {
			map[string]any{"email": nil, "email_verified": nil, "given_name": nil, "family_name": nil},
			map[string]any{"email": "ann@school.example", "email_verified": "true", "given_name": "Ann", "family_name": "Lee"}, ann,
		},
		"a name in one piece": {
			map[string]any{"given_name": nil, "family_name": nil, "name": "Ann Lee"}, nil,
			with(func(i *federation.Identity) { i.GivenName, i.FamilyName = "Ann Lee", "" }),
		},
		"a username that is an address": {
			map[string]any{"email": nil, "preferred_username": "ann@school.example"}, nil,
			with(func(i *federation.Identity) { i.EmailVerified = false }),
		},
		"no address anywhere": {
			map[string]any{"email": nil, "preferred_username": "ann"}, nil,
			with(func(i *federation.Identity) { i.Email, i.EmailVerified = "", false }),
		},
		"texts that do not fit": {
			map[string]any{"email": strings.Repeat("x", 254) + "@school.example", "given_name": strings.Repeat("x", 201), "family_name": "L\x00e"}, nil,
			with(func(i *federation.Identity) { i.Email, i.EmailVerified, i.GivenName, i.FamilyName = "", false, "", "" }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.claims, p.userinfo = test.claims, test.userinfo
			got := *mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
			got.AuthTime, got.Issuer, got.Subject = time.Time{}, "", ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			user := account.User{ID: strings.Repeat("0", 24), AccountID: "demo", Issuer: p.URL, Subject: "user-1", Email: got.Email, GivenName: got.GivenName, FamilyName: got.FamilyName}
			if faults := user.Validate(); faults != nil {
				t.Error(faults)
			}
		})
	}
}

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
