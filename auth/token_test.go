package auth_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/fault"
)

func basic(id, secret string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(id, secret) }
}

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

const credentials = "grant_type=client_credentials&client_id=demo&client_secret=demo-secret"

// TestTokenAnswers checks that every successful answer, and the claims of its token, are byte for byte the expected
// ones.
func TestTokenAnswers(t *testing.T) {
	f := start(t)
	w := f.post(credentials)
	goldenAnswer(t, "token/client_credentials", w)
	refresh := regexp.MustCompile(`"refresh_token":"([^"]+)"`).FindStringSubmatch(w.Body.String())[1]
	goldenAnswer(t, "token/refresh_token", f.post(refreshForm("demo", refresh)))

	goldenAnswer(t, "token/service_user", f.post(credentials+"&scope=openid+profile", header("Service-User-Id", "pupil 7")))
	goldenAnswer(t, "token/authorization_code", f.post(codeForm("demo", f.code(t, nil))))

	login, code := f.personalise(t, "demo", "pupil 7"), f.grant(t, codeForm("demo", f.code(t, nil)))
	for i, name := range []string{"header", "claims"} {
		golden(t, "token/jwt_"+name, "", part(t, f.login(t, "demo").Access, i))
		golden(t, "token/jwt_service_user_"+name, "", part(t, login.Access, i))
		golden(t, "token/jwt_code_"+name, "", part(t, code.Access, i))
		golden(t, "token/id_token_"+name, "", part(t, code.ID, i))
	}
}

// TestClientAuthentication checks that a client can authenticate in each supported way.
func TestClientAuthentication(t *testing.T) {
	f := start(t)
	const noClient = "grant_type=client_credentials"
	for name, test := range map[string]struct {
		form   string
		change func(*http.Request)
	}{
		"form":                        {form: credentials},
		"second secret":               {form: noClient + "&client_id=demo&client_secret=second-secret"},
		"basic":                       {form: noClient, change: basic("demo", secret)},
		"basic, lower case":           {form: noClient, change: header("Authorization", "basic ZGVtbzpkZW1vLXNlY3JldA==")},
		"basic and id":                {form: noClient + "&client_id=demo", change: basic("demo", secret)},
		"basic and form agree":        {form: credentials, change: basic("demo", secret)},
		"id in basic, secret in form": {form: noClient + "&client_secret=demo-secret", change: basic("demo", "")},
		"basic is form-encoded":       {form: noClient, change: basic("%61.b-c", url.QueryEscape("p%+ä:"))},
		"form is form-encoded":        {form: noClient + "&client_id=%61.b%2Dc&client_secret=p%25%2B%C3%A4%3A"},
		"an account that has expired": {form: loginForm("past")},
		"old bearer token":            {form: credentials, change: header("Authorization", "Bearer old")},
		"content type with charset":   {form: credentials, change: header("Content-Type", "Application/X-WWW-Form-Urlencoded; charset=UTF-8")},
		"empty parameters":            {form: credentials + "&scope=&refresh_token="},
		"unknown parameter":           {form: credentials + "&resource=x"},
		"user of 64 characters":       {form: credentials, change: header("Service-User-Id", strings.Repeat("ä", 64))},
	} {
		t.Run(name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*http.Request) {}
			}
			if _, err := f.authenticate(f.grant(t, test.form, change).Access); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTokenRefusals checks that every refusal is byte for byte the expected one.
func TestTokenRefusals(t *testing.T) {
	f := start(t)
	refresh, strict := f.login(t, "demo").Refresh, f.login(t, "strict").Refresh
	for _, test := range []struct {
		name, form string
		status     int
		code       string
		change     func(*http.Request)
	}{
		{name: "get", status: 405, code: "invalid_request", change: func(r *http.Request) { r.Method = http.MethodGet }},
		{name: "json", form: `{"grant_type":"client_credentials"}`, status: 415, code: "invalid_request", change: header("Content-Type", "application/json")},
		{name: "no_content_type", form: credentials, status: 415, code: "invalid_request", change: header("Content-Type")},
		{name: "too_long", form: credentials + "&x=" + strings.Repeat("x", 64<<10), status: 413, code: "invalid_request"},
		{name: "ended_early", status: 400, code: "invalid_request", change: func(r *http.Request) { r.Body = brokenBody{} }},
		{name: "bad_encoding", form: "grant_type=%zz", status: 400, code: "invalid_request"},
		{name: "semicolon", form: "grant_type=client_credentials;client_id=demo", status: 400, code: "invalid_request"},
		{name: "not_utf8", form: credentials + "&scope=%ff", status: 400, code: "invalid_request"},
		{name: "twice", form: credentials + "&client_id=demo", status: 400, code: "invalid_request"},
		{name: "empty", form: "", status: 400, code: "invalid_request"},
		{name: "nothing_but_grant_type", form: "grant_type=refresh_token", status: 400, code: "invalid_request"},
		{name: "no_secret", form: "grant_type=client_credentials&client_id=demo", status: 400, code: "invalid_request"},
		{name: "no_secret_public", form: "grant_type=client_credentials&client_id=public", status: 400, code: "unauthorized_client"},
		{name: "no_secret_unknown", form: "grant_type=client_credentials&client_id=nobody", status: 400, code: "invalid_request"},
		{name: "unsupported", form: "grant_type=password&username=x", status: 400, code: "unsupported_grant_type"},
		{name: "unsupported_strange", form: "grant_type=" + url.QueryEscape(`"\`+"\n"+strings.Repeat("ü", 99)), status: 400, code: "unsupported_grant_type"},
		{name: "unknown_client", form: "grant_type=client_credentials&client_id=nobody&client_secret=demo-secret", status: 401, code: "invalid_client"},
		{name: "wrong_secret", form: "grant_type=client_credentials&client_id=demo&client_secret=x", status: 401, code: "invalid_client"},
		{name: "disabled_client", form: "grant_type=client_credentials&client_id=disabled&client_secret=demo-secret", status: 401, code: "invalid_client"},
		{name: "suspended_account", form: loginForm("suspended"), status: 401, code: "invalid_client"},
		{name: "sum_of_nothing", form: "grant_type=client_credentials&client_id=disabled&client_secret=%00", status: 401, code: "invalid_client"},
		{name: "secret_of_public", form: "grant_type=client_credentials&client_id=public&client_secret=x", status: 401, code: "invalid_client"},
		{name: "wrong_basic", form: "grant_type=client_credentials", change: basic("demo", "x"), status: 401, code: "invalid_client"},
		{name: "two_ids", form: credentials, change: basic("other", secret), status: 400, code: "invalid_request"},
		{name: "two_secrets", form: credentials, change: basic("demo", "x"), status: 400, code: "invalid_request"},
		{name: "two_authorizations", form: credentials, change: header("Authorization", "Basic ZGVtbzp4", "Basic ZGVtbzp5"), status: 400, code: "invalid_request"},
		{name: "basic_malformed", form: credentials, change: header("Authorization", "Basic %%%"), status: 400, code: "invalid_request"},
		{name: "basic_bad_escape", form: credentials, change: basic("demo", "100%"), status: 400, code: "invalid_request"},
		{name: "scope_unknown", form: credentials + "&scope=profile+everything", status: 400, code: "invalid_scope"},
		{name: "user_too_long", form: credentials, change: header("Service-User-Id", strings.Repeat("x", 65)), status: 400, code: "invalid_request"},
		{name: "user_not_utf8", form: credentials, change: header("Service-User-Id", "\xff"), status: 400, code: "invalid_request"},
		{name: "user_twice", form: credentials, change: header("Service-User-Id", "a", "b"), status: 400, code: "invalid_request"},
		{name: "user_control", form: credentials, change: header("Service-User-Id", "a\tb"), status: 400, code: "invalid_request"},
		{name: "user_too_long_refreshing", form: refreshForm("demo", refresh), change: header("Service-User-Id", strings.Repeat("x", 65)), status: 400, code: "invalid_request"},
		{name: "refresh_unknown", form: refreshForm("demo", "x"), status: 400, code: "invalid_grant"},
		{name: "refresh_of_other_client", form: refreshForm("other", refresh), status: 400, code: "invalid_grant"},
		{name: "refresh_unknown_client", form: refreshForm("nobody", refresh), status: 401, code: "invalid_client"},
		{name: "refresh_disabled_client", form: refreshForm("disabled", refresh), status: 401, code: "invalid_client"},
		{name: "refresh_secret_required", form: refreshForm("strict", strict), status: 401, code: "invalid_client"},
		{name: "refresh_wrong_basic", form: refreshForm("demo", refresh), change: basic("demo", "x"), status: 401, code: "invalid_client"},
		{name: "refresh_wrong_secret", form: refreshForm("demo", refresh) + "&client_secret=x", status: 401, code: "invalid_client"},
		{name: "refresh_scope_unknown", form: refreshForm("demo", refresh) + "&scope=everything", status: 400, code: "invalid_scope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*http.Request) {}
			}
			w := f.post(test.form, change)
			if w.Code != test.status || !strings.HasPrefix(w.Body.String(), `{"error":"`+test.code+`"`) {
				t.Errorf("%d %s, not %d %s", w.Code, w.Body, test.status, test.code)
			}
			goldenAnswer(t, "token/refused_"+test.name, w)
		})
	}
	// The refused requests have not spent the refresh tokens.
	f.grant(t, refreshForm("demo", refresh))
	f.grant(t, refreshForm("strict", strict)+"&client_secret="+secret)
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }
func (brokenBody) Close() error             { return nil }

func TestTokenStoreAway(t *testing.T) {
	f := start(t)
	refresh := f.login(t, "demo").Refresh
	code := f.code(t, nil)
	f.accounts.fail(fault.Errorf(fault.Unavailable, "the store is restarting"))
	for name, form := range map[string]string{
		"client_credentials": credentials, "refresh_token": refreshForm("demo", refresh),
		"unknown_client":     "grant_type=client_credentials&client_id=nobody&client_secret=x",
		"authorization_code": codeForm("demo", code),
	} {
		t.Run(name, func(t *testing.T) { goldenAnswer(t, "token/away_"+name, f.post(form)) })
	}
	f.accounts.fail(errors.New("disk I/O error at block 7"))
	goldenAnswer(t, "token/away_silent", f.post(credentials))
	f.accounts.fail(nil)
	f.grant(t, refreshForm("demo", refresh))
	f.grant(t, codeForm("demo", code))
}

// TestSecretsOverlap checks that a secret that is being replaced counts until its end, beside the new secret.
func TestSecretsOverlap(t *testing.T) {
	f := start(t)
	client := authtest.Client("rotating", "school", "old", "new")
	end := f.clock.Now().Add(time.Hour)
	client.Secrets[0].ExpiresAt = &end
	f.accounts.put(t, client)
	status := func(secret string) int {
		return f.post("grant_type=client_credentials&client_id=rotating&client_secret=" + secret).Code
	}
	if old, fresh := status("old"), status("new"); old != http.StatusOK || fresh != http.StatusOK {
		t.Errorf("the old secret answers %d, the new one %d", old, fresh)
	}
	f.clock.move(time.Hour)
	if old, fresh := status("old"), status("new"); old != http.StatusUnauthorized || fresh != http.StatusOK {
		t.Errorf("after its end the old secret answers %d, the new one %d", old, fresh)
	}
}

// TestNotBefore checks that NotBefore ends access tokens, refresh tokens and codes that were issued before it, and that
// later ones count, even within the same second.
func TestNotBefore(t *testing.T) {
	f := start(t)
	old, oldUser, oldCode := f.login(t, "demo"), f.personalise(t, "demo", "u"), f.code(t, nil)
	f.clock.move(time.Millisecond)
	instant := f.clock.Now()
	f.accounts.put(t, &account.Policy{NotBefore: instant})
	within(t, "old tokens are refused", func() bool { return !f.accepts(t, old.Access) && !f.accepts(t, oldUser.Access) })
	for _, token := range []tokens{old, oldUser} {
		if w := f.post(refreshForm("demo", token.Refresh)); w.Code != http.StatusBadRequest {
			t.Errorf("an old refresh token answers %d %s", w.Code, w.Body)
		}
	}
	if w := f.post(codeForm("demo", oldCode)); w.Code != http.StatusBadRequest {
		t.Errorf("an old code answers %d %s", w.Code, w.Body)
	}
	f.grant(t, codeForm("demo", f.code(t, nil)))
	fresh := f.login(t, "demo")
	if fresh.NotBefore != instant.Unix() || !f.accepts(t, fresh.Access) {
		t.Errorf("not-before-policy is %d, the new token counts: %v", fresh.NotBefore, f.accepts(t, fresh.Access))
	}
	if again := f.grant(t, refreshForm("demo", fresh.Refresh)); !f.accepts(t, again.Access) {
		t.Error("a new token is refused after refreshing")
	}
}

// TestNotBeforeJustNow checks that the token endpoint grants nothing for a token or code that NotBefore has just ended,
// even before this process has reloaded the accounts.
func TestNotBeforeJustNow(t *testing.T) {
	f := start(t)
	token, code := f.login(t, "demo").Refresh, f.code(t, nil)
	f.clock.move(time.Millisecond)
	f.accounts.put(t, &account.Policy{NotBefore: f.clock.Now()})
	for _, form := range []string{refreshForm("demo", token), codeForm("demo", code)} {
		if w := f.post(form); w.Code != http.StatusBadRequest {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		f.clock.move(time.Millisecond)
		f.accounts.put(t, &account.Policy{NotBefore: f.clock.Now()})
	}
}

func TestScope(t *testing.T) {
	f := start(t)
	for _, test := range []struct{ asked, granted, refreshed, narrowed string }{
		{"", "profile email", "", "profile email"},
		{"email", "email", "", "email"},
		{"email++profile", "profile email", "email", "email"},
		{"openid+profile", "profile", "openid+email", ""},
		{"openid", "", "", ""},
	} {
		first := f.grant(t, credentials+"&scope="+test.asked)
		second := f.grant(t, refreshForm("demo", first.Refresh)+"&scope="+test.refreshed)
		if first.Scope != test.granted || second.Scope != test.narrowed {
			t.Errorf("scope %q: granted %q, refreshed with %q: %q", test.asked, first.Scope, test.refreshed, second.Scope)
		}
		// A narrower scope on one refresh does not narrow the scope of the new refresh token (RFC 6749 section 6).
		if third := f.grant(t, refreshForm("demo", second.Refresh)); third.Scope != test.granted {
			t.Errorf("scope %q: %q after two refreshes", test.asked, third.Scope)
		}
	}
}

// TestClientUnknownYet checks that a client that was added, or given a secret, a moment ago can log in at once.
func TestClientUnknownYet(t *testing.T) {
	f := start(t)
	f.accounts.put(t, authtest.Client("fresh", "school", secret))
	f.login(t, "fresh")
	f.accounts.put(t, authtest.Client("fresh", "school", "new"))
	f.grant(t, "grant_type=client_credentials&client_id=fresh&client_secret=new")
	within(t, "the old secret is refused", func() bool {
		return f.post("grant_type=client_credentials&client_id=fresh&client_secret="+secret).Code == http.StatusUnauthorized
	})
}
