package signin_test

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/filmstrip/filmstrip/account"
)

// school is a customer's identity provider, which signs in every browser as its user.
type school struct {
	*httptest.Server
	w     *world
	nonce atomic.Value
	away  atomic.Bool
	// claims overrides claims of the ID token.
	claims map[string]any
}

func (w *world) school() *school {
	w.t.Helper()
	s := &school{w: w, claims: map[string]any{}}
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	key := jose.JSONWebKey{Key: private, KeyID: "k"}
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		var body any
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			body = map[string]any{
				"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
				"jwks_uri": s.URL + "/keys", "id_token_signing_alg_values_supported": []string{"EdDSA"},
			}
		case "/keys":
			body = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}}
		case "/token":
			body = map[string]any{"access_token": "at", "token_type": "Bearer", "id_token": s.idToken(key)}
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(body)
	}))
	w.t.Cleanup(s.Close)
	return s
}

func (s *school) idToken(key jose.JSONWebKey) string {
	now := s.w.clock()
	said := map[string]any{
		"iss": s.URL, "sub": "ann", "aud": "films", "nonce": s.nonce.Load(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
		"email": "ann@school.example", "email_verified": true, "given_name": "Ann", "family_name": "Lee",
	}
	for name, value := range s.claims {
		said[name] = value
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, nil)
	if err != nil {
		s.w.t.Error(err)
		return ""
	}
	token, err := jwt.Signed(signer).Claims(said).Serialize()
	if err != nil {
		s.w.t.Error(err)
	}
	return token
}

func (s *school) as(alias string, domains ...string) account.IdentityProvider {
	return account.IdentityProvider{Alias: alias, Name: "School <" + alias + ">", Issuer: s.URL, ClientID: "films", ClientSecret: "s", Domains: domains}
}

// federated adds an account whose users come from providers, and a program of the account.
func (w *world) federated(id string, passwords bool, providers ...account.IdentityProvider) {
	w.t.Helper()
	of := customer(id)
	of.PasswordSignIn, of.IdentityProviders = passwords, providers
	w.put(of, program(id+"-web", id))
}

// sent returns the request with which a page sends the browser to the provider.
func (s *school) sent(t *testing.T, p page) url.Values {
	t.Helper()
	rest, ok := strings.CutPrefix(p.Header.Get("Location"), s.URL+"/authorize?")
	if !ok {
		t.Fatalf("got %d to %q\n%s", p.StatusCode, p.Header.Get("Location"), p.body)
	}
	values, err := url.ParseQuery(rest)
	if err != nil {
		t.Fatal(err)
	}
	s.nonce.Store(values.Get("nonce"))
	return values
}

// back returns the URL with which the provider sends the browser back. parameters are names and values in turn; an
// empty value removes a parameter.
func back(sent url.Values, parameters ...string) string {
	values := url.Values{"state": {sent.Get("state")}, "code": {"c"}}
	for i := 0; i < len(parameters); i += 2 {
		if values.Set(parameters[i], parameters[i+1]); parameters[i+1] == "" {
			values.Del(parameters[i])
		}
	}
	return sent.Get("redirect_uri") + "?" + values.Encode()
}

func (w *world) userOf(id string) *account.User {
	w.t.Helper()
	record, err := w.accounts.Entity(w.t.Context(), account.EntityKey{Kind: account.KindUser, ID: id})
	if err != nil || record == nil {
		w.t.Fatalf("%v, %v", record, err)
	}
	return record.(*account.User)
}
