package signin_test

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/signin"
)

func logout(fields ...string) string {
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return "/v1/logout?" + values.Encode()
}

// signedIn returns a browser with a session and the data of its code, and registers an ID token hint of the session.
func signedIn(w *world) (*browser, account.Code) {
	w.t.Helper()
	b := w.browser()
	code := w.code(b.signIn(), appURI)
	w.hints["of-session"] = [3]string{"web", code.User, code.Session}
	return b, code
}

// wantSignedOut checks that the session, its code and its tokens no longer count.
func (w *world) wantSignedOut(b *browser, code account.Code, grant [32]byte) {
	w.t.Helper()
	if shown := b.get(authorize()); shown.StatusCode != http.StatusOK {
		w.t.Errorf("the session still counts: %d", shown.StatusCode)
	}
	if _, err := w.accounts.Grant(w.t.Context(), grant, w.clock()); !errors.Is(err, account.ErrGrantUnknown) {
		w.t.Errorf("a refresh token is left: %v", err)
	}
	marks, err := w.accounts.Revoked(w.t.Context(), w.clock())
	// The service may have issued the last token just now, for half an hour and up to a second.
	if until := marks[code.Session]; err != nil || !until.After(w.clock().Add(signin.DefaultAccessLifetime+time.Second)) {
		w.t.Errorf("revoked are %v, %v", marks, err)
	}
}

func (w *world) grant(code account.Code) [32]byte {
	w.t.Helper()
	hash := sha256.Sum256([]byte("a refresh token of " + code.Session))
	err := w.accounts.PutGrant(w.t.Context(), account.Grant{
		Hash: hash, Family: code.Family, ClientID: "web", User: code.User, Session: code.Session, IssuedAt: w.clock(), Expires: w.clock().AddDate(0, 0, 1),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return hash
}

func TestLogoutWithAnIDToken(t *testing.T) {
	w := newWorld(t)
	b, code := signedIn(w)
	grant := w.grant(code)
	answer := b.get(logout("id_token_hint", "of-session", "post_logout_redirect_uri", goodbyeURI, "state", "s 1"))
	if got := answer.Header.Get("Location"); answer.StatusCode != http.StatusFound || got != goodbyeURI+"?state=s+1" {
		t.Errorf("got %d to %q", answer.StatusCode, got)
	}
	w.wantSignedOut(b, code, grant)
	// A second logout succeeds too.
	if again := b.get(logout("id_token_hint", "of-session", "post_logout_redirect_uri", goodbyeURI+"?a=b", "state", "2")); again.Header.Get("Location") != goodbyeURI+"?a=b&state=2" {
		t.Errorf("got %q", again.Header.Get("Location"))
	}
}

func TestLogoutWithoutAnAddress(t *testing.T) {
	w := newWorld(t)
	b, code := signedIn(w)
	grant := w.grant(code)
	answer := b.post("/v1/logout", url.Values{"id_token_hint": {"of-session"}})
	if answer.StatusCode != http.StatusOK || !strings.Contains(answer.body, "<h1>Signed out</h1>") {
		t.Errorf("got %d %s", answer.StatusCode, answer.body)
	}
	w.wantSignedOut(b, code, grant)
}

// TestLogoutWithoutTheCookie checks that an application can end the session of a user whose browser has lost the
// cookie.
func TestLogoutWithoutTheCookie(t *testing.T) {
	w := newWorld(t)
	b, code := signedIn(w)
	grant := w.grant(code)
	w.browser().get(logout("id_token_hint", "of-session"))
	w.wantSignedOut(b, code, grant)
}

// TestLogoutAsksForConfirmation checks that a logout without an ID token of the current session asks the user for
// confirmation, so that other sites cannot sign users out.
func TestLogoutAsksForConfirmation(t *testing.T) {
	w := newWorld(t)
	w.hints["of-another"] = [3]string{"web", pupilID, "another session"}
	w.hints["of-old"] = [3]string{"web", teacherID, "an old session"}
	for name, address := range map[string]string{
		"nothing":                logout(),
		"a client":               logout("client_id", "web", "post_logout_redirect_uri", goodbyeURI, "state", "1"),
		"a bad ID token":         logout("id_token_hint", "x.y.z", "client_id", "web"),
		"an ID token of another": logout("id_token_hint", "of-another"),
		"of an older session":    logout("id_token_hint", "of-old"),
	} {
		t.Run(name, func(t *testing.T) {
			b, code := signedIn(w)
			grant := w.grant(code)
			shown := b.get(address)
			if shown.StatusCode != http.StatusOK || !strings.Contains(shown.body, "Do you want to sign out") {
				t.Fatalf("got %d %s", shown.StatusCode, shown.body)
			}
			w.code(b.get(authorize()), appURI) // the session still counts
			form := shown.form(t)
			wantFault(t, b.post("/v1/logout", form, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
			wantFault(t, w.browser().post("/v1/logout", form), http.StatusBadRequest)
			wantFault(t, b.post("/v1/logout", url.Values{"confirm": {"x"}}), http.StatusBadRequest)
			w.code(b.get(authorize()), appURI) // the session still counts after the refused forms
			answer := b.post("/v1/logout", form)
			if name == "a client" {
				if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != goodbyeURI+"?state=1" {
					t.Errorf("got %d to %q", answer.StatusCode, answer.Header.Get("Location"))
				}
			} else if answer.StatusCode != http.StatusOK {
				t.Errorf("got %d", answer.StatusCode)
			}
			w.wantSignedOut(b, code, grant)
		})
	}
}

// TestLogoutOfTwoAccounts checks that a client's logout ends only the session with its own account, and that a logout
// without a client ends all sessions.
func TestLogoutOfTwoAccounts(t *testing.T) {
	w := newWorld(t)
	b, _ := signedIn(w)
	w.code(b.signIn("client_id", "other-web"), appURI)
	b.get(logout("id_token_hint", "of-session"))
	w.code(b.get(authorize("client_id", "other-web", "prompt", "none")), appURI)
	b.signIn()
	b.post("/v1/logout", b.get(logout()).form(t))
	for _, client := range []string{"web", "other-web"} {
		wantError(t, b.get(authorize("client_id", client, "prompt", "none")), appURI, "login_required")
	}
}

// TestLogoutByACookieOfAnotherAccount checks that a cookie of one account under the name of another account's cookie
// ends no session.
func TestLogoutByACookieOfAnotherAccount(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	value := b.signIn().cookie("filmstrip-session-demo").Value
	other := w.browser()
	other.plant("filmstrip-session-other", value)
	if answer := other.get(logout("client_id", "other-web")); !strings.Contains(answer.body, "<h1>Signed out</h1>") {
		t.Error(answer.body)
	}
	w.code(b.get(authorize("prompt", "none")), appURI)
}

func TestLogoutNeverRedirectsElsewhere(t *testing.T) {
	w := newWorld(t)
	b, _ := signedIn(w)
	for name, address := range map[string]string{
		"no client":           logout("post_logout_redirect_uri", goodbyeURI),
		"bad hint, no client": logout("post_logout_redirect_uri", goodbyeURI, "id_token_hint", "x"),
		"unknown client":      logout("post_logout_redirect_uri", goodbyeURI, "client_id", "nobody"),
		"another client":      logout("post_logout_redirect_uri", goodbyeURI, "id_token_hint", "of-session", "client_id", "other-web"),
		"not registered":      logout("post_logout_redirect_uri", "https://evil.example/", "id_token_hint", "of-session"),
		"of the code":         logout("post_logout_redirect_uri", appURI, "id_token_hint", "of-session"),
		"longer":              logout("post_logout_redirect_uri", goodbyeURI+"/", "client_id", "web"),
		"two":                 logout("post_logout_redirect_uri", goodbyeURI, "client_id", "web") + "&post_logout_redirect_uri=x",
		"long state":          logout("post_logout_redirect_uri", goodbyeURI, "client_id", "web", "state", strings.Repeat("x", 1501)),
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, b.get(address), http.StatusBadRequest) })
	}
	w.code(b.get(authorize("prompt", "none")), appURI) // the session still counts

	foreign := w.browser().post("/v1/logout", url.Values{"client_id": {"web"}}, "Sec-Fetch-Site", "cross-site")
	if foreign.StatusCode != http.StatusSeeOther || foreign.Header.Get("Location") != "/v1/logout?client_id=web" {
		t.Errorf("got %d to %q", foreign.StatusCode, foreign.Header.Get("Location"))
	}
}

// TestLogoutWithForgedCookies checks that session cookies named after unknown accounts cause no reads of the store.
func TestLogoutWithForgedCookies(t *testing.T) {
	w := newWorld(t)
	cookies := "filmstrip-session-demo=x"
	for i := range 1000 {
		cookies += "; filmstrip-session-" + strconv.Itoa(i) + "=x"
	}
	if answer := w.browser().get(logout(), "Cookie", cookies); answer.StatusCode != http.StatusOK || w.looked.Load() != 1 {
		t.Errorf("got %d, %d sessions were looked for", answer.StatusCode, w.looked.Load())
	}
}
