package signin_test

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
)

func (b *browser) plant(name, value string) {
	b.w.t.Helper()
	u, err := url.Parse(b.w.URL)
	if err != nil {
		b.w.t.Fatal(err)
	}
	b.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// TestSessionsOfTwoAccounts checks that users of two accounts can be signed in at once in one browser, and that neither
// session counts for the other account.
func TestSessionsOfTwoAccounts(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	first := b.signIn()
	session := first.cookie("filmstrip-session-demo").Value
	if shown := b.get(authorize("client_id", "other-web")); shown.StatusCode != http.StatusOK {
		t.Fatalf("got %d to %s", shown.StatusCode, shown.Header.Get("Location"))
	}
	other := w.code(b.signIn("client_id", "other-web"), appURI)
	if other.User != pupilID {
		t.Errorf("got %+v", other)
	}
	if code := w.code(b.get(authorize()), appURI); code.User != teacherID || code.Session == other.Session {
		t.Errorf("got %+v", code)
	}
	thief := w.browser()
	thief.plant("filmstrip-session-other", session)
	if shown := thief.get(authorize("client_id", "other-web")); shown.StatusCode != http.StatusOK {
		t.Errorf("a session of another account is answered with %d to %s", shown.StatusCode, shown.Header.Get("Location"))
	}
}

// TestSessionFixation checks that a sign-in gives the browser a new session, so that an attacker who planted a cookie
// does not know it.
func TestSessionFixation(t *testing.T) {
	w := newWorld(t)
	attacker, victim := w.browser(), w.browser()
	planted := attacker.signIn().cookie("filmstrip-session-demo").Value
	victim.plant("filmstrip-session-demo", planted)
	got := victim.signIn("prompt", "login").cookie("filmstrip-session-demo")
	if got == nil || got.Value == planted {
		t.Fatalf("got %v", got)
	}
	if shown := attacker.get(authorize()); shown.StatusCode != http.StatusOK {
		t.Errorf("the planted session still counts: %d", shown.StatusCode)
	}
	made := w.browser()
	made.plant("filmstrip-session-demo", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	if got := made.signIn().cookie("filmstrip-session-demo"); got.Value == "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" {
		t.Error("a cookie that was made up counts")
	}
}

// TestSessionsAreStoredAsSums checks that the store contains the SHA-256 of a session cookie instead of the cookie.
func TestSessionsAreStoredAsSums(t *testing.T) {
	w := newWorld(t)
	value := w.browser().signIn().cookie("filmstrip-session-demo").Value
	session, err := w.accounts.Session(t.Context(), sha256.Sum256([]byte(value)), w.clock())
	if err != nil || session == nil {
		t.Fatalf("%v, %v", session, err)
	}
	if session.User != teacherID || session.AccountID != "demo" || session.Provider != "" || !session.Expires.Equal(w.clock().Add(12*time.Hour)) {
		t.Errorf("got %+v", session)
	}
}

// TestAnotherUserSignsIn checks that another user's sign-in ends the session of the previous user, with its codes and
// tokens.
func TestAnotherUserSignsIn(t *testing.T) {
	w := newWorld(t)
	w.put(person("000000000000000000000009", "demo", "pupil", hashed()))
	b := w.browser()
	first := w.code(b.signIn(), appURI)
	shown := b.get(authorize("prompt", "login"))
	second := w.code(b.post("/v1/authorize/login", shown.form(t, "username", "pupil", "password", secret)), appURI)
	if second.Session == first.Session || second.User == first.User {
		t.Errorf("got %+v after %+v", second, first)
	}
	marks, err := w.accounts.Revoked(t.Context(), w.clock())
	if _, revoked := marks[first.Session]; err != nil || !revoked || len(marks) != 1 {
		t.Errorf("revoked are %v, %v", marks, err)
	}
}

// TestInvalidSessions checks that a session gives no code to a user who may no longer sign in.
func TestInvalidSessions(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	user := person(teacherID, "demo", "teacher", hashed())
	user.Disabled = true
	w.put(user)
	wantError(t, b.get(authorize("prompt", "none")), appURI, "login_required")
	user.Disabled = false
	w.put(user)
	w.code(b.get(authorize("prompt", "none")), appURI)

	suspended := customer("demo")
	suspended.Status = account.Suspended
	w.put(suspended)
	wantFault(t, b.get(authorize("prompt", "none")), http.StatusBadRequest)

	elsewhere := customer("demo")
	elsewhere.PasswordSignIn = false
	elsewhere.IdentityProviders = []account.IdentityProvider{{Alias: "school", Name: "School", Issuer: "https://idp.example", ClientID: "x"}}
	w.put(elsewhere)
	wantError(t, b.get(authorize("prompt", "none")), appURI, "login_required")
	w.put(customer("demo"))
	w.code(b.get(authorize("prompt", "none")), appURI)
}

// TestSessionsBeforeNotBefore checks that users who signed in before NotBefore must sign in again, here or at a
// provider. The provider may remember the users for longer.
func TestSessionsBeforeNotBefore(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	s.claims["auth_time"] = w.clock().Add(-time.Hour).Unix()
	local, federated := w.browser(), w.browser()
	local.signIn()
	w.code(federated.get(back(s.sent(t, federated.get(authorize("client_id", "fed-web"))))), appURI)
	w.pass(time.Millisecond)
	w.put(&account.Policy{NotBefore: w.clock()})
	wantError(t, local.get(authorize("prompt", "none")), appURI, "login_required")
	wantError(t, federated.get(authorize("client_id", "fed-web", "prompt", "none")), appURI, "login_required")

	local.signIn()
	w.code(local.get(authorize("prompt", "none")), appURI)
	w.code(federated.get(back(s.sent(t, federated.get(authorize("client_id", "fed-web"))))), appURI)
	w.code(federated.get(authorize("client_id", "fed-web", "prompt", "none")), appURI)
}

// TestSessionsOfAnotherIssuer checks that a session from a provider ends when the issuer under the provider's alias
// changes, because another issuer is another provider.
func TestSessionsOfAnotherIssuer(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("fed", false, s.as("school"))
	b := w.browser()
	w.code(b.get(back(s.sent(t, b.get(authorize("client_id", "fed-web"))))), appURI)
	w.code(b.get(authorize("client_id", "fed-web", "prompt", "none")), appURI)
	moved := w.school().as("school")
	w.federated("fed", false, moved)
	wantError(t, b.get(authorize("client_id", "fed-web", "prompt", "none")), appURI, "login_required")
}

// TestSessionEndsMeanwhile checks that a session that ends while it issues a code leaves no code behind.
func TestSessionEndsMeanwhile(t *testing.T) {
	for name, end := range map[string]func(w *world, code account.Code) error{
		"dropped": func(w *world, code account.Code) error { return w.accounts.DropSessions(t.Context(), code.Session, "") },
		"before the instant": func(w *world, _ account.Code) error {
			return authtest.Put(t.Context(), w.accounts, &account.Policy{NotBefore: w.clock().Add(time.Millisecond)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.browser()
			b.signIn()
			var given []account.Code
			w.meanwhile = func(code account.Code) {
				given = append(given, code)
				if err := end(w, code); err != nil {
					t.Error(err)
				}
			}
			wantError(t, b.get(authorize()), appURI, "login_required")
			if len(given) != 1 {
				t.Fatalf("%d codes were stored", len(given))
			}
			_, err := w.accounts.RedeemCode(t.Context(), given[0].Hash, w.clock(), account.Grant{Expires: w.clock().Add(time.Hour)},
				func(account.Code) error { return nil })
			if !errors.Is(err, account.ErrCodeUnknown) {
				t.Errorf("a code is left: %v", err)
			}
		})
	}
}

// TestUserChangesMeanwhile checks that a sign-in opens no session if the password changes, or the user is disabled, in the
// meantime.
func TestUserChangesMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*account.User){
		"password": func(user *account.User) { user.PasswordHash = "" },
		"disabled": func(user *account.User) { user.Disabled = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.first = func(session account.Session) {
				changed := w.userOf(session.User)
				change(changed)
				w.put(changed)
			}
			b := w.browser()
			answer := b.signIn()
			wantError(t, answer, appURI, "access_denied")
			if answer.cookie("filmstrip-session-demo") != nil {
				t.Error("the browser got a session")
			}
			w.first = nil
			if shown := b.get(authorize()); shown.StatusCode != http.StatusOK {
				t.Errorf("got %d", shown.StatusCode)
			}
		})
	}
}

// TestFormSentTwice checks that a form that is sent twice at once signs the user in both times.
func TestFormSentTwice(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	twice := false
	w.first = func(session account.Session) {
		if twice {
			return
		}
		twice = true
		session.Hash = sha256.Sum256([]byte("the other's cookie"))
		if err := w.accounts.PutSession(t.Context(), session); err != nil {
			t.Error(err)
		}
	}
	w.code(b.signIn("prompt", "login"), appURI)
	w.code(b.get(authorize("prompt", "none")), appURI)
}

// TestTwoCookies checks that neither of two session cookies with the same name counts.
func TestTwoCookies(t *testing.T) {
	w := newWorld(t)
	value := w.browser().signIn().cookie("filmstrip-session-demo").Value
	one := "filmstrip-session-demo=" + value
	w.code(w.browser().get(authorize(), "Cookie", one), appURI)
	if shown := w.browser().get(authorize(), "Cookie", one+"; filmstrip-session-demo=x"); shown.StatusCode != http.StatusOK {
		t.Errorf("got %d", shown.StatusCode)
	}
}
