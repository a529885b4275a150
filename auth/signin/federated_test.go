package signin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestFederatedSignIn checks that the browser goes to an account's only provider without a question, and that the first
// sign-in creates the user, whom later sign-ins reuse.
func TestFederatedSignIn(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	b := w.browser()
	sent := s.sent(t, b.get(authorize("client_id", "fed-web")))
	if sent.Get("redirect_uri") != w.URL+"/v1/authorize/callback/fed/school" || sent.Get("code_challenge_method") != "S256" {
		t.Errorf("sent %v", sent)
	}
	answer := b.get(back(sent))
	code := w.code(answer, appURI)
	user := w.userOf(code.User)
	if user.AccountID != "fed" || user.Issuer != s.URL || user.Subject != "ann" || user.Email != "ann@school.example" || !user.EmailVerified || user.Name() != "Ann Lee" {
		t.Errorf("got %+v", user)
	}
	if code.Nonce != "n-1" || code.Challenge != challenge || code.RedirectURI != appURI {
		t.Errorf("got %+v", code)
	}
	w.code(b.get(authorize("client_id", "fed-web", "prompt", "none")), appURI)

	s.claims["email"], s.claims["family_name"] = "ann.new@school.example", "New"
	fresh := w.browser()
	again := w.code(fresh.get(back(s.sent(t, fresh.get(authorize("client_id", "fed-web"))))), appURI)
	if user := w.userOf(again.User); again.User != code.User || user.Email != "ann.new@school.example" || user.Name() != "Ann New" {
		t.Errorf("got %+v", user)
	}
	if again.Session == code.Session {
		t.Error("two browsers share a session")
	}

	// The same person at the same provider is a different user in another account.
	w.federated("fed2", false, s.as("school"))
	third := w.browser()
	if other := w.code(third.get(back(s.sent(t, third.get(authorize("client_id", "fed2-web"))))), appURI); other.User == code.User {
		t.Error("two accounts share a user")
	}
}

// TestHomeRealm checks that the service chooses the provider by the request and the account's settings.
func TestHomeRealm(t *testing.T) {
	w := newWorld(t)
	first, second := w.school(), w.school()
	w.federated("both", true, first.as("first", "first.example"), second.as("second", "second.example", "branch.example"))
	w.federated("one-and-password", true, first.as("first"))
	w.federated("two", false, first.as("first"), second.as("second", "second.example"))
	for name, test := range map[string]struct {
		changes []string
		to      *school // nil: the login page
	}{
		"hint":                        {[]string{"client_id", "both-web", "idp_hint", "second"}, second},
		"Keycloak's hint":             {[]string{"client_id", "both-web", "kc_idp_hint", "first"}, first},
		"a hint before a domain":      {[]string{"client_id", "both-web", "kc_idp_hint", "first", "login_hint", "ann@second.example"}, first},
		"domain":                      {[]string{"client_id", "both-web", "login_hint", "ann@Branch.Example"}, second},
		"another domain":              {[]string{"client_id", "both-web", "login_hint", "ann@third.example"}, nil},
		"below a domain":              {[]string{"client_id", "both-web", "login_hint", "ann@x.second.example"}, nil},
		"a domain alone":              {[]string{"client_id", "both-web", "login_hint", "@second.example"}, nil},
		"no hint":                     {[]string{"client_id", "both-web"}, nil},
		"a password is possible":      {[]string{"client_id", "one-and-password-web"}, nil},
		"two providers":               {[]string{"client_id", "two-web"}, nil},
		"a provider of other clients": {[]string{"idp_hint", "first"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer := w.browser().get(authorize(test.changes...))
			if test.to != nil {
				test.to.sent(t, answer)
			} else if answer.StatusCode != http.StatusOK || answer.form(t) == nil {
				t.Errorf("got %d to %q", answer.StatusCode, answer.Header.Get("Location"))
			}
		})
	}

	b := w.browser()
	shown := b.get(authorize("client_id", "both-web", "login_hint", "ann"))
	for _, part := range []string{`value="first" formnovalidate>School &lt;first&gt;</button>`, `value="ann"`, `Username or e-mail address`} {
		if !strings.Contains(shown.body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	pressed := b.post("/v1/authorize/login", shown.form(t, "provider", "second", "username", ""))
	if pressed.StatusCode != http.StatusSeeOther {
		t.Errorf("got %d", pressed.StatusCode)
	}
	w.code(b.get(back(second.sent(t, pressed))), appURI)

	typed := w.browser()
	sent := second.sent(t, typed.post("/v1/authorize/login", typed.get(authorize("client_id", "two-web")).form(t, "username", "ann@second.example")))
	if sent.Get("login_hint") != "ann@second.example" {
		t.Errorf("sent %v", sent)
	}
	refused := typed.post("/v1/authorize/login", typed.get(authorize("client_id", "two-web")).form(t, "username", "ann@third.example", "password", "x"))
	if wantFault(t, refused, http.StatusBadRequest); !strings.Contains(refused.body, "No identity provider is known for this address.") || strings.Contains(refused.body, `type="password"`) {
		t.Error(refused.body)
	}
}

// TestPasswordOfAProvidersDomain checks that a user with a password signs in with it although the user name has the domain
// of a provider, and that any other password or none leads to the provider, whether or not the user exists.
func TestPasswordOfAProvidersDomain(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("both", true, s.as("school", "school.example"))
	w.federated("two", false, s.as("first", "school.example"), s.as("second"))
	w.put(
		person("00000000000000000000000c", "both", "ada@school.example", hashed()),
		person("00000000000000000000000d", "two", "ada@school.example", hashed()),
	)
	b := w.browser()
	enter := func(client, username, password string) page {
		return b.post("/v1/authorize/login", b.get(authorize("client_id", client, "prompt", "login")).form(t, "username", username, "password", password))
	}
	if code := w.code(enter("both-web", "ada@school.example", secret), appURI); code.User != "00000000000000000000000c" {
		t.Errorf("signed in %s", code.User)
	}
	w.asked = nil
	for _, username := range []string{"ada@school.example", "eve@school.example"} {
		if sent := s.sent(t, enter("both-web", username, "wrong")); sent.Get("login_hint") != username {
			t.Errorf("sent %v", sent)
		}
	}
	if want := []string{"both ada@school.example", "both eve@school.example"}; !slices.Equal(w.asked, want) {
		t.Errorf("the limit was asked for %q", w.asked)
	}
	w.limited = true
	s.sent(t, enter("both-web", "ada@school.example", ""))
	s.sent(t, enter("two-web", "ada@school.example", secret))
	wantFault(t, enter("both-web", "ada@school.example", secret), http.StatusTooManyRequests)
}

// TestNoPasswordWithOnlyProviders checks that a user cannot sign in with a password if the account does not allow
// passwords.
func TestNoPasswordWithOnlyProviders(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("two", false, s.as("first"), s.as("second"))
	w.put(person("00000000000000000000000a", "two", "teacher", hashed()))
	b := w.browser()
	wantFault(t, b.post("/v1/authorize/login", b.get(authorize("client_id", "two-web")).form(t, "username", "teacher", "password", secret)), http.StatusBadRequest)
}

// TestOptionsReachTheProvider checks that the client's prompt, max_age and login_hint reach the provider.
func TestOptionsReachTheProvider(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	b := w.browser()
	sent := s.sent(t, b.get(authorize("client_id", "fed-web", "prompt", "login", "max_age", "60", "login_hint", "ann")))
	if sent.Get("prompt") != "login" || sent.Get("max_age") != "60" || sent.Get("login_hint") != "ann" {
		t.Errorf("sent %v", sent)
	}
	s.claims["auth_time"] = w.clock().Add(-30 * time.Second).Unix()
	if code := w.code(b.get(back(sent)), appURI); code.AuthTime.Unix() != s.claims["auth_time"] {
		t.Errorf("signed in at %s", code.AuthTime)
	}
	wantError(t, w.browser().get(authorize("client_id", "fed-web", "prompt", "none")), appURI, "login_required")
}

func TestDeniedAtTheProvider(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	b := w.browser()
	sent := s.sent(t, b.get(authorize("client_id", "fed-web")))
	answer := b.get(back(sent, "code", "", "error", "access_denied", "error_description", "<b>no</b>"))
	if wantError(t, answer, appURI, "access_denied"); answer.answered(t, appURI).Get("state") != "st&te=1" {
		t.Error("the state is lost")
	}
	sent = s.sent(t, b.get(authorize("client_id", "fed-web")))
	wantFault(t, b.get(back(sent, "code", "", "error", "temporarily_unavailable")), http.StatusServiceUnavailable)
}

func TestDisabledFederatedUser(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	user := person("00000000000000000000000b", "fed", "", "")
	user.Issuer, user.Subject, user.Disabled = s.URL, "ann", true
	w.put(user)
	b := w.browser()
	answer := b.get(back(s.sent(t, b.get(authorize("client_id", "fed-web")))))
	if wantError(t, answer, appURI, "access_denied"); answer.cookie("filmstrip-session-fed") != nil {
		t.Error("a session")
	}
}

// TestForgedCallbacks checks that a callback counts once, in the browser that went to the provider, for that provider,
// before it expires.
func TestForgedCallbacks(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	w.federated("fed2", false, s.as("school"))
	b := w.browser()
	first := b.get(authorize("client_id", "fed-web"))
	sent := s.sent(t, first)
	address := back(sent)
	pending := pendingCookie(t, first)

	attacker := w.browser()
	attackers := s.sent(t, attacker.get(authorize("client_id", "fed-web")))
	s.nonce.Store(sent.Get("nonce"))
	flip := func(text string) string {
		changed := []byte(text)
		if changed[40]++; text[40] == 'z' {
			changed[40] = 'a'
		}
		return string(changed)
	}
	for name, answer := range map[string]page{
		"in another browser":           w.browser().get(address),
		"another's state":              b.get(back(attackers)),
		"another state's cookie":       w.browser().get(back(attackers), "Cookie", pending.Name+"="+pending.Value+"; "+cookieText(first, "filmstrip-signin")),
		"a cookie under another name":  w.browser().get(back(attackers), "Cookie", pendingName(attackers)+"="+pending.Value+"; "+cookieText(first, "filmstrip-signin")),
		"no state":                     b.get(back(sent, "state", "")),
		"two states":                   b.get(address + "&state=x"),
		"at another account's address": b.get(strings.Replace(address, "/fed/", "/fed2/", 1)),
		"at another alias":             b.get(strings.Replace(address, "/school?", "/x?", 1)),
		"a changed cookie":             w.browser().get(address, "Cookie", pending.Name+"="+flip(pending.Value)+"; "+cookieText(first, "filmstrip-signin")),
		"a cookie without its browser": w.browser().get(address, "Cookie", pending.Name+"="+pending.Value),
		"as a form":                    w.browser().post(address, url.Values{}),
	} {
		want := http.StatusBadRequest
		if name == "as a form" {
			want = http.StatusMethodNotAllowed
		}
		t.Run(name, func(t *testing.T) { wantFault(t, answer, want) })
	}
	w.code(b.get(address), appURI)
	wantFault(t, b.get(address), http.StatusBadRequest)

	late := w.browser()
	address = back(s.sent(t, late.get(authorize("client_id", "fed-web"))))
	w.pass(15 * time.Minute)
	expired := late.get(address)
	if wantFault(t, expired, http.StatusBadRequest); !strings.Contains(expired.body, "Try again") {
		t.Error(expired.body)
	}
}

// pendingCookie returns the cookie of the only sign-in at a provider that an answer begins or ends.
func pendingCookie(t *testing.T, p page) *http.Cookie {
	t.Helper()
	var found []*http.Cookie
	for _, cookie := range p.Cookies() {
		if strings.HasPrefix(strings.TrimPrefix(cookie.Name, "__Host-"), "filmstrip-federation-") {
			found = append(found, cookie)
		}
	}
	if len(found) != 1 {
		t.Fatalf("got the cookies %v", p.Cookies())
	}
	return found[0]
}

// pendingName returns the name of the cookie of a sign-in.
func pendingName(sent url.Values) string {
	sum := sha256.Sum256([]byte(sent.Get("state")))
	return "filmstrip-federation-" + base64.RawURLEncoding.EncodeToString(sum[:])[:16]
}

// TestTabs checks that tabs of a browser can sign in at a provider at the same time, and that the browser keeps few cookies
// of sign-ins that never end.
func TestTabs(t *testing.T) {
	w := startWorld(t, httptest.NewTLSServer)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	begin := func(b *browser, state string) (page, url.Values) {
		shown := b.get(authorize("client_id", "fed-web", "state", state))
		return shown, s.sent(t, shown)
	}
	finish := func(b *browser, sent url.Values, state string) {
		t.Helper()
		s.nonce.Store(sent.Get("nonce"))
		answer := b.get(back(sent))
		if to := answer.Header.Get("Location"); strings.HasPrefix(to, "/v1/authorize?") {
			answer = b.get(to)
		}
		if got := answer.answered(t, appURI); got.Get("code") == "" || got.Get("state") != state {
			t.Errorf("tab %s got %v", state, got)
		}
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
		b, tabs := w.browser(), make([]url.Values, 3)
		for i := range tabs {
			var shown page
			shown, tabs[i] = begin(b, strconv.Itoa(i))
			if cookie := pendingCookie(t, shown); !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" ||
				cookie.Domain != "" || cookie.MaxAge != 15*60 || cookie.Name != "__Host-"+pendingName(tabs[i]) {
				t.Errorf("got %s", cookie.Raw)
			}
		}
		for _, i := range order {
			finish(b, tabs[i], strconv.Itoa(i))
		}
		wantFault(t, b.get(back(tabs[1])), http.StatusBadRequest)
	}

	// Of two first requests at the same time, the second one's cookie stays. The first tab goes to the provider again.
	b := w.browser()
	first, sent := begin(b, "first")
	jar := cookieText(first, pendingCookie(t, first).Name)
	second, _ := begin(w.browser(), "second")
	answer := w.browser().get(back(sent), "Cookie", jar+"; "+cookieText(second, "__Host-filmstrip-signin"))
	if to := answer.Header.Get("Location"); !strings.HasPrefix(to, "/v1/authorize?client_id=fed-web&") || !strings.Contains(to, "state=first") || len(answer.Cookies()) != 1 {
		t.Errorf("the first tab got %d to %q", answer.StatusCode, to)
	}

	b = w.browser()
	var tabs []url.Values
	for range 20 {
		_, sent := begin(b, strings.Repeat("s", 1000))
		tabs = append(tabs, sent)
	}
	at, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, cookie := range b.Jar.Cookies(at) {
		kept += len(cookie.Name) + len(cookie.Value)
	}
	if kept > 7000 {
		t.Errorf("the browser sends %d bytes", kept)
	}
	wantFault(t, b.get(back(tabs[0])), http.StatusBadRequest)
	for _, sent := range tabs[18:] {
		finish(b, sent, strings.Repeat("s", 1000))
	}
}

func cookieText(p page, name string) string { return name + "=" + p.cookie(name).Value }

// TestUntrustedProvider checks that an untrusted answer of a provider signs nobody in, that the error page offers two
// ways to continue, and that only the log names the reason.
func TestUntrustedProvider(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	s.claims["nonce"] = "another"
	b := w.browser()
	answer := b.get(back(s.sent(t, b.get(authorize("client_id", "fed-web")))))
	wantFault(t, answer, http.StatusBadGateway)
	if dropped := pendingCookie(t, answer); dropped.MaxAge >= 0 {
		t.Error("the same answer could be tried again")
	}
	if answer.cookie("filmstrip-session-fed") != nil || !strings.Contains(answer.body, "Try again") || strings.Contains(answer.body, "nonce is") {
		t.Error(answer.body)
	}
	if !strings.Contains(w.log.String(), "the nonce does not match") {
		t.Errorf("the log does not say why:\n%s", w.log)
	}
}

// TestProviderAway checks that a provider that fails affects only its own users.
func TestProviderAway(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	s.away.Store(true)
	b := w.browser()
	answer := b.get(authorize("client_id", "fed-web", "redirect_uri", "com.example.app:/cb"))
	wantFault(t, answer, http.StatusServiceUnavailable)
	for _, part := range []string{
		`<a href="/v1/authorize?client_id=fed-web&amp;`,
		`<a href="com.example.app:/cb?error=temporarily_unavailable&amp;state=st%26te%3D1&amp;iss=https%3A%2F%2Ffilms.example">Go back to the application</a>`,
	} {
		if !strings.Contains(answer.body, part) {
			t.Errorf("the page lacks %s:\n%s", part, answer.body)
		}
	}
	if answer.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.code(b.signIn(), appURI)
	s.away.Store(false)
	w.pass(5 * time.Second)
	s.sent(t, b.get(authorize("client_id", "fed-web")))
}

// TestLongRequest checks that a request that does not fit into a cookie is refused before the browser leaves for the
// provider.
func TestLongRequest(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	of := program("fed-web", "fed")
	long := "https://app.example/" + strings.Repeat("x", 1900)
	of.RedirectURIs = append(of.RedirectURIs, long)
	w.federated("fed", false, s.as("school"))
	w.put(of)
	b := w.browser()
	wantError(t, b.get(authorize("client_id", "fed-web", "redirect_uri", long, "state", strings.Repeat("s", 1500))), long, "invalid_request")
	sent := s.sent(t, b.get(authorize("client_id", "fed-web", "state", strings.Repeat("s", 1500), "nonce", strings.Repeat("n", 300))))
	w.code(b.get(back(sent)), appURI)
}
