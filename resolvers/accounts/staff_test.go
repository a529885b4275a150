package accounts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// newStaff is an administration with a program of the operator for each role (callerOf).
func newStaff(t *testing.T, edits ...func(*resolvers.Config)) *resolverstest.Administration {
	t.Helper()
	a := resolverstest.NewAdministration(t, edits...)
	a.Do(t, `mutation { createAccount(input: {id: "staff", name: "Staff", operator: true}) { id } }`, nil)
	for _, role := range account.StaffRoles() {
		a.Do(t, fmt.Sprintf(`mutation { createClient(input: {id: %q, account: "staff", staffRole: %s}) { secret } }`, callerOf(role).ClientID, role), nil)
	}
	return a
}

// callerOf makes a program of the operator with a role.
func callerOf(role account.StaffRole) *account.Caller {
	return &account.Caller{ClientID: strings.ToLower(string(role)), Permissions: role.Permissions(), StaffRole: role}
}

// codeOf returns the code of the first error of an operation, or "".
func codeOf(t testing.TB, a *resolverstest.Administration, caller *account.Caller, query string) string {
	t.Helper()
	answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, caller, resolverstest.RequestBody(query, nil)))
	if len(answer.Errors) == 0 {
		return ""
	}
	return fmt.Sprint(answer.Errors[0].Extensions["code"])
}

// TestStaffRoles compares the fields that each role may use, and that customers may not, with a table, which a reviewer
// reads. Every such field is asked for by every role.
func TestStaffRoles(t *testing.T) {
	schema := resolverstest.NewSchema(t).Schema()
	a := newStaff(t)
	var table strings.Builder
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			needs := field.Directives.ForName("requires")
			if needs == nil || permissionNamed(t, needs) < account.Operate {
				continue
			}
			query := strings.ToLower(root.Name) + " { " + field.Name + resolverstest.ArgumentsOf(schema, field.Arguments) + " " + resolverstest.SelectionOf(schema, field.Type) + " }"
			var roles []string
			for _, role := range account.StaffRoles() {
				if codeOf(t, a, callerOf(role), query) != string(fault.Forbidden) {
					roles = append(roles, string(role))
				}
			}
			fmt.Fprintf(&table, "%-9s%-24s%s\n", strings.ToLower(root.Name), field.Name, strings.Join(roles, " "))
		}
	}
	resolverstest.GoldenText(t, "staff-roles.txt", table.String())
}

func permissionNamed(t testing.TB, requires *ast.Directive) account.Permission {
	t.Helper()
	permission, err := account.ParsePermission(requires.Arguments.ForName("permission").Value.Raw)
	resolverstest.Must(t, err)
	return permission
}

// TestStaffSeeWhatTheirRoleNeeds checks the fields whose answer depends on arguments: only some roles see persons and
// statements.
func TestStaffSeeWhatTheirRoleNeeds(t *testing.T) {
	a := newStaff(t)
	a.AddAccount(t, "school")
	const period = `from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z"`
	persons := []account.StaffRole{account.Owner, account.CustomerManager, account.Support}
	billing := []account.StaffRole{account.Owner, account.CustomerManager, account.Finance, account.Viewer}
	customers := []account.StaffRole{account.Owner, account.CustomerManager, account.Support, account.Finance, account.Engineer, account.Viewer}
	all := account.StaffRoles()
	for query, allowed := range map[string][]account.StaffRole{
		`{ usage(` + period + `) { count } }`:                                 all,
		`{ usage(` + period + `, by: [USER]) { count } }`:                     persons,
		`{ usage(` + period + `, filter: {users: ["x"]}) { count } }`:         persons,
		`{ usage(` + period + `, filter: {externalUsers: ["x"]}) { count } }`: persons,
		`{ statement(account: "school", month: "2026-01") { account } }`:      billing,
		`{ statements(account: "school") { account } }`:                       billing,
		`{ auditLog(kind: user) { nodes { number } } }`:                       persons,
		`{ auditLog(kind: staffMember) { nodes { number } } }`:                persons,
		`{ auditLog(kind: account) { nodes { number } } }`:                    customers,
		`{ auditLog { nodes { number } } }`:                                   persons,
		`{ profile(id: "0123456789abcdef01234567") { id } }`:                  persons,
		`mutation { updateProfile(id: "x", input: {firstName: "A"}) { id } }`: persons,
		`{ viewer { staffRole permissions } }`:                                all,
		`{ searchReport(from: "2026-01-01", to: "2026-01-02") { searches } }`: all,
		`mutation { createCollection(input: {title: "x"}) { id } }`:           {account.Owner, account.Editor},
		`mutation { recordPlaybackBatch(events: []) }`:                        {account.Owner, account.Engineer},
	} {
		for _, role := range all {
			if got := codeOf(t, a, callerOf(role), query) != string(fault.Forbidden); got != slices.Contains(allowed, role) {
				t.Errorf("%s: %s is allowed: %t", query, role, got)
			}
		}
	}
}

// TestOnlyOwnersChangeTheOperatorsOwn proves that no other role can raise itself: none may change the operator's account,
// its clients, users and roles, and none may make an account the operator's.
func TestOnlyOwnersChangeTheOperatorsOwn(t *testing.T) {
	a := newStaff(t)
	a.AddAccount(t, "school")
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	a.Do(t, `mutation { createClient(input: {id: "console", account: "house"}) { secret } }`, nil)
	a.Do(t, `mutation { createClient(input: {id: "lms", account: "school"}) { secret } }`, nil)
	user := func(of string) string {
		made := a.Do(t, `mutation { it: createUser(input: {account: "`+of+`", username: "ada", password: "correct horse"}) { id } }`, nil)
		return resolverstest.At(t, made, "it", "id").(string)
	}
	boss, teacher := user("house"), user("school")
	a.Do(t, `mutation { setStaffRole(user: "`+boss+`", role: OWNER) { id } }`, nil)
	for _, change := range []string{
		`createAccount(input: {id: "second", name: "x", operator: true}) { id }`,
		`updateAccount(id: "house", input: {name: "x"}) { id }`,
		`updateAccount(id: "house", input: {identityProviders: [{alias: "x", name: "x", issuer: "https://id.example", clientId: "x"}]}) { id }`,
		`deleteAccount(id: "house")`,
		`createClient(input: {id: "mine", account: "house"}) { secret }`,
		`createClient(input: {id: "mine", account: "house", staffRole: VIEWER}) { secret }`,
		`updateClient(id: "console", input: {redirectUris: ["https://evil.example/"]}) { id }`,
		`addClientSecret(client: "console") { secret }`,
		`deleteClient(id: "console")`,
		`createUser(input: {account: "house", username: "eve", password: "correct horse"}) { id }`,
		`setUserPassword(id: "` + boss + `", password: "correct horse") { id }`,
		`updateUser(id: "` + boss + `", input: {email: "eve@example.org"}) { id }`,
		`updateProfile(id: "` + boss + `", input: {firstName: "Eve"}) { id }`,
		`deleteUser(id: "` + boss + `")`,
		`setStaffRole(user: "` + boss + `", role: null) { id }`,
	} {
		for _, role := range account.StaffRoles()[1:] {
			if got := codeOf(t, a, callerOf(role), "mutation { "+change+" }"); got != string(fault.Forbidden) {
				t.Errorf("%s does %s: %q", role, change, got)
			}
		}
	}
	manager := callerOf(account.CustomerManager)
	for _, change := range []string{
		`updateAccount(id: "school", input: {name: "School"}) { id }`, `addClientSecret(client: "lms") { secret }`,
		`setUserPassword(id: "` + teacher + `", password: "battery staple") { id }`, `deleteUser(id: "` + teacher + `")`,
	} {
		if got := codeOf(t, a, manager, "mutation { "+change+" }"); got != "" {
			t.Errorf("a manager of customers does not %s: %s", change, got)
		}
	}
}

// TestStaffCannotUndoTheirDemotion checks that staff who lost their role, or whose user, client or account was disabled or
// deleted, cannot change records with the permissions that their request began with.
func TestStaffCannotUndoTheirDemotion(t *testing.T) {
	setRole := func(role string) string { return `setStaffRole(user: "BOSS", role: ` + role + `) { id }` }
	setUser := func(disabled string) string {
		return `updateUser(id: "BOSS", input: {disabled: ` + disabled + `}) { id }`
	}
	setClient := func(input string) string { return `updateClient(id: "console", input: {` + input + `}) { id }` }
	setAccount := func(status string) string {
		return `updateAccount(id: "house", input: {status: ` + status + `}) { id }`
	}
	const program = `createClient(input: {id: "mine", account: "house", staffRole: OWNER}) { secret }` // with which they could go on
	for name, c := range map[string]struct{ meanwhile, undo, code string }{
		"nothing":             {setUser("false"), program, ""},
		"a lesser role":       {setRole("SUPPORT"), program, "FORBIDDEN"},
		"no role":             {setRole("null"), program, "FORBIDDEN"},
		"a disabled user":     {setUser("true"), setUser("false"), "FORBIDDEN"},
		"a deleted user":      {`deleteUser(id: "BOSS")`, program, "FORBIDDEN"},
		"a disabled client":   {setClient(`disabled: true`), setClient(`disabled: false`), "FORBIDDEN"},
		"a lesser client":     {setClient(`staffRole: VIEWER`), setClient(`staffRole: OWNER`), "FORBIDDEN"},
		"a deleted client":    {`deleteClient(id: "console")`, program, "FORBIDDEN"},
		"a suspended account": {setAccount("SUSPENDED"), setAccount("ACTIVE"), "FORBIDDEN"},
	} {
		t.Run(name, func(t *testing.T) {
			a := resolverstest.NewAdministration(t)
			a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
			a.Do(t, `mutation { createClient(input: {id: "console", account: "house"}) { secret } }`, nil)
			made := a.Do(t, `mutation { it: createUser(input: {account: "house", username: "ada", password: "correct horse"}) { id } }`, nil)
			caller := callerOf(account.Owner)
			caller.ClientID, caller.User, caller.Session = "console", resolverstest.At(t, made, "it", "id").(string), "a session"
			mutation := func(fields string) string {
				return "mutation { " + strings.ReplaceAll(fields, "BOSS", caller.User) + " }"
			}
			a.Do(t, mutation(setRole("OWNER")), nil)
			a.Do(t, mutation(c.meanwhile), nil)
			if got := codeOf(t, a, caller, mutation(c.undo)); got != c.code {
				t.Errorf("%s: got %q, want %q", c.undo, got, c.code)
			}
		})
	}
}

// TestOwnersDoNotLockThemselvesOut checks that callers can neither change their own role nor disable or delete their own
// user, so that an owner remains.
func TestOwnersDoNotLockThemselvesOut(t *testing.T) {
	a := newStaff(t)
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	owner := newSignedInUser(t, a, "house", account.Owner)
	colleague := resolverstest.At(t, a.Do(t, `mutation { it: createUser(input: {account: "house", username: "bob"}) { id } }`, nil), "it", "id").(string)
	changes := func(user string) []string {
		return []string{
			`setStaffRole(user: "` + user + `", role: EDITOR) { id }`, `setStaffRole(user: "` + user + `", role: null) { id }`,
			`updateUser(id: "` + user + `", input: {disabled: true}) { id }`, `deleteUser(id: "` + user + `")`,
		}
	}
	for _, change := range changes(owner.User) {
		wantFailure(t, a, owner, fault.Invalid, "mutation { "+change+" }")
	}
	for _, change := range append(changes(colleague), `updateUser(id: "`+owner.User+`", input: {disabled: false, givenName: "Ada"}) { id }`) {
		if _, failure := run(t, a, owner, "mutation { "+change+" }"); failure != "" {
			t.Errorf("%s: %s", change, failure)
		}
	}
}

// TestOnlyTheUserChangesTheirOwnRecord proves that neither a program that acts for a member of the staff, nor a client
// with which they signed in but that may do less, can take them over.
func TestOnlyTheUserChangesTheirOwnRecord(t *testing.T) {
	a := newStaff(t)
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	made := a.Do(t, `mutation { it: createUser(input: {account: "house", username: "ada", password: "correct horse"}) { id } }`, nil)
	boss := resolverstest.At(t, made, "it", "id").(string)
	a.Do(t, `mutation { setStaffRole(user: "`+boss+`", role: OWNER) { id } }`, nil)
	by := func(role account.StaffRole, session string) *account.Caller {
		caller := callerOf(role)
		caller.User, caller.Session = boss, session
		return caller
	}
	for _, change := range []string{
		`setUserPassword(id: "` + boss + `", password: "battery staple") { id }`,
		`updateUser(id: "` + boss + `", input: {username: "eve"}) { id }`,
		`updateUser(id: "` + boss + `", input: {issuer: "https://id.example", subject: "eve"}) { id }`,
		`updateUser(id: "` + boss + `", input: {givenName: "Ada"}) { id }`,
	} {
		for name, caller := range map[string]*account.Caller{
			"support staff's program for an owner": by(account.Support, ""), "a support client of a signed-in owner": by(account.Support, "a session"),
		} {
			if got := codeOf(t, a, caller, "mutation { "+change+" }"); got != string(fault.Forbidden) {
				t.Errorf("%s does %s: %q", name, change, got)
			}
		}
	}
	a.Do(t, `mutation { setStaffRole(user: "`+boss+`", role: SUPPORT) { id } }`, nil)
	change := `mutation { updateUser(id: "` + boss + `", input: {givenName: "Ada"}) { id } }`
	if got := codeOf(t, a, by(account.Support, "a session"), change); got != "" {
		t.Errorf("support staff who signed in may not change their own user: %s", got)
	}
	if got := codeOf(t, a, by(account.Support, ""), change); got != string(fault.Forbidden) {
		t.Errorf("a program changes a member of the staff: %q", got)
	}
}

// TestChangesShowNoMoreThanTheAuditLog proves that the list of all changes needs the same permissions as the audit log, and
// shows no role the contents of bills that the audit log hides from it.
func TestChangesShowNoMoreThanTheAuditLog(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.Do(t, `mutation { putPricePlan(input: {id: "secret-plan", name: "Secret plan", currency: "EUR", monthlyFee: "20"}) { id } }`, nil)
	for _, role := range account.StaffRoles() {
		for _, kind := range account.Kinds() {
			changes := codeOf(t, a, callerOf(role), fmt.Sprintf(`{ changes(filter: {recordKind: %s}, first: 1) { nodes { id } } }`, kind))
			if log := codeOf(t, a, callerOf(role), fmt.Sprintf(`{ auditLog(kind: %s, first: 1) { nodes { id } } }`, kind)); changes != log {
				t.Errorf("%s: changes of the kind %s answer %q, the audit log %q", role, kind, changes, log)
			}
		}
		answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, callerOf(role), resolverstest.RequestBody(`{ changes(first: 10) { nodes { recordKind before after } } }`, nil)))
		if shown := strings.Contains(string(answer.Data), "Secret plan"); shown != role.Permissions().Has(account.ViewBilling) {
			t.Errorf("%s sees the contents of a price plan: %t", role, shown)
		}
	}
}

func TestSetStaffRole(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	a.Do(t, `mutation { createAccount(input: {id: "house", name: "House", operator: true}) { id } }`, nil)
	made := a.Do(t, `mutation { it: createUser(input: {account: "house", username: "ada", givenName: "Ada"}) { id } }`, nil)
	ada := resolverstest.At(t, made, "it", "id").(string)
	teacher := a.AddUser(t, map[string]any{"username": "bob"})
	const set = `mutation($user: ID!, $role: StaffRole) { it: setStaffRole(user: $user, role: $role) { id role username givenName } }`
	resolverstest.WantAt(t, a.Do(t, set, resolverstest.Object("user", ada, "role", "EDITOR")), `{"givenName":"Ada","id":"`+ada+`","role":"EDITOR","username":"ada"}`, "it")
	resolverstest.WantAt(t, a.Do(t, set, resolverstest.Object("user", ada, "role", "FINANCE")), `"FINANCE"`, "it", "role")
	resolverstest.WantAt(t, a.Do(t, `{ staff { id role } }`, nil), `[{"id":"`+ada+`","role":"FINANCE"}]`, "staff")
	const expect = `mutation($user: ID!, $role: StaffRole, $version: Int) { it: setStaffRole(user: $user, role: $role, version: $version) { version } }`
	version := resolverstest.At(t, a.Do(t, expect, resolverstest.Object("user", ada, "role", "FINANCE")), "it", "version").(json.Number)
	for _, role := range []any{"EDITOR", nil} {
		a.WantError(t, fault.Conflict, "has version", expect, resolverstest.Object("user", ada, "role", role, "version", 1))
		a.WantError(t, fault.Conflict, "has version", expect, resolverstest.Object("user", ada, "role", role, "version", 0))
	}
	a.Do(t, expect, resolverstest.Object("user", ada, "role", nil, "version", version))
	a.WantError(t, fault.Conflict, "has version 0", expect, resolverstest.Object("user", ada, "role", "EDITOR", "version", version))
	a.Do(t, expect, resolverstest.Object("user", ada, "role", "EDITOR", "version", 0))
	resolverstest.WantAt(t, a.Do(t, set, resolverstest.Object("user", ada, "role", nil)), `null`, "it")
	resolverstest.WantAt(t, a.Do(t, set, resolverstest.Object("user", ada, "role", nil)), `null`, "it")
	resolverstest.WantAt(t, a.Do(t, `{ staff { id } }`, nil), `[]`, "staff")
	a.WantError(t, fault.Invalid, `the account "school" is not the operator's`, set, resolverstest.Object("user", teacher, "role", "OWNER"))
	a.WantError(t, fault.NotFound, "there is no user", set, resolverstest.Object("user", strings.Repeat("0", 24), "role", "OWNER"))
	a.WantError(t, fault.Invalid, `the account "school" is not the operator's`, `mutation { createClient(input: {id: "x", account: "school", staffRole: EDITOR}) { secret } }`, nil)

	a.Do(t, set, resolverstest.Object("user", ada, "role", "VIEWER"))
	byAda := &account.Caller{ClientID: "console", User: ada, Permissions: account.OperatorPermissions()}
	resolverstest.Read(t, resolverstest.Post(t, a.Handler, byAda, resolverstest.RequestBody(`mutation { putTier(input: {id: "t", name: "T", roles: []}) { id } }`, nil)))
	resolverstest.WantAt(t, a.Do(t, `{ auditLog(first: 2) { nodes { kind user userName } } }`, nil),
		`[{"kind":"tier","user":"`+ada+`","userName":"Ada"},{"kind":"staffMember","user":"ada","userName":null}]`, "auditLog", "nodes")
	a.Do(t, `mutation($id: String!) { deleteUser(id: $id) }`, resolverstest.Object("id", ada))
	resolverstest.WantAt(t, a.Do(t, `{ staff { id } }`, nil), `[]`, "staff")
}
