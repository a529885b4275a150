package federation_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/filmstrip/filmstrip/account"
)

const (
	clientID = "filmstrip at the customer's"
	secret   = "s3cret & more"
)

// provider is an identity provider whose answers a test can falsify.
type provider struct {
	*httptest.Server
	t *testing.T

	mu sync.Mutex
	// key signs ID tokens; published contains the keys in the provider's key set.
	key       jose.JSONWebKey
	published []jose.JSONWebKey
	algorithm jose.SignatureAlgorithm
	// document, claims and userinfo override the values of an honest provider. A nil value removes a field.
	document, claims, userinfo map[string]any
	// answers overrides the handlers of endpoints, by path.
	answers map[string]http.HandlerFunc
	// methods contains the client authentication methods that the token endpoint accepts.
	methods []string
	now     func() time.Time

	nonce, challenge, redirectURI string
	used                          bool
	asked                         map[string]int
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{
		t: t, document: map[string]any{}, claims: map[string]any{}, userinfo: map[string]any{}, asked: map[string]int{},
		answers: map[string]http.HandlerFunc{}, methods: []string{"client_secret_basic"}, now: time.Now,
	}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	p.rotate(jose.RS256)
	return p
}

// rotate makes the provider sign with a new key, and publish only that key.
func (p *provider) rotate(algorithm jose.SignatureAlgorithm) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	private := newKey(p.t, algorithm)
	p.algorithm = algorithm
	p.key = jose.JSONWebKey{Key: private, KeyID: rand.Text(), Algorithm: string(algorithm), Use: "sig"}
	p.published = []jose.JSONWebKey{p.key.Public()}
}

// numRSAKeys is the number of RSA keys that the tests share, because generating one takes up to a second.
const numRSAKeys = 4

var (
	rsaKeysUsed atomic.Int64
	rsaKeys     = sync.OnceValue(func() (keys [numRSAKeys]*rsa.PrivateKey) {
		for i := range keys {
			private, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				panic(err)
			}
			keys[i] = private
		}
		return keys
	})
)

func newKey(t *testing.T, algorithm jose.SignatureAlgorithm) crypto.Signer {
	t.Helper()
	var (
		private crypto.Signer
		err     error
	)
	switch algorithm {
	case jose.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private = rsaKeys()[int(rsaKeysUsed.Add(1))%numRSAKeys]
	}
	if err != nil {
		t.Fatal(err)
	}
	return private
}

// identityProvider returns this provider as an account stores it.
func (p *provider) identityProvider() *account.IdentityProvider {
	return &account.IdentityProvider{Alias: "school", Name: "School", Issuer: p.URL, ClientID: clientID, ClientSecret: secret}
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	answer := p.answers[r.URL.Path]
	p.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		write(w, overlay(map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
			"id_token_signing_alg_values_supported": []string{string(p.algorithm)},
			"token_endpoint_auth_methods_supported": p.methods,
		}, p.document))
	case "/keys":
		write(w, jose.JSONWebKeySet{Keys: p.published})
	case "/token":
		p.serveToken(w, r)
	case "/userinfo":
		if r.Header.Get("Authorization") != "Bearer an-access-token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		write(w, overlay(map[string]any{"sub": "user-1"}, p.userinfo))
	default:
		http.NotFound(w, r)
	}
}

func (p *provider) serveToken(w http.ResponseWriter, r *http.Request) {
	refuse := func(code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": "you sent " + r.FormValue("code")})
	}
	id, basic, isBasic := r.BasicAuth()
	method, given := "none", ""
	switch {
	case isBasic:
		id, _ = url.QueryUnescape(id)
		given, _ = url.QueryUnescape(basic)
		method = "client_secret_basic"
	case r.FormValue("client_secret") != "":
		id, given, method = r.FormValue("client_id"), r.FormValue("client_secret"), "client_secret_post"
	default:
		id = r.FormValue("client_id")
	}
	verifier := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case id != clientID || method != p.methods[len(p.methods)-1] || method != "none" && given != secret:
		refuse("invalid_client")
	case p.used || r.FormValue("code") != "the-code" || r.FormValue("redirect_uri") != p.redirectURI:
		refuse("invalid_grant")
	case base64.RawURLEncoding.EncodeToString(verifier[:]) != p.challenge:
		refuse("invalid_grant")
	default:
		p.used = true
		write(w, map[string]any{"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 60, "id_token": p.idToken()})
	}
}

func (p *provider) idToken() string {
	now := p.now().Unix()
	said := overlay(map[string]any{
		"iss": p.URL, "sub": "user-1", "aud": clientID, "nonce": p.nonce, "iat": now, "exp": now + 60,
		"email": "ann@school.example", "given_name": "Ann", "family_name": "Lee", "email_verified": true,
	}, p.claims)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: p.algorithm, Key: p.key}, nil)
	if err != nil {
		p.t.Error(err)
		return ""
	}
	token, err := jwt.Signed(signer).Claims(said).Serialize()
	if err != nil {
		p.t.Error(err)
	}
	return token
}

// authorize plays the provider's part in a sign-in: it reads the authorization request and returns its answer.
func (p *provider) authorize(address string) url.Values {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	q := u.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nonce, p.challenge, p.redirectURI, p.used = q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri"), false
	if q.Get("code_challenge_method") != "S256" || len(p.challenge) != 43 || len(p.nonce) < 40 || len(q.Get("state")) < 40 || q.Get("response_type") != "code" {
		p.t.Errorf("the request is %s", address)
	}
	return url.Values{"code": {"the-code"}, "state": {q.Get("state")}}
}

func overlay(base, over map[string]any) map[string]any {
	all := maps.Clone(base)
	for name, value := range over {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

func write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
