package signin_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// TestWrongCredentials checks that a failed sign-in does not reveal whether the user exists.
func TestWrongCredentials(t *testing.T) {
	w := newWorld(t)
	disabled := person("000000000000000000000003", "demo", "disabled", "")
	disabled.PasswordHash = hashed()
	disabled.Disabled = true
	w.put(disabled, person("000000000000000000000004", "demo", "passwordless", ""))
	var bodies []string
	for _, given := range [][2]string{
		{"teacher", "wrong"}, {"nobody", secret}, {"disabled", secret}, {"disabled", "wrong"}, {"passwordless", "wrong"}, {"passwordless", secret},
		{strings.Repeat("x", 5000), secret}, {"te\x00acher", secret}, {"teacher", strings.Repeat("x", 5000)},
	} {
		b := w.browser()
		answer := b.post("/v1/authorize/login", b.get(authorize()).form(t, "username", given[0], "password", given[1]))
		wantFault(t, answer, http.StatusForbidden)
		if answer.cookie("filmstrip-session-demo") != nil {
			t.Errorf("%s: a session", given[0])
		}
		for _, part := range []string{
			`<p class="error" id="error" role="alert">The username or the password is wrong.</p>`, `<title>Error: Sign in`,
			`aria-invalid="true" aria-describedby="error"`,
		} {
			if !strings.Contains(answer.body, part) {
				t.Errorf("%s: the page lacks %s", given[0], part)
			}
		}
		if strings.Contains(answer.body, `value="`+given[1]) {
			t.Errorf("%s: the page repeats the password", given[0])
		}
		without := hidden.ReplaceAllString(answer.body, "")
		username := answer.form(t).Get("x") + without
		bodies = append(bodies, strings.Replace(username, `value="`+given[0]+`"`, "", 1))
	}
	for _, body := range bodies[1:6] {
		if body != bodies[0] {
			t.Errorf("the pages differ:\n%s\n%s", bodies[0], body)
		}
	}
}

// TestTryAgainAfterAMistake checks that a user can submit the login page again after a mistake.
func TestTryAgainAfterAMistake(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	answer := b.get(authorize())
	for _, test := range []struct {
		fields  []string
		status  int
		message string
	}{
		{[]string{"username", "", "password", secret}, http.StatusBadRequest, "Enter your username."},
		{[]string{"username", "teacher", "password", ""}, http.StatusBadRequest, "Enter your password."},
		{[]string{"username", "teacher", "password", "wrong"}, http.StatusForbidden, "is wrong."},
		{[]string{"provider", "unknown"}, http.StatusBadRequest, "is no longer available."},
	} {
		answer = b.post("/v1/authorize/login", answer.form(t, test.fields...))
		wantFault(t, answer, test.status)
		if !strings.Contains(answer.body, test.message) {
			t.Errorf("%v: the page lacks %q", test.fields, test.message)
		}
	}
	w.code(b.post("/v1/authorize/login", answer.form(t, "username", " TEACHER ", "password", secret)), appURI)
}

// TestUntrustedTextIsEscaped checks that pages escape text that other people control.
func TestUntrustedTextIsEscaped(t *testing.T) {
	w := newWorld(t)
	shown := w.browser().get(authorize("login_hint", `"><script>alert(1)</script>`))
	if strings.Contains(shown.body, "<script") || !strings.Contains(shown.body, "your Customer demo account to continue to Program &lt;web&gt;.") {
		t.Error(shown.body)
	}
}

// TestForgedForms checks that a form counts only in the browser that it was made for, until it expires, and when this
// site sends it.
func TestForgedForms(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	form := b.get(authorize()).form(t, "username", "teacher", "password", secret)
	attacker := w.browser()
	planted := attacker.get(authorize("state", "attacker's")).form(t, "username", "teacher", "password", secret)

	with := func(name, value string) url.Values {
		changed := url.Values{}
		for field := range form {
			changed.Set(field, form.Get(field))
		}
		changed.Set(name, value)
		return changed
	}
	sealed, err := base64.RawURLEncoding.DecodeString(form.Get("request"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		form   url.Values
		header []string
		status int
	}{
		"of another browser":        {planted, nil, http.StatusBadRequest},
		"no request":                {with("request", ""), nil, http.StatusBadRequest},
		"garbage":                   {with("request", "AAAA"), nil, http.StatusBadRequest},
		"no base64":                 {with("request", "%%%"), nil, http.StatusBadRequest},
		"changed":                   {with("request", flipped(sealed, len(sealed)/2)), nil, http.StatusBadRequest},
		"another nonce":             {with("request", flipped(sealed, 0)), nil, http.StatusBadRequest},
		"another spelling":          {with("request", form.Get("request")+"="), nil, http.StatusBadRequest},
		"from another site":         {form, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"from a neighboring site":   {form, []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"of another origin":         {form, []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		"of an origin without name": {form, []string{"Origin", "null"}, http.StatusForbidden},
		"with two passwords":        {url.Values{"request": form["request"], "username": {"teacher"}, "password": {secret, "x"}}, nil, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			answer := b.post("/v1/authorize/login", test.form, test.header...)
			wantFault(t, answer, test.status)
			if answer.cookie("filmstrip-session-demo") != nil {
				t.Error("a session")
			}
		})
	}
	wantFault(t, w.browser().post("/v1/authorize/login", form), http.StatusBadRequest) // a browser without cookies
	wantFault(t, b.get("/v1/authorize/login?"+form.Encode()), http.StatusMethodNotAllowed)
	w.code(b.post("/v1/authorize/login", form, "Origin", w.URL, "Sec-Fetch-Site", "same-origin"), appURI)

	// A used form does not count again in this browser; the page shows how to start again.
	replayed := b.post("/v1/authorize/login", form)
	wantFault(t, replayed, http.StatusBadRequest)
	if !strings.Contains(replayed.body, `<a href="/v1/authorize?client_id=web`) {
		t.Error(replayed.body)
	}
}

// flipped returns a sealed text, encoded in base64url, with one bit changed.
func flipped(sealed []byte, at int) string {
	changed := slices.Clone(sealed)
	changed[at] ^= 1
	return base64.RawURLEncoding.EncodeToString(changed)
}

func TestFormExpires(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	form := b.get(authorize()).form(t, "username", "teacher", "password", secret)
	w.pass(30 * time.Minute)
	answer := b.post("/v1/authorize/login", form)
	wantFault(t, answer, http.StatusBadRequest)
	if !strings.Contains(answer.body, "expired") || !strings.Contains(answer.body, "Try again") {
		t.Error(answer.body)
	}
}

// TestChangesWhileThePageIsOpen checks that everything that permitted a sign-in when the page was shown must still
// permit it when the form is sent.
func TestChangesWhileThePageIsOpen(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	form := b.get(authorize()).form(t, "username", "teacher", "password", secret)
	changed := program("web", "demo")
	changed.RedirectURIs = []string{plainURI}
	w.put(changed)
	wantFault(t, b.post("/v1/authorize/login", form), http.StatusBadRequest)
	w.put(program("web", "demo"))
	expired := customer("demo")
	expired.AccessExpiresOn = w.dayBefore()
	w.put(expired)
	wantError(t, b.post("/v1/authorize/login", form), appURI, "access_denied")
	expired.AccessExpiresOn, expired.Status = nil, account.Suspended
	w.put(expired)
	wantFault(t, b.post("/v1/authorize/login", form), http.StatusBadRequest)
	w.put(customer("demo"))
	w.code(b.post("/v1/authorize/login", form), appURI)
}

func TestLimit(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	shown := b.get(authorize())
	w.limited = true
	form := shown.form(t, "username", "Teacher", "password", secret)
	answer := b.post("/v1/authorize/login", form)
	wantFault(t, answer, http.StatusTooManyRequests)
	if answer.Header.Get("Retry-After") != "30" || !strings.HasPrefix(answer.body, "<!DOCTYPE html>") || strings.Contains(answer.body, "slow down") {
		t.Errorf("got %v\n%s", answer.Header, answer.body)
	}
	plain := b.post("/v1/authorize/login", form, "Accept", "application/json")
	if plain.StatusCode != http.StatusTooManyRequests || !strings.Contains(plain.body, `{"message":"slow down"}`) {
		t.Errorf("got %d %s", plain.StatusCode, plain.body)
	}
	w.limited = false
	w.code(b.post("/v1/authorize/login", form), appURI)
	if want := []string{"demo Teacher", "demo Teacher", "demo Teacher"}; !slices.Equal(w.asked, want) {
		t.Errorf("the limit was asked for %q", w.asked)
	}
}

// TestLog checks that the log contains no secrets.
func TestLog(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	answer := b.signIn()
	code := answer.answered(t, appURI).Get("code")
	w.browser().post("/v1/authorize/login", url.Values{"request": {"x"}, "username": {"teacher"}, "password": {secret}})
	fresh := w.browser()
	fresh.post("/v1/authorize/login", fresh.get(authorize()).form(t, "username", secret, "password", "another secret"))
	log := w.log.String()
	if !strings.Contains(log, "signed in") || !strings.Contains(log, "wrong_password") {
		t.Errorf("the log lacks what happened:\n%s", log)
	}
	for _, hidden := range []string{secret, "another secret", code, answer.cookie("filmstrip-session-demo").Value} {
		if strings.Contains(log, hidden) {
			t.Errorf("the log holds %q:\n%s", hidden, log)
		}
	}
}
