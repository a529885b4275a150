package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/fault"
)

// claims returns the claims of a token that the service accepts.
func (f *fixture) claims() map[string]any {
	now := f.clock.Now().Unix()
	return map[string]any{
		"iss": issuer, "aud": []string{audience}, "sub": "demo", "client_id": "demo", "azp": "demo",
		"iat": now, "nbf": now, "exp": now + 60, "jti": "1", "scope": "profile",
	}
}

// with returns a copy of claims with changes applied. A nil change deletes a claim.
func with(claims map[string]any, changes map[string]any) map[string]any {
	changed := maps.Clone(claims)
	for name, value := range changes {
		if changed[name] = value; value == nil {
			delete(changed, name)
		}
	}
	return changed
}

func segment(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(encoded)
}

func TestAuthenticate(t *testing.T) {
	f := start(t)
	caller, err := f.authenticate(f.login(t, "demo").Access)
	if err != nil {
		t.Fatal(err)
	}
	if caller.ClientID != "demo" || caller.Account.ID != "school" || caller.User != "" || caller.Permissions != account.CustomerPermissions() ||
		caller.Scope != "profile email" || caller.TokenID == "" || caller.Family == "" || caller.Session != "" {
		t.Errorf("%+v", caller)
	}
	// A token of a user has the user's ID as its subject.
	caller, err = f.authenticate(sign(t, f.accounts.key(t), "application/AT+JWT", with(f.claims(), map[string]any{"sub": "5f0c6d1e0000000000000001"})))
	if err != nil || caller.ClientID != "demo" || caller.User != "5f0c6d1e0000000000000001" {
		t.Errorf("%+v, %v", caller, err)
	}
}

// TestRefusedRequests checks that every kind of request that must be refused gets byte for byte the expected answer.
func TestRefusedRequests(t *testing.T) {
	f := start(t)
	key := f.accounts.key(t)
	good := f.login(t, "demo").Access
	parts := strings.Split(good, ".")
	foreign := foreignKey(f.clock.Now())
	impostor := foreign
	impostor.ID = key.ID
	now := f.clock.Now().Unix()
	signed := func(changes map[string]any) string { return sign(t, key, "at+jwt", with(f.claims(), changes)) }
	hmac, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: key.Secret},
		(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", key.ID))
	if err != nil {
		t.Fatal(err)
	}
	hmacSigned, err := hmac.Sign([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	hmacToken, err := hmacSigned.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name          string
		authorization []string
		status        int
	}{
		{"none", nil, 401},
		{"empty", []string{""}, 401},
		{"basic", []string{"Basic ZGVtbzpkZW1vLXNlY3JldA=="}, 401},
		{"no_token", []string{"Bearer"}, 401},
		{"two_headers", []string{"Bearer " + good, "Bearer " + good}, 400},
		{"garbage", []string{"Bearer x"}, 401},
		{"two_tokens", []string{"Bearer " + good + " " + good}, 401},
		{"two_in_one", []string{"Bearer " + good + ", Bearer " + good}, 401},
		{"long", []string{"Bearer " + strings.Repeat("x", 100_000)}, 401},
		{"truncated", []string{"Bearer " + good[:len(good)-10]}, 401},
		{"no_signature", []string{"Bearer " + parts[0] + "." + parts[1] + "."}, 401},
		{"padded", []string{"Bearer " + good + "=="}, 401},
		{"other_claims", []string{"Bearer " + parts[0] + "." + segment(t, f.claims()) + "." + parts[2]}, 401},
		{"alg_none", []string{"Bearer " + segment(t, map[string]any{"alg": "none", "typ": "at+jwt", "kid": key.ID}) + "." + parts[1] + "."}, 401},
		{"alg_none_signed", []string{"Bearer " + segment(t, map[string]any{"alg": "none", "typ": "at+jwt", "kid": key.ID}) + "." + parts[1] + "." + parts[2]}, 401},
		{"alg_hmac", []string{"Bearer " + hmacToken}, 401},
		{"foreign_key", []string{"Bearer " + sign(t, foreign, "at+jwt", f.claims())}, 401},
		{"foreign_key_same_name", []string{"Bearer " + sign(t, impostor, "at+jwt", f.claims())}, 401},
		{"typ_jwt", []string{"Bearer " + sign(t, key, "JWT", f.claims())}, 401},
		{"not_claims", []string{"Bearer " + sign(t, key, "at+jwt", []int{1})}, 401},
		{"iss", []string{"Bearer " + signed(map[string]any{"iss": "https://elsewhere.example"})}, 401},
		{"aud", []string{"Bearer " + signed(map[string]any{"aud": []string{"https://elsewhere.example"}})}, 401},
		{"no_exp", []string{"Bearer " + signed(map[string]any{"exp": nil})}, 401},
		{"no_sub", []string{"Bearer " + signed(map[string]any{"sub": nil})}, 401},
		{"no_client", []string{"Bearer " + signed(map[string]any{"client_id": nil})}, 401},
		{"expired", []string{"Bearer " + signed(map[string]any{"exp": now})}, 401},
		{"future", []string{"Bearer " + signed(map[string]any{"nbf": now + 7})}, 401},
		{"unknown_client", []string{"Bearer " + signed(map[string]any{"sub": "nobody", "client_id": "nobody"})}, 401},
		{"id_token", []string{"Bearer " + f.grant(t, codeForm("demo", f.code(t, nil))).ID}, 401},
		{"suspended_account", []string{"Bearer " + signed(map[string]any{"sub": "suspended", "client_id": "suspended"})}, 401},
		{"disabled_client", []string{"Bearer " + signed(map[string]any{"sub": "disabled", "client_id": "disabled"})}, 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/v1/videos?access_token="+good, nil)
			if test.authorization != nil {
				r.Header["Authorization"] = test.authorization
			}
			w := httptest.NewRecorder()
			f.Verifier().Require(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				t.Error("the request got through")
			})).ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("status %d", w.Code)
			}
			goldenAnswer(t, "bearer/refused_"+test.name, w)
			if _, err := f.Verifier().Authenticate(r); errors.Is(err, auth.ErrNoToken) != (test.name == "none" || test.name == "empty" || test.name == "basic") {
				t.Errorf("%v and ErrNoToken", err)
			}
		})
	}
}

func TestRequire(t *testing.T) {
	f := start(t)
	var caller *account.Caller
	handler := f.Verifier().Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { caller = account.CallerOf(r.Context()) }))
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER   "} {
		caller = nil
		r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
		r.Header.Set("Authorization", scheme+f.login(t, "other").Access)
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if caller == nil || caller.ClientID != "other" {
			t.Errorf("scheme %q: %+v", scheme, caller)
		}
	}
}

// TestTokenLifetime checks that a token counts for at least as long as its answer says and at most a second longer,
// whether or not the verifier has cached it. A token counts at once, even if a clock is slightly behind.
func TestTokenLifetime(t *testing.T) {
	f := start(t)
	remembered, fresh := f.login(t, "demo"), f.login(t, "demo")
	f.clock.move(-5 * time.Second)
	if _, err := f.authenticate(remembered.Access); err != nil {
		t.Error(err)
	}
	f.clock.move(5*time.Second + time.Duration(remembered.ExpiresIn)*time.Second - 1)
	for _, token := range []tokens{remembered, fresh} {
		if _, err := f.authenticate(token.Access); err != nil {
			t.Error(err)
		}
	}
	f.clock.move(time.Second)
	for name, token := range map[string]string{"remembered": remembered.Access, "read again": remembered.Access, "fresh": fresh.Access} {
		if _, err := f.authenticate(token); fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMutatedTokens checks that a token with any character replaced or added is refused. Lenient decoders skip line
// ends and ignore the surplus bits of the last character.
func TestMutatedTokens(t *testing.T) {
	f := start(t)
	token := f.login(t, "demo").Access
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	last := len(token) - 1
	for i := range token {
		for j := range len(alphabet) {
			if i != last && (i+j)%13 != 0 || alphabet[j] == token[i] { // every value of the last character, a sample of the others
				continue
			}
			changed := token[:i] + alphabet[j:j+1] + token[i+1:]
			if _, err := f.authenticate(changed); err == nil {
				t.Fatalf("%q is taken, but the token is %q", changed, token)
			}
		}
		for _, added := range []string{"\n", "\r", "=", ".", "A", " "} {
			changed := token[:i] + added + token[i:]
			if _, err := f.authenticate(changed); err == nil && (i > 0 || added != " ") {
				t.Fatalf("%q is taken, but the token is %q", changed, token)
			}
		}
	}
}

// BenchmarkAuthenticate measures the verification of a token: cold, at its first use, and warm, at each later use.
func BenchmarkAuthenticate(b *testing.B) {
	fix := start(b)
	warm := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
	warm.Header.Set("Authorization", "Bearer "+fix.login(b, "demo").Access)
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := fix.Verifier().Authenticate(warm); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		requests := make([]*http.Request, 20_000)
		for i := range requests {
			requests[i] = httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
			requests[i].Header.Set("Authorization", "Bearer "+fix.login(b, "demo").Access)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			if i == len(requests) {
				b.Fatal("more rounds than tokens: run with -benchtime 10000x")
			}
			if _, err := fix.Verifier().Authenticate(requests[i]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
