package signin_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
)

// enrolled gives a user of the world a second factor, and returns its secret and its recovery codes. The code that
// enrolled it was used long ago.
func (w *world) enrolled(id string) (secret string, recovery []string) {
	w.t.Helper()
	secret = secondfactor.NewSecret()
	before := w.clock().Add(-time.Hour)
	recovery, err := secondfactor.Enroll(w.t.Context(), w.accounts, account.Actor{Client: "test"}, w.userOf(id), secret, codeAt(w.t, secret, before), before)
	if err != nil {
		w.t.Fatal(err)
	}
	return secret, recovery
}

func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// enters sends a code with the form of a page.
func (b *browser) enters(shown page, path, code string) page {
	b.w.t.Helper()
	return b.post(path, shown.form(b.w.t, "code", code))
}

// wantForm checks that a page has a status, a title and no session.
func wantForm(t *testing.T, p page, status int, title string) {
	t.Helper()
	wantFault(t, p, status)
	if !strings.Contains(p.body, title+" - Filmstrip</title>") || p.cookie("filmstrip-session-demo") != nil {
		t.Errorf("want %q and no session, got %v\n%s", title, p.Cookies(), p.body)
	}
}

const codePath, enrollPath = "/v1/authorize/code", "/v1/authorize/enroll"

// TestSecondFactor checks that a user with a second factor gets a session with a code of the window only, and with each
// code once, in whatever browser.
func TestSecondFactor(t *testing.T) {
	w := newWorld(t)
	key, recovery := w.enrolled(teacherID)
	b := w.browser()
	shown := b.signIn()
	wantForm(t, shown, http.StatusOK, "Enter a code")
	if strings.Contains(shown.body, key) || b.get(authorize("prompt", "none")).answered(t, appURI).Get("error") != "login_required" {
		t.Error("the page shows the secret, or the password alone made a session")
	}
	for name, code := range map[string]string{
		"none": "", "wrong": "000000", "too short": "12345", "letters": "abcdef", "of two steps ago": codeAt(t, key, w.clock().Add(-time.Minute)), "of two steps ahead": codeAt(t, key, w.clock().Add(time.Minute)),
		"a recovery code of no one": "aaaa-aaaa-aaaa-aaaa",
	} {
		status := http.StatusForbidden
		if code == "" {
			status = http.StatusBadRequest
		}
		t.Log(name)
		wantForm(t, b.enters(shown, codePath, code), status, "Error: Enter a code")
	}
	next := codeAt(t, key, w.clock().Add(30*time.Second))
	code := w.code(b.enters(shown, codePath, " "+next[:3]+" "+next[3:]), appURI)
	if code.User != teacherID || !code.AuthTime.Equal(w.clock()) {
		t.Errorf("got %+v", code)
	}
	w.code(b.get(authorize("prompt", "none")), appURI)

	other := w.browser()
	shown = other.signIn()
	for _, at := range []time.Duration{30 * time.Second, 0, -30 * time.Second} {
		wantForm(t, other.enters(shown, codePath, codeAt(t, key, w.clock().Add(at))), http.StatusForbidden, "Error: Enter a code")
	}
	w.pass(time.Minute)
	w.code(other.enters(shown, codePath, codeAt(t, key, w.clock())), appURI)

	third := w.browser()
	shown = third.signIn()
	w.code(third.enters(shown, codePath, strings.ToUpper(strings.ReplaceAll(recovery[3], "-", " "))), appURI)
	wantForm(t, third.enters(third.signIn("prompt", "login"), codePath, recovery[3]), http.StatusForbidden, "Error: Enter a code")
	wantFault(t, third.post(codePath, shown.form(t, "code", recovery[4])), http.StatusBadRequest) // the page was used
	record, err := w.accounts.Entity(t.Context(), account.EntityKey{Kind: account.KindSecondFactor, ID: teacherID})
	if left := record.(*account.SecondFactor); err != nil || len(left.RecoveryHashes) != 9 {
		t.Errorf("%d recovery codes are left, %v", len(left.RecoveryHashes), err)
	}
	for _, hidden := range append(slices.Clone(recovery), key, next) {
		if strings.Contains(w.log.String(), hidden) {
			t.Errorf("the log holds %s", hidden)
		}
	}
	if strings.Count(w.log.String(), "wrong_code") != 10 {
		t.Errorf("the log lacks refused codes:\n%s", w.log)
	}
}

// TestCodePageEnds checks what ends the time between the password and the code.
func TestCodePageEnds(t *testing.T) {
	for name, change := range map[string]func(w *world, shown *page){
		"five minutes pass":      func(w *world, _ *page) { w.pass(5 * time.Minute) },
		"a changed password":     func(w *world, _ *page) { u := w.userOf(teacherID); u.PasswordHash = hashed() + "A"; w.put(u) },
		"a disabled user":        func(w *world, _ *page) { u := w.userOf(teacherID); u.Disabled = true; w.put(u) },
		"a page of the password": func(w *world, shown *page) { *shown = w.browser().get(authorize()) },
		"another browser's":      func(w *world, shown *page) { *shown = w.browser().signIn() },
		"no passwords any more": func(w *world, _ *page) {
			of := customer("demo")
			of.PasswordSignIn, of.IdentityProviders = false, []account.IdentityProvider{w.school().as("school")}
			w.put(of)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			key, _ := w.enrolled(teacherID)
			b := w.browser()
			shown := b.signIn()
			change(w, &shown)
			answer := b.enters(shown, codePath, codeAt(t, key, w.clock()))
			wantFault(t, answer, http.StatusBadRequest)
			if answer.cookie("filmstrip-session-demo") != nil {
				t.Error("a session")
			}
		})
	}
}

// waits is the cause of a refusal by a limit.
type waits struct{ error }

func (waits) SetHeader(header http.Header) { header.Set("Retry-After", "7") }

func TestCodeLimits(t *testing.T) {
	w := newWorld(t)
	key, _ := w.enrolled(teacherID)
	b := w.browser()
	shown := b.signIn()
	w.limited = true
	wantFault(t, b.enters(shown, codePath, codeAt(t, key, w.clock())), http.StatusTooManyRequests)
	w.limited, w.codesLimited = false, &fault.Error{Code: fault.TooMany, Message: "too many", Cause: waits{}}
	refused := b.enters(shown, codePath, codeAt(t, key, w.clock()))
	wantFault(t, refused, http.StatusTooManyRequests)
	if refused.Header.Get("Retry-After") != "7" {
		t.Errorf("the headers are %v", refused.Header)
	}
	w.codesLimited = nil
	w.code(b.enters(shown, codePath, codeAt(t, key, w.clock())), appURI)
	if want := slices.Repeat([]string{"demo Teacher"}, 3); !slices.Equal(w.asked[1:], want) {
		t.Errorf("the limit was asked for %q", w.asked)
	}
}

// staffed makes the account "demo" the operator's and its user an editor, and sets whether staff need a second factor.
func (w *world) staffed(required bool) {
	w.t.Helper()
	of := customer("demo")
	of.Operator = true
	w.put(of, &account.StaffMember{ID: teacherID, AccountID: "demo", Role: account.Editor}, &account.Policy{RequireStaffFactor: required})
}

var shownSecret = regexp.MustCompile(`<code class="secret">([A-Z2-7 ]{39})</code>`)

// TestRequiredSecondFactor checks that staff who must have a second factor enroll one before they have a session, that
// sessions from before do not count, and that nobody else is asked.
func TestRequiredSecondFactor(t *testing.T) {
	w := newWorld(t)
	w.staffed(false)
	b, thief := w.browser(), w.browser()
	w.code(b.signIn(), appURI)
	w.code(thief.signIn(), appURI)
	w.staffed(true)
	wantError(t, b.get(authorize("prompt", "none")), appURI, "login_required")
	w.pass(time.Second)
	shown := b.signIn()
	wantForm(t, shown, http.StatusOK, "Set up a second factor")
	if !strings.Contains(shown.body, "<svg ") || !strings.Contains(shown.body, `href="otpauth://totp/`) || strings.Contains(shown.body, "ZgotmplZ") {
		t.Error(shown.body)
	}
	key := strings.ReplaceAll(shownSecret.FindStringSubmatch(shown.body)[1], " ", "")
	wantForm(t, b.enters(shown, enrollPath, "000000"), http.StatusForbidden, "Error: Set up a second factor")
	wantForm(t, b.enters(shown, enrollPath, ""), http.StatusBadRequest, "Error: Set up a second factor")
	wantFault(t, b.post(codePath, shown.form(t, "code", codeAt(t, key, w.clock()))), http.StatusBadRequest)
	kept := b.enters(shown, enrollPath, codeAt(t, key, w.clock()))
	wantForm(t, kept, http.StatusOK, "Keep your recovery codes")
	recovery := regexp.MustCompile(`<li><code>([a-z2-7-]{19})</code>`).FindAllStringSubmatch(kept.body, -1)
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes\n%s", len(recovery), kept.body)
	}
	w.code(b.post(enrollPath, kept.form(t)), appURI)
	w.code(b.get(authorize("prompt", "none")), appURI)
	wantError(t, thief.get(authorize("prompt", "none")), appURI, "login_required")
	w.staffed(false)
	wantError(t, thief.get(authorize("prompt", "none")), appURI, "login_required")
	w.staffed(true)
	wantFault(t, b.enters(shown, enrollPath, codeAt(t, key, w.clock())), http.StatusBadRequest)

	other := w.browser()
	shown = other.signIn()
	wantForm(t, shown, http.StatusOK, "Enter a code")
	wantForm(t, other.enters(shown, codePath, codeAt(t, key, w.clock())), http.StatusForbidden, "Error: Enter a code") // it enrolled the factor
	w.code(other.enters(shown, codePath, recovery[9][1]), appURI)

	w.put(person("00000000000000000000000b", "demo", "guest", hashed())) // has no role
	guest := w.browser()
	w.code(guest.post("/v1/authorize/login", guest.get(authorize()).form(t, "username", "guest", "password", secret)), appURI)
}

// TestEnrollmentEnds checks that a password that changes, and time, end an enrollment at each of its pages.
func TestEnrollmentEnds(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"five minutes pass": func(w *world) { w.pass(5 * time.Minute) },
		"a changed user":    func(w *world) { u := w.userOf(teacherID); u.GivenName = "Ada"; w.put(u) },
	} {
		for _, last := range []bool{false, true} {
			w := newWorld(t)
			w.staffed(true)
			b := w.browser()
			shown := b.signIn()
			code := codeAt(t, strings.ReplaceAll(shownSecret.FindStringSubmatch(shown.body)[1], " ", ""), w.clock())
			form := shown.form(t, "code", code)
			if last {
				form = b.post(enrollPath, form).form(t)
			}
			change(w)
			if answer := b.post(enrollPath, form); answer.StatusCode != http.StatusBadRequest || answer.cookie("filmstrip-session-demo") != nil {
				t.Errorf("%s, last page %t: %d %s", name, last, answer.StatusCode, answer.body)
			}
		}
	}
}

// TestProvidersAnswerForTheSecondFactor checks that staff who sign in at the operator's own identity provider are not asked
// for a second factor, even where one is required, and get the permissions of their role, or a customer's without one.
func TestProvidersAnswerForTheSecondFactor(t *testing.T) {
	w := newWorld(t)
	s := w.school()
	w.federated("house", true, s.as("school"))
	house := *w.current().Accounts["house"]
	house.Operator = true
	w.put(&house, &account.Policy{RequireStaffFactor: true})
	arrive := func() account.Code {
		b := w.browser()
		sent := s.sent(t, b.get(authorize("client_id", "house-web", "idp_hint", "school")))
		return w.code(b.get(back(sent)), appURI)
	}
	permissions := func(user string) (account.Permissions, account.StaffRole) {
		caller := w.current().Caller("house-web", 20_000)
		w.current().SignIn(caller, user, true)
		return caller.Permissions, caller.StaffRole
	}
	ann := arrive().User
	if got, role := permissions(ann); role != "" || got.Has(account.Operate) || got != account.CustomerPermissions() {
		t.Errorf("without a role, Ann is %q and may do %v", role, got.Names())
	}
	w.put(&account.StaffMember{ID: ann, AccountID: "house", Role: account.Support})
	if again := arrive().User; again != ann {
		t.Errorf("Ann is %s and then %s", ann, again)
	}
	if got, role := permissions(ann); role != account.Support || got != account.Support.Permissions() {
		t.Errorf("with a role, Ann is %q and may do %v", role, got.Names())
	}
	if !w.current().Staff[ann].Role.Permissions().Has(account.ViewPersons) {
		t.Error("support cannot see persons")
	}
}
