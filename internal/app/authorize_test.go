package app

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
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
