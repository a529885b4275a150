package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

// newSignedInUser is a user with a password in an account, as they call after a sign-in in a browser.
func newSignedInUser(t *testing.T, a *resolverstest.Administration, of string, role account.StaffRole) *account.Caller {
	t.Helper()
	made := a.Do(t, `mutation { it: createUser(input: {account: "`+of+`", username: "ada", password: "correct horse"}) { id } }`, nil)
	user := resolverstest.At(t, made, "it", "id").(string)
	if role != "" {
		a.Do(t, fmt.Sprintf(`mutation { setStaffRole(user: %q, role: %s) { id } createClient(input: {id: "console", account: %q}) { secret } }`, user, role, of), nil)
	}
	return &account.Caller{
		ClientID: "console", User: user, Session: "s", StaffRole: role,
		Permissions: role.Permissions() | account.PermissionsOf(account.Browse), Account: &account.Account{ID: of, Name: "The House"},
	}
}

// run runs an operation as a caller, and returns the data or the first error's code and text.
func run(t *testing.T, a *resolverstest.Administration, caller *account.Caller, query string) (data, failure string) {
	t.Helper()
	w := resolverstest.Post(t, a.Handler, caller, resolverstest.RequestBody(query, nil))
	a.Answers = append(a.Answers, w.Body.String())
	answer := resolverstest.Read(t, w)
	if len(answer.Errors) > 0 {
		return "", w.Body.String()
	}
	return string(answer.Data), ""
}

func wantFailure(t *testing.T, a *resolverstest.Administration, caller *account.Caller, code fault.Code, query string) {
	t.Helper()
	if data, failure := run(t, a, caller, query); !strings.Contains(failure, `"code":"`+string(code)+`"`) {
		t.Errorf("%s: got %s%s, want %s", query, data, failure, code)
	}
}

// enrollFactor gives a user a second factor, and returns its secret.
func enrollFactor(t *testing.T, a *resolverstest.Administration, who *account.Caller) string {
	t.Helper()
	begun, _ := run(t, a, who, `mutation { beginSecondFactorEnrollment { secret } }`)
	secret := strings.Trim(strings.TrimPrefix(begun, `{"beginSecondFactorEnrollment":{"secret":`), `"}`)
	code, err := totp.GenerateCode(secret, a.Now)
	resolverstest.Must(t, err)
	if _, failure := run(t, a, who, `mutation { enrollSecondFactor(secret: "`+secret+`", code: "`+code+`") }`); failure != "" {
		t.Fatal(failure)
	}
	return secret
}

// TestOwnSecondFactor enrolls a second factor as a viewer, whose role changes nothing else, renews the recovery codes
// and removes the factor. The audit log has each change and no secret.
func TestOwnSecondFactor(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	ada := newSignedInUser(t, a, "house", account.Viewer)
	begun, failure := run(t, a, ada, `mutation { beginSecondFactorEnrollment { secret uri qrCode } }`)
	if failure != "" || !strings.Contains(begun, "otpauth://totp/The%20House:ada?secret=") || !strings.Contains(begun, "\\u003csvg ") && !strings.Contains(begun, "<svg ") {
		t.Fatal(begun, failure)
	}
	_, secret, _ := strings.Cut(begun, `"secret":"`)
	secret = secret[:32]
	code := func(after time.Duration) string {
		made, err := totp.GenerateCode(secret, a.Now.Add(after))
		resolverstest.Must(t, err)
		return `"` + made + `"`
	}
	enroll := func(code string) string {
		return `mutation { enrollSecondFactor(secret: "` + secret + `", code: ` + code + `) }`
	}
	wantFailure(t, a, ada, fault.Invalid, enroll(`"000000"`))
	wantFailure(t, a, ada, fault.Invalid, `mutation { enrollSecondFactor(secret: "SHORT", code: "000000") }`)
	wantFailure(t, a, ada, fault.NotFound, `mutation { removeSecondFactor(code: "000000") }`)
	given, failure := run(t, a, ada, enroll(code(0)))
	recovery := strings.Split(strings.Trim(strings.TrimPrefix(given, `{"enrollSecondFactor":`), `[]}`), ",")
	if failure != "" || len(recovery) != 10 || len(recovery[0]) != 21 {
		t.Fatal(given, failure)
	}
	wantFailure(t, a, ada, fault.Invalid, enroll(code(0)))
	wantFailure(t, a, ada, fault.Conflict, enroll(code(30*time.Second)))
	if got, _ := run(t, a, ada, `{ viewer { secondFactor { recoveryCodes } } }`); got != `{"viewer":{"secondFactor":{"recoveryCodes":10}}}` {
		t.Error(got)
	}
	a.Now = a.Now.Add(time.Minute)
	wantFailure(t, a, ada, fault.Invalid, `mutation { renewRecoveryCodes(code: "000000") }`)
	given, failure = run(t, a, ada, `mutation { renewRecoveryCodes(code: `+recovery[0]+`) }`)
	if failure != "" || strings.Contains(given, recovery[1]) || strings.Count(given, "-") != 30 {
		t.Fatal(given, failure)
	}
	wantFailure(t, a, ada, fault.Invalid, `mutation { removeSecondFactor(code: `+recovery[1]+`) }`)
	wantFailure(t, a, ada, fault.Forbidden, `mutation { removeUserSecondFactor(user: "`+ada.User+`") { id } }`) // a viewer manages nobody
	if got, failure := run(t, a, ada, `mutation { removeSecondFactor(code: `+code(0)+`) }`); got != `{"removeSecondFactor":true}` {
		t.Error(got, failure)
	}
	if got, _ := run(t, a, ada, `{ viewer { secondFactor { recoveryCodes } } }`); got != `{"viewer":{"secondFactor":null}}` {
		t.Error(got)
	}
	log := a.Do(t, `{ auditLog(kind: secondFactor) { nodes { user before after } } }`, nil)
	enrollFactor(t, a, ada) // in another app, whose first code is of the same step as the last code of the former
	entries := resolverstest.At(t, log, "auditLog", "nodes").([]any)
	if len(entries) != 4 { // enrolled, a recovery code used, renewed, removed
		t.Errorf("the audit log has %v", entries)
	}
	text := a.Answers[len(a.Answers)-1] + a.Logs.String()
	for _, hidden := range append(recovery, secret) {
		if strings.Contains(text, strings.Trim(hidden, `"`)) {
			t.Errorf("the audit log or the log holds %s", hidden)
		}
	}
}

// TestEnrollmentEndsSignIns checks that a session and a refresh token from before an enrollment do not count again once the
// second factor is removed.
func TestEnrollmentEndsSignIns(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	ada := newSignedInUser(t, a, "school", "")
	session := account.Session{Hash: [32]byte{1}, ID: "s", AccountID: "school", User: ada.User, AuthTime: a.Now, Expires: a.Now.Add(time.Hour)}
	grant := account.Grant{Hash: [32]byte{2}, Family: "f", ClientID: "console", User: ada.User, IssuedAt: a.Now, Expires: a.Now.Add(time.Hour)}
	resolverstest.Must(t, errors.Join(a.Accounts.PutSession(t.Context(), session), a.Accounts.PutGrant(t.Context(), grant)))
	wantFailure(t, a, ada, fault.Invalid, `mutation { enrollSecondFactor(secret: "`+strings.Repeat("A", 32)+`", code: "000000") }`)
	remain := func() bool {
		found, err := a.Accounts.Session(t.Context(), session.Hash, a.Now)
		_, lost := a.Accounts.Grant(t.Context(), grant.Hash, a.Now)
		return err == nil && found != nil && lost == nil
	}
	if !remain() {
		t.Error("a wrong code ends the sign-ins")
	}
	enrollFactor(t, a, ada)
	if remain() {
		t.Error("the sign-ins remain")
	}
}

// TestSecondFactorEnrolledMeanwhile checks that a code removes only the second factor that it is a code of, not one that
// was enrolled after the code was used.
func TestSecondFactorEnrolledMeanwhile(t *testing.T) {
	beside := &resolverstest.Meanwhile{}
	a := resolverstest.NewAdministration(t, func(c *resolvers.Config) { beside.Registry, c.Registry = c.Registry, beside })
	a.AddAccount(t, "school")
	ada := newSignedInUser(t, a, "school", "")
	first := enrollFactor(t, a, ada)
	a.Now = a.Now.Add(2 * time.Minute) // the code of another step
	beside.Do = func() {
		resolverstest.Must(t, beside.Registry.Edit(t.Context(), account.Actor{}, func(ctx context.Context, tx store.RegistryTx) error {
			return tx.Delete(ctx, account.KindSecondFactor.Key(ada.User))
		}))
		a.Now = a.Now.Add(2 * time.Minute)
		enrollFactor(t, a, ada)
	}
	code, err := totp.GenerateCode(first, a.Now)
	resolverstest.Must(t, err)
	wantFailure(t, a, ada, fault.Invalid, `mutation { removeSecondFactor(code: "`+code+`") }`)
	if got, _ := run(t, a, ada, `{ viewer { secondFactor { recoveryCodes } } }`); got != `{"viewer":{"secondFactor":{"recoveryCodes":10}}}` {
		t.Error(got)
	}
}

// TestTokensIssuedMeanwhile checks that the sessions of a user end with the access tokens that are issued until the last
// refresh token is gone.
func TestTokensIssuedMeanwhile(t *testing.T) {
	var a *resolverstest.Administration
	a = newStaff(t, func(c *resolvers.Config) {
		c.SignIns = slowSignIns{c.SignIns, func() { a.Now = a.Now.Add(time.Second) }}
	})
	a.AddAccount(t, "school")
	user := a.AddUser(t, map[string]any{"username": "bob", "password": "correct horse"})
	for _, change := range []string{`endUserSessions(user: "` + user + `") { id }`, `setUserPassword(id: "` + user + `", password: "battery staple") { id }`} {
		if _, failure := run(t, a, callerOf(account.Owner), `mutation { `+change+` }`); failure != "" {
			t.Fatal(failure)
		}
		if marks, err := a.Accounts.Revoked(t.Context(), a.Now); err != nil || marks[account.UserMark(user, a.Now)].IsZero() {
			t.Errorf("%s: tokens of the last second are valid: %v, %v", change, marks, err)
		}
	}
}

// slowSignIns lets time pass while refresh tokens are dropped.
type slowSignIns struct {
	store.SignIns
	pass func()
}

func (s slowSignIns) DropGrants(ctx context.Context, of account.GrantFilter) error {
	s.pass()
	return s.SignIns.DropGrants(ctx, of)
}

// TestCallersWithoutSecondFactor checks who cannot enroll: programs, with or without a user whom they name, and users
// without a password.
func TestCallersWithoutSecondFactor(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	ada := newSignedInUser(t, a, "school", "")
	program, naming, federated := *ada, *ada, *ada
	program.User, naming.Session = "", ""
	federated.User = a.AddUser(t, map[string]any{"issuer": "https://id.example", "subject": "bob"})
	for caller, code := range map[*account.Caller]fault.Code{&program: fault.Forbidden, &naming: fault.Forbidden, &federated: fault.Invalid} {
		for _, change := range []string{`beginSecondFactorEnrollment { secret }`, `enrollSecondFactor(secret: "x", code: "y")`, `renewRecoveryCodes(code: "x")`, `removeSecondFactor(code: "x")`} {
			wantFailure(t, a, caller, code, `mutation { `+change+` }`)
		}
	}
	a.CodeLimit = fault.Errorf(fault.TooMany, "too many")
	wantFailure(t, a, ada, fault.TooMany, `mutation { enrollSecondFactor(secret: "x", code: "y") }`)
}

// TestSecondFactorsOfOthers checks who sees and removes the second factor of another user, and that one ends with its user.
func TestSecondFactorsOfOthers(t *testing.T) {
	a := newStaff(t)
	a.AddAccount(t, "school")
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	enrolled := func(of string, role account.StaffRole) *account.Caller {
		who := newSignedInUser(t, a, of, role)
		enrollFactor(t, a, who)
		return who
	}
	colleague, teacher := enrolled("house", account.Support), enrolled("school", "")
	remove := func(user string) string {
		return `mutation { removeUserSecondFactor(user: "` + user + `") { secondFactor { createdAt } } }`
	}
	support, owner := callerOf(account.Support), callerOf(account.Owner)
	if got, _ := run(t, a, owner, `{ staff { secondFactor { recoveryCodes } } }`); got != `{"staff":[{"secondFactor":{"recoveryCodes":10}}]}` {
		t.Error(got)
	}
	if got, _ := run(t, a, support, `{ user(id: "`+teacher.User+`") { secondFactor { recoveryCodes } } }`); !strings.Contains(got, `:10`) {
		t.Error(got)
	}
	wantFailure(t, a, support, fault.Forbidden, remove(colleague.User)) // of the operator's account
	wantFailure(t, a, colleague, fault.Invalid, remove(colleague.User)) // without a code
	wantFailure(t, a, callerOf(account.Finance), fault.Forbidden, remove(teacher.User))
	for caller, user := range map[*account.Caller]string{support: teacher.User, owner: colleague.User} {
		if got, failure := run(t, a, caller, remove(user)); got != `{"removeUserSecondFactor":{"secondFactor":null}}` {
			t.Error(got, failure)
		}
		wantFailure(t, a, caller, fault.NotFound, remove(user))
	}
	a.Do(t, `mutation { createAccount(input: {id: "house2", name: "House 2", operator: true}) { id } }`, nil)
	third := enrolled("house2", "")
	a.Do(t, `mutation { deleteUser(id: "`+third.User+`") }`, nil)
	if record, err := a.Accounts.Entity(t.Context(), account.EntityKey{Kind: account.KindSecondFactor, ID: third.User}); record != nil || err != nil {
		t.Errorf("after the deletion of its user: %v, %v", record, err)
	}
}

// TestUserSessions lists the sessions of a user, and ends them with the rights to change the user only.
func TestUserSessions(t *testing.T) {
	a := newStaff(t)
	a.AddAccount(t, "school")
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	colleague, teacher := newSignedInUser(t, a, "house", account.Support), newSignedInUser(t, a, "school", "")
	for _, user := range []string{colleague.User, teacher.User} {
		session := account.Session{Hash: [32]byte([]byte(user + user)), ID: user, AccountID: "x", User: user, Provider: "main", AuthTime: a.Now, Expires: a.Now.Add(time.Hour)}
		grant := account.Grant{Hash: session.Hash, Family: user, ClientID: "web", User: user, Session: user, IssuedAt: a.Now.Add(time.Minute), Expires: a.Now.Add(time.Hour)}
		resolverstest.Must(t, errors.Join(a.Accounts.PutSession(t.Context(), session), a.Accounts.PutGrant(t.Context(), grant)))
	}
	of := func(user string) string { return `{ user(id: "` + user + `") { sessions { provider clients } } }` }
	end := func(user string) string {
		return `mutation { endUserSessions(user: "` + user + `") { sessions { provider } } }`
	}
	support := callerOf(account.Support)
	if got, failure := run(t, a, support, of(teacher.User)); got != `{"user":{"sessions":[{"provider":"main","clients":["web"]}]}}` {
		t.Error(got, failure)
	}
	wantFailure(t, a, callerOf(account.Finance), fault.Forbidden, of(teacher.User))
	wantFailure(t, a, support, fault.Forbidden, end(colleague.User))
	wantFailure(t, a, support, fault.NotFound, end(strings.Repeat("0", 24)))
	for caller, user := range map[*account.Caller]string{support: teacher.User, callerOf(account.Owner): colleague.User} {
		if got, failure := run(t, a, caller, end(user)); got != `{"endUserSessions":{"sessions":[]}}` {
			t.Error(got, failure)
		}
		if marks, err := a.Accounts.Revoked(t.Context(), a.Now); err != nil || marks[account.UserMark(user, a.Now)].IsZero() {
			t.Errorf("the tokens of %s are valid: %v, %v", user, marks, err)
		}
		entries, err := a.Accounts.Audit(t.Context(), store.AuditQuery{Key: account.EntityKey{Kind: account.KindUser, ID: user}}, 0, 1)
		if err != nil || len(entries) != 1 || entries[0].Actor != (account.Actor{Client: caller.ClientID, User: caller.User}) || entries[0].Before != nil ||
			string(entries[0].After) != `{"sessionsEndedAt":"`+a.Now.UTC().Format(time.RFC3339Nano)+`"}` {
			t.Errorf("the audit log has %+v, %v", entries, err)
		}
	}
}

func TestStaffPolicy(t *testing.T) {
	a := newStaff(t)
	set := `mutation { it: setStaffPolicy(requireSecondFactor: true) { requireStaffSecondFactor requirePkce } }`
	wantFailure(t, a, callerOf(account.Engineer), fault.Forbidden, set)
	resolverstest.WantAt(t, a.Do(t, set, nil), `{"requirePkce":false,"requireStaffSecondFactor":true}`, "it")
	a.Do(t, `mutation { setClientPolicy(requirePkce: true) { version } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `{ tokenPolicy { requireStaffSecondFactor } }`, nil), `true`, "tokenPolicy", "requireStaffSecondFactor")
}
