package auth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

func tokenForm(client, token string) string {
	return url.Values{"client_id": {client}, "client_secret": {secret}, "token": {token}}.Encode()
}

// TestRevoke checks that revoking an access token ends only that token, that revoking a refresh token ends all tokens
// of its sign-in (RFC 7009), and that no client can revoke another client's tokens.
func TestRevoke(t *testing.T) {
	f := start(t)
	revoke := func(form string, change ...func(*http.Request)) *httptest.ResponseRecorder {
		return send(f.RevokeHandler(), "/v1/revoke", form, change...)
	}
	first, bystander := f.personalise(t, "demo", "u"), f.personalise(t, "demo", "u")
	second := f.grant(t, refreshForm("demo", first.Refresh))
	if !f.accepts(t, second.Access) {
		t.Fatal("the token does not count before") // the verifier has cached the token now
	}
	for _, form := range []string{tokenForm("sibling", second.Access), tokenForm("other", second.Refresh), tokenForm("demo", "x"), tokenForm("demo", "a.b.c")} {
		if w := revoke(form); w.Code != http.StatusOK || w.Body.Len() != 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if !f.accepts(t, second.Access) {
		t.Error("somebody has revoked another's token")
	}
	goldenEmpty(t, revoke(tokenForm("demo", second.Access)))
	if f.accepts(t, second.Access) || !f.accepts(t, first.Access) {
		t.Error("the one access token alone is to be revoked")
	}
	third := f.grant(t, refreshForm("demo", second.Refresh))
	if w := revoke("token="+third.Refresh+"&token_type_hint=access_token", basic("demo", secret)); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if f.accepts(t, first.Access) || f.accepts(t, third.Access) {
		t.Error("access tokens of the sign-in still count")
	}
	if w := f.post(refreshForm("demo", third.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("the refresh token answers %d", w.Code)
	}
	if !f.accepts(t, bystander.Access) {
		t.Error("another sign-in is revoked too")
	}
	code := f.code(t, func(c *account.Code) { c.ClientID, c.Challenge = "public", codeChallenge })
	public := f.grant(t, codeForm("public", code, "code_verifier", codeVerifier))
	if w := revoke("client_id=public&token=" + public.Refresh); w.Code != http.StatusOK || f.accepts(t, public.Access) {
		t.Errorf("a public client: %d %s", w.Code, w.Body)
	}
}

func goldenEmpty(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
}

// TestRevocationLasts checks that a revocation is stored until the token that it revokes expires, and no longer.
func TestRevocationLasts(t *testing.T) {
	f := start(t)
	token := f.login(t, "demo")
	goldenEmpty(t, send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", token.Access)))
	f.clock.move(time.Duration(token.ExpiresIn)*time.Second - time.Second)
	if f.accepts(t, token.Access) {
		t.Error("the token counts again")
	}
	restarted := startWith(t, f.accounts, f.clock)
	if restarted.accepts(t, token.Access) {
		t.Error("the token counts after a restart")
	}
}

// TestUserRevoked checks that revoking a user ends the tokens that were issued before an instant, and that later tokens
// count.
func TestUserRevoked(t *testing.T) {
	f := start(t)
	old, bystander := f.personalise(t, "demo", "u"), f.personalise(t, "demo", "v")
	caller, err := f.authenticate(old.Access)
	if err != nil {
		t.Fatal(err)
	}
	f.clock.move(time.Millisecond)
	revoke := func(mark string) {
		if err := f.accounts.Revoke(t.Context(), []string{mark}, f.clock.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := f.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	revoke(account.UserMark(caller.User, f.clock.Now()))
	fresh := f.personalise(t, "demo", "u")
	if f.accepts(t, old.Access) || !f.accepts(t, fresh.Access) || !f.accepts(t, bystander.Access) {
		t.Errorf("old %v, new %v, another's %v", f.accepts(t, old.Access), f.accepts(t, fresh.Access), f.accepts(t, bystander.Access))
	}
	revoke(account.AnyUserMark(caller.User))
	if f.accepts(t, fresh.Access) || !f.accepts(t, bystander.Access) {
		t.Error("a mark of all tokens ends those of this user alone")
	}
	f.clock.move(time.Hour)
	if again := f.personalise(t, "demo", "u"); !f.accepts(t, again.Access) {
		t.Error("the mark holds after its end")
	}
}

// TestSessionRevoked checks that revoking the mark of a session, as signing out does, ends the tokens of the session.
func TestSessionRevoked(t *testing.T) {
	f := start(t)
	token, other := f.grant(t, codeForm("demo", f.code(t, nil))), f.grant(t, codeForm("demo", f.code(t, func(c *account.Code) { c.Session = "another" })))
	if err := f.accounts.Revoke(t.Context(), []string{"session-of-the-browser"}, f.clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	within(t, "tokens of the session are refused", func() bool { return !f.accepts(t, token.Access) })
	if !f.accepts(t, other.Access) {
		t.Error("tokens of another session are refused")
	}
}

// TestIntrospect checks that a confidential client can introspect the tokens of its own account, and no others (RFC
// 7662).
func TestIntrospect(t *testing.T) {
	f := start(t)
	introspect := func(form string, change ...func(*http.Request)) *httptest.ResponseRecorder {
		return send(f.IntrospectHandler(), "/v1/introspect", form, change...)
	}
	plain, user := f.login(t, "demo"), f.personalise(t, "demo", "pupil 7")
	signedIn := f.grant(t, codeForm("demo", f.code(t, nil)))
	goldenAnswer(t, "introspect/client", introspect(tokenForm("demo", plain.Access)))
	goldenAnswer(t, "introspect/client_refresh", introspect(tokenForm("demo", plain.Refresh)))
	goldenAnswer(t, "introspect/service_user", introspect(tokenForm("sibling", user.Access)))
	goldenAnswer(t, "introspect/service_user_refresh", introspect(tokenForm("sibling", user.Refresh)))
	goldenAnswer(t, "introspect/signed_in", introspect("token="+signedIn.Access, basic("demo", secret)))
	goldenAnswer(t, "introspect/inactive", introspect(tokenForm("demo", "x")))

	active := func(client, token string) bool {
		t.Helper()
		var answer struct{ Active *bool }
		w := introspect(tokenForm(client, token))
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Active == nil {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if !*answer.Active && w.Body.String() != `{"active":false}` {
			t.Errorf("of an inactive token it says %s", w.Body)
		}
		return *answer.Active
	}
	if active("other", plain.Access) || active("other", plain.Refresh) {
		t.Error("another account learns of the token")
	}
	if active("demo", signedIn.ID) || active("demo", plain.Access+"x") {
		t.Error("what is no access token is active")
	}
	second := f.grant(t, refreshForm("demo", user.Refresh))
	if active("demo", user.Refresh) || !active("demo", second.Refresh) {
		t.Error("a refresh token that was replaced is active, or its successor is not")
	}
	caller, err := f.authenticate(user.Access)
	if err != nil {
		t.Fatal(err)
	}
	f.accounts.disable(t, caller.User, true)
	if active("demo", second.Refresh) {
		t.Error("the refresh token of a disabled user is active")
	}
	send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", plain.Refresh))
	if active("demo", plain.Access) || active("demo", plain.Refresh) {
		t.Error("a revoked token is active")
	}
	f.clock.move(25 * time.Hour)
	if active("demo", signedIn.Access) || active("demo", signedIn.Refresh) {
		t.Error("an expired token is active")
	}
}

// TestEndpointRefusals checks that every refusal of the revocation and introspection endpoints is byte for byte the
// expected one.
func TestEndpointRefusals(t *testing.T) {
	f := start(t)
	for endpoint, handler := range map[string]http.Handler{"revoke": f.RevokeHandler(), "introspect": f.IntrospectHandler()} {
		for _, test := range []struct {
			name, form string
			status     int
			change     func(*http.Request)
		}{
			{name: "get", status: 405, change: func(r *http.Request) { r.Method = http.MethodGet }},
			{name: "json", form: `{}`, status: 415, change: header("Content-Type", "application/json")},
			{name: "no_client", form: "token=x", status: 400},
			{name: "no_token", form: "client_id=demo&client_secret=demo-secret", status: 400},
			{name: "no_secret", form: "client_id=demo&token=x", status: 401},
			{name: "wrong_secret", form: "client_id=demo&client_secret=x&token=x", status: 401},
			{name: "unknown_client", form: "client_id=nobody&token=x", status: 401},
			{name: "suspended", form: tokenForm("suspended", "x"), status: 401},
		} {
			t.Run(endpoint+"/"+test.name, func(t *testing.T) {
				change := test.change
				if change == nil {
					change = func(*http.Request) {}
				}
				w := send(handler, "/v1/"+endpoint, test.form, change)
				if w.Code != test.status {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				goldenAnswer(t, endpoint+"/refused_"+test.name, w)
			})
		}
	}
	if w := send(f.IntrospectHandler(), "/v1/introspect", "client_id=public&token=x"); w.Code != http.StatusUnauthorized {
		t.Errorf("a public client may ask about tokens: %d", w.Code)
	}
	token := f.login(t, "demo")
	f.accounts.fail(fault.Errorf(fault.Unavailable, "away"))
	for endpoint, handler := range map[string]http.Handler{"revoke": f.RevokeHandler(), "introspect": f.IntrospectHandler()} {
		if w := send(handler, "/v1/"+endpoint, tokenForm("demo", token.Refresh)); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s without the store answers %d %s", endpoint, w.Code, w.Body)
		}
	}
	if w := send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", token.Access)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a revocation that is not stored answers %d", w.Code)
	}
}

// TestUserInfo checks that userinfo shows the claims of the user that the token's scope covers (OpenID Connect Core
// section 5.3).
func TestUserInfo(t *testing.T) {
	f := start(t)
	ask := func(method, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/v1/userinfo", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		f.UserInfoHandler().ServeHTTP(w, r)
		return w
	}
	scoped := func(scope string) string {
		return f.grant(t, codeForm("demo", f.code(t, func(c *account.Code) { c.Scope = scope }))).Access
	}
	for name, token := range map[string]string{
		"all": scoped("openid profile email"), "openid": scoped("openid"), "email": scoped("openid email"),
		"service_user":    f.grant(t, credentials+"&scope=openid+profile+email", header("Service-User-Id", "u")).Access,
		"refused_none":    "",
		"refused_token":   "x",
		"refused_client":  f.grant(t, credentials+"&scope=openid").Access,
		"refused_profile": scoped("profile email"),
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(http.MethodGet, token)
			goldenAnswer(t, "userinfo/"+name, w)
			want := http.StatusOK
			switch name {
			case "refused_none", "refused_token":
				want = http.StatusUnauthorized
			case "refused_client", "refused_profile":
				want = http.StatusForbidden
			}
			if w.Code != want || ask(http.MethodPost, token).Code != want {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	goldenAnswer(t, "userinfo/delete", ask(http.MethodDelete, ""))
	token := scoped("openid")
	f.accounts.fail(fault.Errorf(fault.Unavailable, "away"), "Record")
	if w := ask(http.MethodGet, token); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without the store %d", w.Code)
	}
	f.accounts.fail(nil)
	f.accounts.disable(t, f.teacher(t).ID, true)
	if w := ask(http.MethodGet, token); w.Code != http.StatusUnauthorized || !strings.Contains(w.Header().Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("of a disabled user: %d %v", w.Code, w.Header())
	}
}
