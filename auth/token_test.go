package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

func basic(id, secret string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(id, secret) }
}

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

const credentials = "grant_type=client_credentials&client_id=demo&client_secret=demo-secret"

// Every answer that grants, byte by byte, and what stands in its token.
func TestTokenAnswers(t *testing.T) {
	f := start(t)
	w := f.post(credentials)
	goldenAnswer(t, "token/client_credentials", w)
	refresh := regexp.MustCompile(`"refresh_token":"([^"]+)"`).FindStringSubmatch(w.Body.String())[1]
	goldenAnswer(t, "token/refresh_token", f.post(refreshForm("demo", refresh)))

	parts := strings.Split(f.login(t, "demo").Access, ".")
	for i, name := range []string{"token/jwt_header", "token/jwt_claims"} {
		decoded, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, "", decoded)
	}
}

// All the ways in which a client may say who it is.
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
		"basic is form-encoded":       {form: noClient, change: basic(url.QueryEscape("a:b c"), url.QueryEscape("p%+ä"))},
		"form is form-encoded":        {form: noClient + "&client_id=a%3Ab+c&client_secret=p%25%2B%C3%A4"},
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

// Every refusal, byte by byte.
func TestTokenRefusals(t *testing.T) {
	f := start(t)
	refresh := f.login(t, "demo").Refresh
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
		{name: "no_secret_public", form: "grant_type=client_credentials&client_id=public", status: 400, code: "invalid_request"},
		{name: "unsupported", form: "grant_type=password&username=x", status: 400, code: "unsupported_grant_type"},
		{name: "unsupported_strange", form: "grant_type=" + url.QueryEscape(`"\`+"\n"+strings.Repeat("ü", 99)), status: 400, code: "unsupported_grant_type"},
		{name: "unknown_client", form: "grant_type=client_credentials&client_id=nobody&client_secret=demo-secret", status: 401, code: "invalid_client"},
		{name: "wrong_secret", form: "grant_type=client_credentials&client_id=demo&client_secret=x", status: 401, code: "invalid_client"},
		{name: "disabled_client", form: "grant_type=client_credentials&client_id=disabled&client_secret=demo-secret", status: 401, code: "invalid_client"},
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
		{name: "refresh_unknown", form: refreshForm("demo", "x"), status: 400, code: "invalid_grant"},
		{name: "refresh_of_other_client", form: refreshForm("other", refresh), status: 400, code: "invalid_grant"},
		{name: "refresh_unknown_client", form: refreshForm("nobody", refresh), status: 401, code: "invalid_client"},
		{name: "refresh_disabled_client", form: refreshForm("disabled", refresh), status: 401, code: "invalid_client"},
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
	// None of these requests has spent the refresh token.
	f.grant(t, refreshForm("demo", refresh))
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }
func (brokenBody) Close() error             { return nil }

func TestTokenStoreAway(t *testing.T) {
	f := start(t)
	refresh := f.login(t, "demo").Refresh
	f.accounts.fail(catalogue.Errorf(catalogue.Unavailable, "the store is restarting"))
	for name, form := range map[string]string{
		"client_credentials": credentials, "refresh_token": refreshForm("demo", refresh),
		"unknown_client": "grant_type=client_credentials&client_id=nobody&client_secret=x",
	} {
		t.Run(name, func(t *testing.T) { goldenAnswer(t, "token/away_"+name, f.post(form)) })
	}
	f.accounts.fail(errors.New("disk I/O error at block 7"))
	goldenAnswer(t, "token/away_silent", f.post(credentials))
	f.accounts.fail(nil)
	f.grant(t, refreshForm("demo", refresh))
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
		// Narrowing one answer does not narrow what the new refresh token stands for (RFC 6749 section 6).
		if third := f.grant(t, refreshForm("demo", second.Refresh)); third.Scope != test.granted {
			t.Errorf("scope %q: %q after two refreshes", test.asked, third.Scope)
		}
	}
}

// A refresh token is good for one use; a second use revokes what came of the first.
func TestRefreshRotation(t *testing.T) {
	f := start(t)
	first, bystander := f.login(t, "demo"), f.login(t, "demo")
	second := f.grant(t, refreshForm("demo", first.Refresh))
	third := f.grant(t, refreshForm("demo", second.Refresh)+"&client_secret=demo-secret")
	for _, token := range []string{first.Access, second.Access, third.Access} {
		if _, err := f.authenticate(token); err != nil {
			t.Error(err)
		}
	}
	goldenAnswer(t, "token/refused_refresh_reused", f.post(refreshForm("demo", first.Refresh)))
	if w := f.post(refreshForm("demo", third.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("the family of a reused token answers %d %s", w.Code, w.Body)
	}
	f.grant(t, refreshForm("demo", bystander.Refresh))
	if !strings.Contains(f.log.String(), "refresh token used twice") {
		t.Error("the log does not tell of the reuse")
	}
}

func TestRefreshExpires(t *testing.T) {
	f := start(t)
	first := f.login(t, "demo")
	f.clock.move(time.Duration(first.RefreshExpiresIn)*time.Second - 1)
	second := f.grant(t, refreshForm("demo", first.Refresh))
	f.clock.move(time.Duration(second.RefreshExpiresIn) * time.Second)
	if w := f.post(refreshForm("demo", second.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("an expired refresh token answers %d", w.Code)
	}
}

// A start forgets what has expired: not even a clock that is set back revives it.
func TestExpiredRefreshTokensAreForgotten(t *testing.T) {
	f := start(t)
	expired := f.login(t, "demo")
	<-f.accounts.swept
	f.clock.move(24 * time.Hour)
	live := f.login(t, "demo")
	f.clock.move(-24 * time.Hour)
	startAt(t, f.accounts, f.clock.Now().Add(24*time.Hour+1e6))
	<-f.accounts.swept
	if w := f.post(refreshForm("demo", expired.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("an expired refresh token answers %d", w.Code)
	}
	f.grant(t, refreshForm("demo", live.Refresh))
}

// Of requests that race with one refresh token one wins, and then the family is revoked: a race cannot
// be told from a theft.
func TestRefreshRace(t *testing.T) {
	f := start(t)
	for range 20 {
		login := f.login(t, "demo")
		var answers [4]*httptest.ResponseRecorder
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = f.post(refreshForm("demo", login.Refresh)) })
		}
		all.Wait()
		won := 0
		var winner tokens
		for _, w := range answers {
			if w.Code == http.StatusOK {
				won++
				if err := json.Unmarshal(w.Body.Bytes(), &winner); err != nil {
					t.Fatal(err)
				}
			} else if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"invalid_grant"`) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		if w := f.post(refreshForm("demo", winner.Refresh)); won != 1 || w.Code != http.StatusBadRequest {
			t.Fatalf("%d of %d won; a winner's refresh token answers %d", won, len(answers), w.Code)
		}
	}
}

// A client that was added, or given a secret, a moment ago can log in at once.
func TestClientUnknownYet(t *testing.T) {
	f := start(t)
	fresh := *clients()[0]
	fresh.ID = "fresh"
	f.accounts.put(t, &fresh)
	f.login(t, "fresh")
	changed := fresh
	changed.SecretHashes = [][32]byte{hashOf("new")}
	f.accounts.put(t, &changed)
	f.grant(t, "grant_type=client_credentials&client_id=fresh&client_secret=new")
	within(t, "the old secret is refused", func() bool {
		return f.post("grant_type=client_credentials&client_id=fresh&client_secret="+secret).Code == http.StatusUnauthorized
	})
}

// The log of good and bad requests holds no secret and no token.
func TestLogHoldsNoSecrets(t *testing.T) {
	f := start(t)
	login := f.login(t, "demo")
	again := f.grant(t, refreshForm("demo", login.Refresh))
	f.post(refreshForm("demo", login.Refresh))
	const mistyped = "mistyped-secret"
	for _, form := range []string{
		"grant_type=client_credentials&client_id=demo&client_secret=" + mistyped,
		"grant_type=client_credentials&client_secret=demo&client_id=" + mistyped,
		"grant_type=" + mistyped, credentials + "&scope=" + mistyped, credentials + "&" + mistyped + "&" + mistyped,
	} {
		f.post(form)
	}
	f.post(credentials, basic("demo", mistyped))
	f.post(credentials, basic(mistyped, secret))
	f.post(credentials, header("Service-User-Id", strings.Repeat(mistyped, 9)))
	_, _ = f.authenticate(login.Access + "x")
	f.accounts.fail(errors.New("away"))
	f.post(refreshForm("demo", again.Refresh))
	log := f.log.String()
	if !strings.Contains(log, "invalid_client") || !strings.Contains(log, "away") {
		t.Errorf("the log tells nothing: %s", log)
	}
	for _, secret := range []string{secret, mistyped, login.Access, login.Refresh, again.Access, again.Refresh} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
}

// FuzzTokenRequest holds that whatever is sent is answered with an error body of its status, and granted
// only to who knows a secret.
func FuzzTokenRequest(f *testing.F) {
	fix := start(f)
	f.Add(credentials, "application/x-www-form-urlencoded", "", "")
	f.Add("grant_type=client_credentials", "application/x-www-form-urlencoded; charset=x", "Basic ZGVtbzpkZW1v", "user")
	f.Add("grant_type=refresh_token&client_id=demo&refresh_token=x&scope=a+b", "", "Basic OjpA", "\x00")
	f.Add("%gh&;=&&=x", "a/b; c", "Bearer", "ä")
	f.Fuzz(func(t *testing.T, body, contentType, authorization, user string) {
		w := fix.post(body, header("Content-Type", contentType), header("Authorization", authorization), header("Service-User-Id", user))
		if w.Code == http.StatusOK {
			if !strings.Contains(body+authorization, "secret") && !strings.HasPrefix(strings.ToLower(authorization), "basic") {
				t.Errorf("granted to %q, %q", body, authorization)
			}
			return
		}
		var answer struct {
			Status           int
			Error            string
			Message          string
			ErrorDescription string `json:"error_description"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Status != w.Code || w.Code >= 500 {
			t.Fatalf("%d %s, %v", w.Code, w.Body, err)
		}
		if answer.ErrorDescription != answer.Message || strings.Trim(answer.ErrorDescription, describable) != "" {
			t.Errorf("error_description %q, message %q", answer.ErrorDescription, answer.Message)
		}
	})
}

// describable are the characters that RFC 6749 section 5.2 allows in error_description.
var describable = func() string {
	var b strings.Builder
	for char := rune(' '); char <= '~'; char++ {
		if char != '"' && char != '\\' {
			b.WriteRune(char)
		}
	}
	return b.String()
}()
