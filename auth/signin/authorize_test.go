package signin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

func TestSignInWithAPassword(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	answer := b.signIn()
	if answer.StatusCode != http.StatusSeeOther {
		t.Errorf("a form is answered with %d", answer.StatusCode)
	}
	if state := answer.answered(t, appURI).Get("state"); state != "st&te=1" {
		t.Errorf("state is %q", state)
	}
	code := w.code(answer, appURI)
	if code.ClientID != "web" || code.RedirectURI != appURI || code.User != teacherID || code.Scope != "openid email" ||
		code.Nonce != "n-1" || code.Challenge != challenge || code.Family == "" || code.Session == "" ||
		!code.AuthTime.Equal(w.clock()) || !code.Expires.Equal(w.clock().Add(time.Minute)) {
		t.Errorf("got %+v", code)
	}

	// The session answers the request of another client of the same account with a code for that client.
	w.put(program("second", "demo"))
	w.pass(time.Hour)
	again := b.get(authorize("client_id", "second", "redirect_uri", plainURI, "nonce", "", "scope", "", "code_challenge", "", "code_challenge_method", ""))
	if again.StatusCode != http.StatusFound {
		t.Errorf("got %d", again.StatusCode)
	}
	second := w.code(again, plainURI)
	if second.ClientID != "second" || second.Session != code.Session || second.Family == code.Family || !second.AuthTime.Equal(code.AuthTime) ||
		second.Scope != "profile email" || second.Nonce != "" || second.Challenge != "" {
		t.Errorf("got %+v", second)
	}
	w.pass(12 * time.Hour)
	if shown := b.get(authorize()); shown.StatusCode != http.StatusOK {
		t.Errorf("a session that is over is answered with %d", shown.StatusCode)
	}
}

// TestRedirectAddresses checks that redirect URIs with a scheme of the application's own, and redirect URIs without a
// query, get answers too.
func TestRedirectAddresses(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	w.code(b.signIn("redirect_uri", "com.example.app:/cb"), "com.example.app:/cb")
	answer := b.get(authorize("redirect_uri", plainURI, "state", ""))
	if values := answer.answered(t, plainURI); values.Has("state") {
		t.Errorf("got %v", values)
	}
}

func TestUnregisteredRequestsNeverRedirect(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	disabled := program("disabled", "demo")
	disabled.Disabled = true
	suspended := customer("suspended")
	suspended.Status = account.Suspended
	w.put(disabled, suspended, program("of-suspended", "suspended"))
	for name, address := range map[string]string{
		"nothing":               "/v1/authorize",
		"unknown client":        authorize("client_id", "nobody"),
		"no client":             authorize("client_id", ""),
		"disabled client":       authorize("client_id", "disabled"),
		"suspended account":     authorize("client_id", "of-suspended"),
		"no address":            authorize("redirect_uri", ""),
		"another host":          authorize("redirect_uri", "https://evil.example/callback?keep=%7e1&x"),
		"a longer address":      authorize("redirect_uri", appURI+"&y"),
		"another escape":        authorize("redirect_uri", strings.ToUpper(appURI)),
		"decoded":               authorize("redirect_uri", "https://app.example/callback?keep=~1&x"),
		"a fragment":            authorize("redirect_uri", plainURI+"#x"),
		"a user":                authorize("redirect_uri", "https://app.example@evil.example/plain"),
		"a script":              authorize("redirect_uri", "javascript:alert(1)"),
		"no scheme":             authorize("redirect_uri", "//app.example/plain"),
		"another's address":     authorize("redirect_uri", goodbyeURI),
		"two clients":           authorize() + "&client_id=web",
		"two addresses":         authorize() + "&redirect_uri=" + url.QueryEscape(plainURI),
		"two states":            authorize() + "&state=2",
		"two of an unknown":     authorize() + "&x=1&x=2",
		"bad escapes":           authorize() + "&x=%zz",
		"semicolons":            authorize() + "&x=1;y=2",
		"no text":               authorize("state", "\xff"),
		"error on both grounds": authorize("client_id", "nobody", "response_type", "token"),
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, b.get(address), http.StatusBadRequest) })
	}
}

func TestErrorsSentToTheClient(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	strict := program("strict", "demo")
	strict.RequirePKCE = true
	expired := customer("expired")
	expired.AccessExpiresOn = w.dayBefore()
	w.put(strict, expired, program("of-expired", "expired"))
	b.signIn() // a session does not change these answers
	for name, test := range map[string]struct {
		address, code string
	}{
		"no response type":       {authorize("response_type", ""), "invalid_request"},
		"implicit":               {authorize("response_type", "token"), "unsupported_response_type"},
		"hybrid":                 {authorize("response_type", "code id_token"), "unsupported_response_type"},
		"fragment":               {authorize("response_mode", "fragment"), "invalid_request"},
		"plain challenge":        {authorize("code_challenge_method", "plain"), "invalid_request"},
		"challenge, no method":   {authorize("code_challenge_method", ""), "invalid_request"},
		"method, no challenge":   {authorize("code_challenge", ""), "invalid_request"},
		"a short challenge":      {authorize("code_challenge", "abc"), "invalid_request"},
		"no challenge, required": {authorize("client_id", "strict", "code_challenge", "", "code_challenge_method", ""), "invalid_request"},
		"none and login":         {authorize("prompt", "none login"), "invalid_request"},
		"unknown prompt":         {authorize("prompt", "create"), "invalid_request"},
		"max_age of letters":     {authorize("max_age", "x"), "invalid_request"},
		"negative max_age":       {authorize("max_age", "-1"), "invalid_request"},
		"a request object":       {authorize("request", "x"), "request_not_supported"},
		"a request's address":    {authorize("request_uri", "https://app.example/r"), "request_uri_not_supported"},
		"a registration":         {authorize("registration", "{}"), "registration_not_supported"},
		"a long nonce":           {authorize("nonce", strings.Repeat("x", 301)), "invalid_request"},
		"expired account":        {authorize("client_id", "of-expired"), "access_denied"},
		"expired, none":          {authorize("client_id", "of-expired", "prompt", "none"), "access_denied"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := b.get(test.address)
			wantError(t, answer, appURI, test.code)
			if state := answer.answered(t, appURI).Get("state"); state != "st&te=1" {
				t.Errorf("state is %q", state)
			}
		})
	}
	wantError(t, b.get(authorize("state", strings.Repeat("x", 1501))), appURI, "invalid_request")
	wantError(t, w.browser().get(authorize("prompt", "none")), appURI, "login_required")
}

// TestIgnoredParameters checks that the endpoint ignores unknown values and optional hints.
func TestIgnoredParameters(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	first := w.code(b.signIn("scope", "openid groups offline_access", "ui_locales", "de", "display", "page"), appURI)
	if first.Scope != "openid" {
		t.Errorf("scope is %q", first.Scope)
	}
	for _, changes := range [][]string{
		{"prompt", "consent"}, {"prompt", "none"}, {"idp_hint", "unknown"}, {"kc_idp_hint", "../x"}, {"login_hint", "somebody@unknown.example"},
		{"max_age", "99999999999999"}, {"id_token_hint", "x.y.z"}, {"code_challenge", "", "code_challenge_method", ""}, {"acr_values", "1"},
	} {
		w.code(b.get(authorize(changes...)), appURI)
	}
	if state := b.get(authorize() + "&state=").StatusCode; state != http.StatusBadRequest {
		t.Errorf("an empty repetition is answered with %d", state)
	}
}

func TestPromptAndMaxAge(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	first := w.code(b.signIn(), appURI)
	w.pass(10 * time.Minute)
	w.code(b.get(authorize("max_age", "600")), appURI)
	for _, changes := range [][]string{{"max_age", "599"}, {"max_age", "0"}, {"prompt", "login"}, {"prompt", "select_account"}} {
		if shown := b.get(authorize(changes...)); shown.StatusCode != http.StatusOK || !strings.Contains(shown.body, `name="password"`) {
			t.Errorf("%v: got %d", changes, shown.StatusCode)
		}
	}
	wantError(t, b.get(authorize("prompt", "none", "max_age", "599")), appURI, "login_required")
	again := w.code(b.signIn("prompt", "login"), appURI)
	if !again.AuthTime.Equal(w.clock()) || again.Session != first.Session {
		t.Errorf("got %+v after %+v", again, first)
	}
	w.code(b.get(authorize("max_age", "599")), appURI)
}

// TestIDTokenHint checks that a request with an ID token hint for one user signs in no other user.
func TestIDTokenHint(t *testing.T) {
	w := newWorld(t)
	w.hints["of-teacher"], w.hints["of-another"] = [3]string{"web", teacherID, ""}, [3]string{"web", pupilID, ""}
	b := w.browser()
	b.signIn()
	w.code(b.get(authorize("id_token_hint", "of-teacher", "prompt", "none")), appURI)
	wantError(t, b.get(authorize("id_token_hint", "of-another", "prompt", "none")), appURI, "login_required")
	wantError(t, b.signIn("id_token_hint", "of-another"), appURI, "login_required")
}

func TestPost(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	shown := b.post("/v1/authorize", request())
	answer := b.post("/v1/authorize/login", shown.form(t, "username", "teacher", "password", secret))
	w.code(answer, appURI)
	direct := b.post("/v1/authorize", request())
	if direct.StatusCode != http.StatusSeeOther {
		t.Errorf("got %d", direct.StatusCode)
	}
	w.code(direct, appURI)

	// A browser sends no cookies with another site's form. After the redirect to GET it sends them.
	foreign := w.browser().post("/v1/authorize", request(), "Sec-Fetch-Site", "cross-site", "Origin", "https://app.example")
	if foreign.StatusCode != http.StatusSeeOther || !strings.HasPrefix(foreign.Header.Get("Location"), "/v1/authorize?") {
		t.Fatalf("got %d to %q", foreign.StatusCode, foreign.Header.Get("Location"))
	}
	w.code(b.get(foreign.Header.Get("Location")), appURI)

	wantFault(t, b.do(http.MethodPost, "/v1/authorize?"+request().Encode(), nil, "Content-Type", "application/json"), http.StatusUnsupportedMediaType)
	wantFault(t, b.post("/v1/authorize", url.Values{"x": {strings.Repeat("x", 64<<10)}}), http.StatusRequestEntityTooLarge)
	refused := b.do(http.MethodPut, authorize(), nil)
	if wantFault(t, refused, http.StatusMethodNotAllowed); refused.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("allowed are %q", refused.Header.Get("Allow"))
	}
}

// TestErrorsByPreference checks that a client that prefers HTML gets a page, and every other client gets the error
// body.
func TestErrorsByPreference(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for accept, wantPage := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"text/html": true, "TEXT/*": true, "*/*": false, "": false, "application/json": false,
		"application/json, text/html;q=0.5": false, "text/html;q=0.9, application/json;q=0.8": true, "text/html;q=0, */*": false,
	} {
		answer := b.get(authorize("client_id", "nobody"), "Accept", accept)
		wantFault(t, answer, http.StatusBadRequest)
		if isPage := answer.Header.Get("Content-Type") == "text/html; charset=utf-8"; isPage != wantPage {
			t.Errorf("%q: got %s", accept, answer.Header.Get("Content-Type"))
			continue
		}
		if !wantPage {
			var body struct {
				Error, Message, Path string
				Status               int
			}
			if err := json.Unmarshal([]byte(answer.body), &body); err != nil || body.Error != "invalid_request" || body.Status != 400 || body.Message == "" || body.Path != "/v1/authorize" {
				t.Errorf("%q: %v in %s", accept, err, answer.body)
			}
		}
	}
}

// TestCookies checks that cookies on any host but this machine are Secure, and that the prefix of their name binds them
// to the host.
func TestCookies(t *testing.T) {
	for _, test := range []struct {
		name, prefix string
		start        func(http.Handler) *httptest.Server
	}{{"loopback", "", httptest.NewServer}, {"https", "__Host-", httptest.NewTLSServer}} {
		t.Run(test.name, func(t *testing.T) {
			w := startWorld(t, test.start)
			answer := w.browser().signIn()
			cookie := answer.cookie(test.prefix + "filmstrip-session-demo")
			if cookie == nil {
				t.Fatalf("got %v", answer.Cookies())
			}
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure != (test.prefix != "") || cookie.Path != "/" ||
				cookie.Domain != "" || cookie.MaxAge != 12*60*60 || len(cookie.Value) != 43 {
				t.Errorf("got %s", cookie.Raw)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for _, address := range []string{authorize(), authorize("client_id", "nobody"), authorize("prompt", "none"), "/v1/logout"} {
		header := b.get(address).Header
		policy := header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action '"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", address, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "same-origin" ||
			header.Get("X-Content-Type-Options") != "nosniff" || header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: got %v", address, header)
		}
	}
	style := b.get("/v1/authorize/style.css")
	if style.StatusCode != http.StatusOK || style.Header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(style.body, "body {") {
		t.Errorf("got %d %v", style.StatusCode, style.Header)
	}
}

func TestStoreAway(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	shown := b.get(authorize())
	b.signIn()
	if err := w.accounts.Close(); err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]page{
		"with a session": b.get(authorize()),
		"a login":        b.post("/v1/authorize/login", shown.form(t, "username", "teacher", "password", secret)),
	} {
		if answer.StatusCode < 400 || answer.Header.Get("Location") != "" {
			t.Errorf("%s: got %d to %s", name, answer.StatusCode, answer.Header.Get("Location"))
		}
		if strings.Contains(answer.body, "sql") {
			t.Errorf("%s: the page mentions the store: %s", name, answer.body)
		}
	}
}
