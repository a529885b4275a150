package auth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
)

// TestPolicyForAllClients checks that requirements of the policy apply to clients whose own settings do not contain
// them.
func TestPolicyForAllClients(t *testing.T) {
	f := start(t)
	set := func(policy account.Policy) {
		t.Helper()
		f.accounts.put(t, &policy)
		if err := f.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	of := func(client, challenge string) string {
		return f.code(t, func(c *account.Code) { c.ClientID, c.Challenge = client, challenge })
	}
	want := func(name string, w *httptest.ResponseRecorder, status int, code string) {
		t.Helper()
		if w.Code != status || code != "" && !strings.HasPrefix(w.Body.String(), `{"error":"`+code+`"`) {
			t.Errorf("%s: %d %s, not %d %s", name, w.Code, w.Body, status, code)
		}
	}
	methods := func() string {
		w := httptest.NewRecorder()
		f.DiscoveryHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/openid-configuration", nil))
		return w.Body.String()
	}
	refresh := f.grant(t, codeForm("demo", of("demo", ""))).Refresh

	set(account.Policy{RequirePKCE: true})
	without, with := of("demo", ""), of("demo", codeChallenge)
	want("a code without a challenge", f.post(codeForm("demo", without)), 400, "invalid_grant")
	want("and a verifier", f.post(codeForm("demo", without, "code_verifier", codeVerifier)), 400, "invalid_grant")
	want("a code with its verifier", f.post(codeForm("demo", with, "code_verifier", codeVerifier)), 200, "")

	set(account.Policy{RequireSecret: true})
	code := of("demo", "")
	want("no secret", f.post(codeForm("demo", code)), 400, "invalid_request")
	want("a wrong secret", f.post(codeForm("demo", code, "client_secret", "x")), 401, "invalid_client")
	want("the secret", f.post(codeForm("demo", code, "client_secret", secret)), 200, "")
	want("a public client", f.post(codeForm("public", of("public", codeChallenge), "code_verifier", codeVerifier)), 400, "unauthorized_client")
	want("refreshing without the secret", f.post(refreshForm("demo", refresh)), 400, "invalid_request")
	want("refreshing with it", f.post(refreshForm("demo", refresh), basic("demo", secret)), 200, "")
	if strings.Contains(methods(), `"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","none"]`) {
		t.Errorf("the description offers clients without a secret: %s", methods())
	}

	set(account.Policy{})
	want("no policy", f.post(codeForm("demo", of("demo", ""))), 200, "")
	if !strings.Contains(methods(), `"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","none"]`) {
		t.Errorf("the description does not offer clients without a secret: %s", methods())
	}
}
