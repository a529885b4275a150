package app

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/store"
)

// TestAuthorizeWithThreeParameters verifies that GET /v1/authorize requires only response_type, client_id and
// redirect_uri, as in spec.md, for the demo's public client and for a client with default settings. The server verifies
// a challenge if there is one. The policy can require a challenge or a secret.
func TestAuthorizeWithThreeParameters(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	edit := func(record account.Entity) {
		t.Helper()
		err := s.stores.Accounts.Edit(t.Context(), account.Actor{Client: "test"}, func(ctx context.Context, tx store.RegistryTx) error {
			return tx.Put(ctx, record)
		})
		if err == nil {
			err = s.identity.tokens.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit(&account.Client{ID: "fresh", AccountID: demo.Account, RedirectURIs: []string{demo.RedirectURI}})
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	authorize := func(client string, more ...string) url.Values {
		t.Helper()
		b := apptest.NewBrowser(t)
		b.Client.Transport = direct{s.handler}
		address := "http://127.0.0.1:8080/v1/authorize?response_type=code&client_id=" + client + "&redirect_uri=" + url.QueryEscape(demo.RedirectURI)
		return b.SignIn(address+strings.Join(more, ""), demo.Teacher, demo.Secret)
	}
	redeem := func(client, code string, more ...string) int {
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {demo.RedirectURI}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return send(s, "POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded").Code
	}
	challenge := "&code_challenge_method=S256&code_challenge=" + oauth2.S256ChallengeFromVerifier(verifier)
	for _, client := range []string{demo.WebClient, "fresh"} {
		back := authorize(client)
		code := back.Get("code")
		if code == "" {
			t.Fatalf("%s is refused: %v", client, back)
		}
		if got := redeem(client, code, "code_verifier", verifier); got != http.StatusBadRequest {
			t.Errorf("%s: an unexpected verifier is answered %d", client, got)
		}
		if got := redeem(client, code); got != http.StatusOK {
			t.Errorf("%s: the code is answered %d", client, got)
		}
		code = authorize(client, challenge).Get("code")
		for _, wrong := range [][]string{nil, {"code_verifier", strings.Repeat("x", 43)}} {
			if got := redeem(client, code, wrong...); got != http.StatusBadRequest {
				t.Errorf("%s: with %v a code with a challenge is answered %d", client, wrong, got)
			}
		}
		if got := redeem(client, code, "code_verifier", verifier); got != http.StatusOK {
			t.Errorf("%s: with its verifier the code is answered %d", client, got)
		}
	}
	refused := func(more string) string {
		t.Helper()
		got := send(s, "GET", "/v1/authorize?response_type=code&client_id="+demo.WebClient+"&redirect_uri="+url.QueryEscape(demo.RedirectURI)+more, "")
		at, err := url.Parse(got.Header().Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return at.Query().Get("error")
	}
	edit(&account.Policy{RequirePKCE: true})
	if got := refused(""); got != "invalid_request" {
		t.Errorf("without the required challenge the error is %q", got)
	}
	if got := refused(challenge); got != "" {
		t.Errorf("with the required challenge the error is %q", got)
	}
	edit(&account.Policy{RequireSecret: true})
	if got := refused(challenge); got != "unauthorized_client" {
		t.Errorf("without the required secret the error is %q", got)
	}
}

// TestOAuthErrorCodes verifies that the endpoints whose errors contain a code of OAuth have one also in errors that they
// share with other endpoints, beside the fields of every error body.
func TestOAuthErrorCodes(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir(), "--token-rate=2", "--trusted-proxies=192.0.2.0/24")
	const form, challenge = "application/x-www-form-urlencoded", `Bearer realm="filmstrip"`
	ask := func(path, authorization, address string) *httptest.ResponseRecorder {
		header := []string{"X-Forwarded-For", address, "Content-Type", form}
		if authorization != "" {
			header = append(header, "Authorization", authorization)
		}
		return send(s, "POST", path, "", header...)
	}
	wantError := func(path string, got *httptest.ResponseRecorder, status int, code string) {
		t.Helper()
		var body struct {
			httperror.Body
			Description string `json:"error_description"`
		}
		if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil || got.Code != status || body.Status != status || body.Error != code ||
			body.Message == "" || body.Description != body.Message || body.Path != path {
			t.Errorf("%s: got %d %s, want %d %s (%v)", path, got.Code, got.Body, status, code, err)
		}
	}
	none, bad := ask("/v1/userinfo", "", "203.0.113.1"), ask("/v1/userinfo", "Bearer x", "203.0.113.1")
	wantError("/v1/userinfo", none, http.StatusUnauthorized, "invalid_token")
	wantError("/v1/userinfo", bad, http.StatusUnauthorized, "invalid_token")
	if got := none.Header().Get("WWW-Authenticate"); got != challenge {
		t.Errorf("without a token, the challenge is %q", got)
	}
	if got := bad.Header().Get("WWW-Authenticate"); !strings.HasPrefix(got, challenge+`, error="invalid_token"`) {
		t.Errorf("with a bad token, the challenge is %q", got)
	}
	wantError("/v1/userinfo", ask("/v1/userinfo", "Basic x", "203.0.113.2"), http.StatusUnauthorized, "invalid_token")
	for path := range oauthErrors {
		var got *httptest.ResponseRecorder
		for range 3 {
			got = ask(path, "", "203.0.113.3")
		}
		wantError(path, got, http.StatusTooManyRequests, "slow_down")
		if got.Header().Get("Retry-After") == "" {
			t.Errorf("%s: 429 has the header %v", path, got.Header())
		}
	}
	wantError("/v1/token", ask("/v1/token", "", "203.0.113.4"), http.StatusBadRequest, "invalid_request")
}
