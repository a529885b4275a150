package endpoint_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// administration is an endpoint over a registry of its own.
type administration struct {
	handler  http.Handler
	accounts *sqlite.Accounts
	logs     bytes.Buffer
	answers  []string
	now      time.Time
}

const shownHash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$"

func newAdministration(t testing.TB) *administration {
	t.Helper()
	a := &administration{now: now()}
	clock := func() time.Time { return a.now }
	var err error
	a.accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"), sqlite.WithClock(clock))
	must(t, err)
	t.Cleanup(func() { must(t, a.accounts.Close()) })
	schema := resolvers.NewSchema(resolvers.Config{
		Registry: a.accounts, SignIns: a.accounts, Now: clock, AccessLifetime: time.Hour,
		HashPassword: func(_ context.Context, password string) (string, error) {
			if len(password) < 8 {
				return "", catalogue.InvalidRequest("too short")
			}
			return shownHash + hex.EncodeToString([]byte(password)), nil
		},
	})
	a.handler = newEndpoint(t, func(c *endpoint.Config) {
		c.Schema, c.Logger = schema, slog.New(slog.NewTextHandler(&a.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	return a
}

// staff is a caller with a user behind the client.
var staff = &account.Caller{ClientID: "console", User: "ada", Rights: account.OperatorRights()}

// do wants an answer without faults, and reads its data.
func (a *administration) do(t testing.TB, query string, variables map[string]any) map[string]any {
	t.Helper()
	w := post(t, a.handler, staff, ask(query, variables))
	a.answers = append(a.answers, w.Body.String())
	answer := read(t, w)
	if len(answer.Errors) > 0 {
		t.Fatalf("%s: %s", query, w.Body)
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Data))
	decoder.UseNumber()
	var data map[string]any
	must(t, decoder.Decode(&data))
	return data
}

// refuse wants a fault with a code whose message, or one of whose reasons, says something.
func (a *administration) refuse(t testing.TB, code catalogue.Code, says, query string, variables map[string]any) {
	t.Helper()
	w := post(t, a.handler, staff, ask(query, variables))
	a.answers = append(a.answers, w.Body.String())
	answer := read(t, w)
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(code) {
		t.Fatalf("%s: got %s, want the code %s", query, w.Body, code)
	}
	if told := fmt.Sprint(answer.Errors[0].Message, answer.Errors[0].Extensions["reasons"]); !strings.Contains(told, says) {
		t.Errorf("%s: got %s, want %q", query, told, says)
	}
}

// at follows names into an answer.
func at(t testing.TB, data any, path ...string) any {
	t.Helper()
	for _, name := range path {
		object, ok := data.(map[string]any)
		if !ok {
			t.Fatalf("there is no %s in %v", name, data)
		}
		data = object[name]
	}
	return data
}

// wantAt compares a value in an answer, written as JSON.
func wantAt(t testing.TB, data any, want string, path ...string) {
	t.Helper()
	got, err := json.Marshal(at(t, data, path...))
	must(t, err)
	if string(got) != want {
		t.Errorf("%s: got %s, want %s", strings.Join(path, "."), got, want)
	}
}

const createAccount = `mutation($input: CreateAccountInput!) { createAccount(input: $input) { id version } }`

func (a *administration) addAccount(t testing.TB, id string) {
	t.Helper()
	a.do(t, createAccount, map[string]any{"input": map[string]any{"id": id, "name": id, "tier": "basic"}})
}

// addClient returns the secret, "" for a public client.
func (a *administration) addClient(t testing.TB, id string, more map[string]any) string {
	t.Helper()
	input := map[string]any{"id": id, "account": "school"}
	for name, value := range more {
		input[name] = value
	}
	made := a.do(t, `mutation($input: CreateClientInput!) { made: createClient(input: $input) { client { id } secret } }`, map[string]any{"input": input})
	secret, _ := at(t, made, "made", "secret").(string)
	return secret
}

func (a *administration) addUser(t testing.TB, input map[string]any) string {
	t.Helper()
	input["account"] = "school"
	made := a.do(t, `mutation($input: CreateUserInput!) { made: createUser(input: $input) { id } }`, map[string]any{"input": input})
	return at(t, made, "made", "id").(string)
}

func (a *administration) client(t testing.TB, id string) *account.Client {
	t.Helper()
	record, err := a.accounts.Record(t.Context(), account.RecordKey{Kind: account.KindClient, ID: id})
	must(t, err)
	return record.(*account.Client)
}

// TestAdministrationIsForOperatorsAlone walks every field of the schema.
func TestAdministrationIsForOperatorsAlone(t *testing.T) {
	schema := newSchema(t).Schema()
	a := newAdministration(t)
	administered := strings.Fields("accounts account clients client users user tiers tier contentPackages contentPackage tokenPolicy trail")
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			isOperators := slices.Contains(administered, field.Name) ||
				root == schema.Mutation && field.Name != "reportAccessExpired"
			if strings.HasPrefix(field.Name, "__") || !isOperators {
				continue
			}
			query := strings.ToLower(root.Name) + " { " + field.Name + argumentsOf(schema, field.Arguments) + " " + selectionOf(schema, field.Type) + " }"
			for _, caller := range []*account.Caller{customer, {ClientID: "expired", Rights: account.RightsOf(account.ReportExpiry)}} {
				answer := read(t, post(t, a.handler, caller, ask(query, nil)))
				if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "FORBIDDEN" {
					t.Errorf("%s: a customer gets %+v", query, answer)
				}
			}
			if answer := read(t, post(t, a.handler, nil, ask(query, nil))); len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "UNAUTHENTICATED" {
				t.Errorf("%s: nobody gets %+v", query, answer)
			}
		}
	}
	if entries, err := a.accounts.Trail(t.Context(), store.TrailQuery{}, 0, 100); err != nil || slices.ContainsFunc(entries, func(e account.AuditEntry) bool { return e.Actor.Client == "customer" }) {
		t.Errorf("the trail tells of a customer: %v %v", entries, err)
	}
}

// argumentsOf writes a value for each argument that is required.
func argumentsOf(schema *ast.Schema, arguments ast.ArgumentDefinitionList) string {
	var given []string
	for _, argument := range arguments {
		if argument.Type.NonNull && argument.DefaultValue == nil {
			given = append(given, argument.Name+": "+literalOf(schema, argument.Type))
		}
	}
	if given == nil {
		return ""
	}
	return "(" + strings.Join(given, ", ") + ")"
}

func literalOf(schema *ast.Schema, kind *ast.Type) string {
	if kind.Elem != nil {
		return "[]"
	}
	definition := schema.Types[kind.NamedType]
	switch {
	case definition.Kind == ast.Enum:
		return definition.EnumValues[0].Name
	case definition.Kind == ast.InputObject:
		var fields []string
		for _, field := range definition.Fields {
			if field.Type.NonNull && field.DefaultValue == nil {
				fields = append(fields, field.Name+": "+literalOf(schema, field.Type))
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case definition.Name == "Boolean":
		return "true"
	case definition.Name == "Int":
		return "1"
	}
	return `"x"`
}

func selectionOf(schema *ast.Schema, kind *ast.Type) string {
	if schema.Types[kind.Name()].Kind == ast.Object {
		return "{ __typename }"
	}
	return ""
}

func TestAdministrationWithoutARegistry(t *testing.T) {
	handler := newEndpoint(t)
	for _, query := range []string{
		`{ accounts { nodes { id } } }`, `{ client(id: "x") { id } }`, `{ trail { nodes { id } } }`, `{ tokenPolicy { version } }`,
		`{ users(account: "x", username: "y") { nodes { id } } }`,
		`mutation { deleteTier(id: "x") }`, `mutation { createAccount(input: {id: "x", name: "x"}) { id } }`,
	} {
		answer := read(t, post(t, handler, staff, ask(query, nil)))
		if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "UNAVAILABLE" {
			t.Errorf("%s: %+v", query, answer)
		}
	}
}

const wholeAccount = `id name operator tier products type status accessExpiresOn subjects contentPackage allowedOrigins overridesUserIds
	environment passwordSignIn identityProviders { alias name issuer clientId hasClientSecret scopes domains }
	requestsPerMinute requestsPerMonth createdAt updatedAt version`

func TestAccounts(t *testing.T) {
	a := newAdministration(t)
	a.do(t, `mutation { createContentPackage(input: {id: "slice", name: "Slice", rules: []}) { id } }`, nil)
	created := a.do(t, `mutation($input: CreateAccountInput!) { it: createAccount(input: $input) { `+wholeAccount+` } }`, map[string]any{"input": map[string]any{
		"id": "school", "name": "A school", "tier": "plus", "products": []string{"LTI"}, "type": "TRIAL", "accessExpiresOn": "2026-12-31",
		"subjects": []any{physics}, "contentPackage": "slice", "allowedOrigins": []string{"https://learn.example"}, "overridesUserIds": true,
		"environment": "SANDBOX", "passwordSignIn": true, "requestsPerMinute": 60, "requestsPerMonth": 1_000_000,
		"identityProviders": []any{map[string]any{
			"alias": "main", "name": "School", "issuer": "https://id.example", "clientId": "filmstrip", "clientSecret": "provider-secret", "domains": []string{"school.example"},
		}},
	}})
	version := at(t, created, "it", "version").(json.Number)
	want := `{"accessExpiresOn":"2026-12-31","allowedOrigins":["https://learn.example"],"contentPackage":"slice","createdAt":"2026-03-04T05:06:07.000000Z",` +
		`"environment":"SANDBOX","id":"school","identityProviders":[{"alias":"main","clientId":"filmstrip","domains":["school.example"],"hasClientSecret":true,"issuer":"https://id.example","name":"School","scopes":null}],` +
		`"name":"A school","operator":false,"overridesUserIds":true,"passwordSignIn":true,"products":["LTI"],"requestsPerMinute":60,"requestsPerMonth":1000000,` +
		`"status":"ACTIVE","subjects":["` + string(physics) + `"],"tier":"plus","type":"TRIAL","updatedAt":"2026-03-04T05:06:07.000000Z","version":` + version.String() + `}`
	wantAt(t, created, want, "it")
	wantAt(t, a.do(t, `{ it: account(id: "school") { `+wholeAccount+` } }`, nil), want, "it")
	wantAt(t, a.do(t, `{ it: account(id: "other") { id } }`, nil), "null", "it")
	a.refuse(t, catalogue.Conflict, `account "school"`, createAccount, map[string]any{"input": map[string]any{"id": "school", "name": "x", "tier": "basic"}})

	const update = `mutation($version: Int, $input: UpdateAccountInput!) { it: updateAccount(id: "school", version: $version, input: $input) { ` + wholeAccount + ` } }`
	a.now = a.now.Add(time.Hour)
	changed := a.do(t, update, map[string]any{"version": version, "input": map[string]any{
		"name": "The school", "accessExpiresOn": nil, "contentPackage": nil, "products": nil, "requestsPerMonth": nil,
		"identityProviders": []any{map[string]any{"alias": "main", "name": "School", "issuer": "https://id.example", "clientId": "other"}},
	}})
	newer := at(t, changed, "it", "version").(json.Number)
	for _, pair := range [][2]string{
		{`"accessExpiresOn":"2026-12-31"`, `"accessExpiresOn":null`}, {`"contentPackage":"slice"`, `"contentPackage":null`},
		{`["LTI"]`, `[]`}, {`1000000`, `null`}, {"A school", "The school"}, {`"clientId":"filmstrip"`, `"clientId":"other"`},
		{`"updatedAt":"2026-03-04T05`, `"updatedAt":"2026-03-04T06`}, {`"version":` + version.String(), `"version":` + newer.String()}, {`["school.example"]`, "[]"},
	} {
		want = strings.Replace(want, pair[0], pair[1], 1)
	}
	wantAt(t, changed, want, "it")

	a.refuse(t, catalogue.Conflict, newer.String(), update, map[string]any{"version": version, "input": map[string]any{"name": "Too late"}})
	a.refuse(t, catalogue.Conflict, newer.String(), `mutation($v: Int) { deleteAccount(id: "school", version: $v) }`, map[string]any{"v": version})
	a.refuse(t, catalogue.NotFound, `"nowhere"`, `mutation { updateAccount(id: "nowhere", input: {name: "x"}) { id } }`, nil)
	a.refuse(t, catalogue.NotFound, `"nowhere"`, `mutation { deleteAccount(id: "nowhere") }`, nil)
	a.refuse(t, catalogue.Invalid, "name: cannot be null", update, map[string]any{"input": map[string]any{"name": nil}})
	a.refuse(t, catalogue.Invalid, "status: cannot be null", update, map[string]any{"input": map[string]any{"status": nil}})
	a.refuse(t, catalogue.Invalid, "tier", update, map[string]any{"input": map[string]any{"tier": "gold"}})
	a.refuse(t, catalogue.Invalid, "tier: is required", update, map[string]any{"input": map[string]any{"tier": nil}})
	for _, field := range []string{"tier", "contentPackage"} { // of which one that is not there would open everything
		a.refuse(t, catalogue.Invalid, field+`: "" is no id`, update, map[string]any{"input": map[string]any{field: ""}})
		a.refuse(t, catalogue.Invalid, field+`: "" is no id`, createAccount, map[string]any{"input": map[string]any{
			"id": "new", "name": "New", "operator": true, field: "",
		}})
	}
	a.refuse(t, catalogue.Invalid, `allowedOrigins[0]: "ftp://x"`, update, map[string]any{"input": map[string]any{"allowedOrigins": []string{"ftp://x"}}})
	a.refuse(t, catalogue.Invalid, "requestsPerMinute: -1", update, map[string]any{"input": map[string]any{"requestsPerMinute": -1}})

	// The provider's secret stayed, and goes to no other provider.
	if got := a.account(t).IdentityProviders[0].ClientSecret; got != "provider-secret" {
		t.Errorf("the provider's secret is %q", got)
	}
	a.do(t, update, map[string]any{"input": map[string]any{
		"identityProviders": []any{map[string]any{"alias": "main", "name": "School", "issuer": "https://elsewhere.example", "clientId": "other"}},
	}})
	if got := a.account(t).IdentityProviders[0].ClientSecret; got != "" {
		t.Errorf("another provider has the secret %q", got)
	}

	a.addClient(t, "lms", nil)
	a.refuse(t, catalogue.Conflict, "lms", `mutation { deleteAccount(id: "school") }`, nil)
	a.refuse(t, catalogue.Conflict, "school", `mutation { deleteTier(id: "plus") }`, nil)
	a.do(t, `mutation { deleteClient(id: "lms") deleteAccount(id: "school") }`, nil)
	wantAt(t, a.do(t, `{ it: account(id: "school") { id } }`, nil), "null", "it")
}

func (a *administration) account(t testing.TB) *account.Account {
	t.Helper()
	record, err := a.accounts.Record(t.Context(), account.RecordKey{Kind: account.KindAccount, ID: "school"})
	must(t, err)
	return record.(*account.Account)
}

func TestClients(t *testing.T) {
	a := newAdministration(t)
	a.addAccount(t, "school")
	secret := a.addClient(t, "lms", map[string]any{"redirectUris": []string{"https://lms.example/callback"}, "roles": []string{}})
	if !strings.HasPrefix(secret, "fs_") || len(secret) != 3+43 {
		t.Errorf("the secret is %q", secret)
	}
	kept := a.client(t, "lms")
	if sum := sha256.Sum256([]byte(secret)); len(kept.Secrets) != 1 || !bytes.Equal(kept.Secrets[0].Hash, sum[:]) || kept.RequirePKCE || kept.Public() {
		t.Errorf("the client is kept as %+v", kept)
	}
	if other := a.addClient(t, "second", nil); other == secret {
		t.Error("two clients have one secret")
	}
	if got := a.addClient(t, "web", map[string]any{"public": true}); got != "" || !a.client(t, "web").RequirePKCE || !a.client(t, "web").Public() {
		t.Errorf("a public client has the secret %q", got)
	}
	a.addClient(t, "lax", map[string]any{"public": true, "requirePkce": false})
	if a.client(t, "lax").RequirePKCE {
		t.Error("PKCE cannot be turned off")
	}
	if a.client(t, "lms").Roles == nil || a.client(t, "web").Roles != nil {
		t.Error("no roles and no limit by roles are one")
	}
	const show = `{ it: client(id: "lms") { account name public secrets { createdAt expiresAt } requireSecret requirePkce redirectUris postLogoutRedirectUris roles disabled } }`
	wantAt(t, a.do(t, show, nil), `{"account":"school","disabled":false,"name":"","postLogoutRedirectUris":[],"public":false,"redirectUris":["https://lms.example/callback"],`+
		`"requirePkce":false,"requireSecret":false,"roles":[],"secrets":[{"createdAt":"2026-03-04T05:06:07.000000Z","expiresAt":null}]}`, "it")
	a.do(t, `mutation { updateClient(id: "lms", input: {name: "LMS", requireSecret: true, roles: null, redirectUris: null}) { id } }`, nil)
	wantAt(t, a.do(t, show, nil), `{"account":"school","disabled":false,"name":"LMS","postLogoutRedirectUris":[],"public":false,"redirectUris":[],`+
		`"requirePkce":false,"requireSecret":true,"roles":null,"secrets":[{"createdAt":"2026-03-04T05:06:07.000000Z","expiresAt":null}]}`, "it")

	a.refuse(t, catalogue.Invalid, "requireSecret", `mutation { updateClient(id: "web", input: {requireSecret: true}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "redirectUris[0]", `mutation { updateClient(id: "web", input: {redirectUris: ["http://example.org/"]}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "roles[0]", `mutation { updateClient(id: "web", input: {roles: [OPERATE]}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "nowhere", `mutation { createClient(input: {id: "x", account: "nowhere"}) { secret } }`, nil)
	a.refuse(t, catalogue.Conflict, `client "lms"`, `mutation { createClient(input: {id: "lms", account: "school"}) { secret } }`, nil)
	wantAt(t, a.do(t, `{ it: clients(account: "school") { nodes { id } } }`, nil), `{"nodes":[{"id":"lax"},{"id":"lms"},{"id":"second"},{"id":"web"}]}`, "it")
	wantAt(t, a.do(t, `{ it: clients(account: "other") { nodes { id } } }`, nil), `{"nodes":[]}`, "it")
}

func TestReplacingASecret(t *testing.T) {
	a := newAdministration(t)
	a.addAccount(t, "school")
	first := a.addClient(t, "lms", nil)
	counts := func(secret string) bool {
		sum := sha256.Sum256([]byte(secret))
		return slices.ContainsFunc(a.client(t, "lms").Secrets, func(s account.Secret) bool { return bytes.Equal(s.Hash, sum[:]) && s.Counts(a.now) })
	}
	firstID := a.client(t, "lms").Secrets[0].ID
	a.refuse(t, catalogue.Conflict, "only secret", `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": firstID})

	const add = `mutation($days: Int) { it: addClientSecret(client: "lms", oldExpiresInDays: $days) { secret client { secrets { id expiresAt } } } }`
	second := at(t, a.do(t, add, map[string]any{"days": 7}), "it", "secret").(string)
	if !counts(first) || !counts(second) || first == second {
		t.Error("two secrets do not count beside each other")
	}
	a.refuse(t, catalogue.Conflict, "2 secrets", add, nil)
	a.refuse(t, catalogue.Invalid, "366", add, map[string]any{"days": 366})
	a.refuse(t, catalogue.Invalid, "-1", add, map[string]any{"days": -1})
	a.refuse(t, catalogue.NotFound, "nowhere", `mutation { addClientSecret(client: "nowhere") { secret } }`, nil)
	a.refuse(t, catalogue.NotFound, `"nothing"`, `mutation { removeClientSecret(client: "lms", secret: "nothing") { id } }`, nil)

	a.now = a.now.AddDate(0, 0, 7)
	if counts(first) || !counts(second) {
		t.Error("the old secret does not end on its day")
	}
	// The one that has ended makes room, and does not count as one that is left.
	secondID := a.client(t, "lms").Secrets[1].ID
	a.refuse(t, catalogue.Conflict, "only secret", `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": secondID})
	third := at(t, a.do(t, add, nil), "it", "secret").(string)
	a.do(t, `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": secondID})
	if counts(first) || counts(second) || !counts(third) {
		t.Error("the secret that was removed counts, or the one that is left does not")
	}
	fourth := at(t, a.do(t, add, map[string]any{"days": 0}), "it", "secret").(string)
	if counts(third) || !counts(fourth) {
		t.Error("a secret that is to end at once counts")
	}
}

func TestUsers(t *testing.T) {
	a := newAdministration(t)
	a.addAccount(t, "school")
	id := a.addUser(t, map[string]any{"externalId": "S-1", "username": "Ada@school.example", "password": "correct horse", "email": "ada@school.example", "givenName": "Ada"})
	if !catalogue.ID(id).Valid() || id == a.addUser(t, map[string]any{"externalId": "S-2"}) {
		t.Errorf("the user has the id %q", id)
	}
	const show = `query($id: String!) { it: user(id: $id) { account externalId username hasPassword issuer subject email emailVerified givenName familyName disabled } }`
	want := `{"account":"school","disabled":false,"email":"ada@school.example","emailVerified":false,"externalId":"S-1","familyName":null,"givenName":"Ada",` +
		`"hasPassword":true,"issuer":null,"subject":null,"username":"Ada@school.example"}`
	wantAt(t, a.do(t, show, map[string]any{"id": id}), want, "it")
	for arguments, nodes := range map[string]string{
		`account: "school", externalId: "S-1"`:              `[{"id":"` + id + `"}]`,
		`account: "school", username: "ADA@school.example"`: `[{"id":"` + id + `"}]`,
		`account: "school", externalId: "s-1"`:              `[]`,
		`account: "other", externalId: "S-1"`:               `[]`,
	} {
		wantAt(t, a.do(t, `{ it: users(`+arguments+`) { nodes { id } } }`, nil), nodes, "it", "nodes")
	}
	a.refuse(t, catalogue.Invalid, "account", `{ users(username: "ada") { nodes { id } } }`, nil)
	a.refuse(t, catalogue.Invalid, "either", `{ users(account: "school", username: "ada", externalId: "x") { nodes { id } } }`, nil)
	a.refuse(t, catalogue.Conflict, "", `mutation { createUser(input: {account: "school", externalId: "S-1"}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "password: too short", `mutation { createUser(input: {account: "school", username: "x", password: "short"}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "password: is required", `mutation($id: String!) { setUserPassword(id: $id) { id } }`, map[string]any{"id": id})
	a.refuse(t, catalogue.Invalid, "username: is required", `mutation { createUser(input: {account: "school", password: "long enough"}) { id } }`, nil)
	a.do(t, `mutation($id: String!) { updateUser(id: $id, input: {externalId: null, familyName: "Lovelace", emailVerified: true}) { id } }`, map[string]any{"id": id})
	want = strings.NewReplacer(`"externalId":"S-1"`, `"externalId":null`, `"familyName":null`, `"familyName":"Lovelace"`, `"emailVerified":false`, `"emailVerified":true`).Replace(want)
	wantAt(t, a.do(t, show, map[string]any{"id": id}), want, "it")
}

// TestWhoMayNotComeAnyMoreIsSignedOut: sessions, refresh tokens and access tokens end.
func TestWhoMayNotComeAnyMoreIsSignedOut(t *testing.T) {
	for name, test := range map[string]struct {
		mutation string
		user     bool
	}{
		"user disabled":     {`mutation($user: String!) { updateUser(id: $user, input: {disabled: true}) { id } }`, true},
		"user deleted":      {`mutation($user: String!) { deleteUser(id: $user) }`, true},
		"another password":  {`mutation($user: String!) { setUserPassword(id: $user, password: "another one") { id } }`, true},
		"no password":       {`mutation($user: String!) { setUserPassword(id: $user, password: null) { hasPassword } }`, true},
		"client disabled":   {`mutation { updateClient(id: "lms", input: {disabled: true}) { id } }`, false},
		"client deleted":    {`mutation { deleteClient(id: "lms") }`, false},
		"account suspended": {`mutation { updateAccount(id: "school", input: {status: SUSPENDED}) { id } }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAdministration(t)
			a.addAccount(t, "school")
			a.addClient(t, "lms", nil)
			user := a.addUser(t, map[string]any{"username": "ada", "password": "correct horse"})
			grant := account.Grant{Hash: [32]byte{1}, Family: "f", ClientID: "lms", User: user, IssuedAt: a.now, Expires: a.now.Add(time.Hour)}
			other := account.Grant{Hash: [32]byte{2}, Family: "g", ClientID: "another", User: "another", IssuedAt: a.now, Expires: a.now.Add(time.Hour)}
			session := account.Session{Hash: [32]byte{3}, ID: "s", AccountID: "school", User: user, AuthTime: a.now, Expires: a.now.Add(time.Hour)}
			must(t, errors.Join(a.accounts.PutGrant(t.Context(), grant), a.accounts.PutGrant(t.Context(), other), a.accounts.PutSession(t.Context(), session)))
			variables := map[string]any{}
			if test.user {
				variables["user"] = user
			}
			a.do(t, test.mutation, variables)

			if _, err := a.accounts.Grant(t.Context(), grant.Hash, a.now); !errors.Is(err, account.ErrGrantUnknown) {
				t.Errorf("the refresh token is left: %v", err)
			}
			if _, err := a.accounts.Grant(t.Context(), other.Hash, a.now); err != nil {
				t.Errorf("another's refresh token is gone: %v", err)
			}
			left, err := a.accounts.Session(t.Context(), session.Hash, a.now)
			must(t, err)
			if (left == nil) != test.user {
				t.Errorf("the session is %v", left)
			}
			revoked, err := a.accounts.Revoked(t.Context(), a.now.Add(59*time.Minute))
			must(t, err)
			ended := false
			for mark := range revoked {
				id, before, ok := account.ParseUserMark(mark)
				ended = ok && id == user && !before.Before(a.now)
			}
			if ended != test.user {
				t.Errorf("what is revoked: %v", revoked)
			}
		})
	}
}

func TestTiersPackagesAndPolicy(t *testing.T) {
	a := newAdministration(t)
	wantAt(t, a.do(t, `{ it: tiers { nodes { id } } }`, nil), `[{"id":"basic"},{"id":"plus"},{"id":"premium"}]`, "it", "nodes")
	put := a.do(t, `mutation { it: putTier(input: {id: "gold", name: "Gold", roles: [VIEW_VIDEOS, RATE_VIDEOS], features: [{name: "B", enabled: false}, {name: "A", enabled: true}]}, version: 0) { version } }`, nil)
	wantAt(t, a.do(t, `{ it: tier(id: "gold") { name roles features { name enabled } } }`, nil),
		`{"features":[{"enabled":true,"name":"A"},{"enabled":false,"name":"B"}],"name":"Gold","roles":["VIEW_VIDEOS","RATE_VIDEOS"]}`, "it")
	a.refuse(t, catalogue.Conflict, at(t, put, "it", "version").(json.Number).String(), `mutation { putTier(input: {id: "gold", name: "Gold", roles: []}, version: 0) { id } }`, nil)
	a.do(t, `mutation { putTier(input: {id: "gold", name: "Silver", roles: []}) { id } }`, nil)
	wantAt(t, a.do(t, `{ it: tier(id: "gold") { name roles features { name } } }`, nil), `{"features":[],"name":"Silver","roles":[]}`, "it")
	a.refuse(t, catalogue.Invalid, "roles[0]", `mutation { putTier(input: {id: "x", name: "X", roles: [BROWSE]}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "features[1].name", `mutation { putTier(input: {id: "x", name: "X", roles: [], features: [{name: "A", enabled: true}, {name: "A", enabled: true}]}) { id } }`, nil)
	a.do(t, `mutation { deleteTier(id: "gold") }`, nil)

	a.do(t, `mutation { createContentPackage(input: {id: "news", name: "News", rules: [{type: IncludedVideoTypes, values: ["NEWS"]}, {type: IncludeAllPrivateChannels}]}) { id } }`, nil)
	const rules = `{ it: contentPackage(id: "news") { name rules { type values } } }`
	wantAt(t, a.do(t, rules, nil), `{"name":"News","rules":[{"type":"IncludedVideoTypes","values":["NEWS"]},{"type":"IncludeAllPrivateChannels","values":[]}]}`, "it")
	a.refuse(t, catalogue.Conflict, "", `mutation { createContentPackage(input: {id: "other", name: "NEWS", rules: []}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "rules[0].values[0]", `mutation { updateContentPackage(id: "news", input: {rules: [{type: IncludedVideoTypes, values: ["OLD"]}]}) { id } }`, nil)
	a.refuse(t, catalogue.Invalid, "rules: cannot be null", `mutation { updateContentPackage(id: "news", input: {rules: null}) { id } }`, nil)
	a.do(t, `mutation { updateContentPackage(id: "news", input: {rules: []}) { id } }`, nil)
	wantAt(t, a.do(t, rules, nil), `{"name":"News","rules":[]}`, "it")
	wantAt(t, a.do(t, `mutation { it: deleteContentPackage(id: "news") }`, nil), `"news"`, "it")
	wantAt(t, a.do(t, `{ it: contentPackages { nodes { id } } }`, nil), `[]`, "it", "nodes")

	wantAt(t, a.do(t, `{ it: tokenPolicy { notBefore updatedAt version } }`, nil), `{"notBefore":null,"updatedAt":null,"version":0}`, "it")
	wantAt(t, a.do(t, `mutation { it: setTokenPolicy(notBefore: "2026-03-04T05:06:06.5Z", version: 0) { notBefore } }`, nil), `"2026-03-04T05:06:06.500000Z"`, "it", "notBefore")
	a.refuse(t, catalogue.Invalid, "future", `mutation { setTokenPolicy(notBefore: "2026-03-04T05:06:08Z") { version } }`, nil)
	a.refuse(t, catalogue.Conflict, "not 0", `mutation { setTokenPolicy(notBefore: null, version: 0) { version } }`, nil)
	for _, forgotten := range []string{`mutation { setTokenPolicy { version } }`, `mutation($then: DateTime) { setTokenPolicy(notBefore: $then) { version } }`} {
		a.refuse(t, catalogue.Invalid, "notBefore: is required", forgotten, nil)
	}
	wantAt(t, a.do(t, `{ it: tokenPolicy { notBefore } }`, nil), `"2026-03-04T05:06:06.500000Z"`, "it", "notBefore")
	wantAt(t, a.do(t, `mutation($then: DateTime) { it: setTokenPolicy(notBefore: $then) { notBefore } }`, map[string]any{"then": nil}), `null`, "it", "notBefore")
	a.do(t, `mutation { setTokenPolicy(notBefore: "2026-03-04T05:06:06.5Z") { version } }`, nil)
	wantAt(t, a.do(t, `mutation { it: setTokenPolicy(notBefore: null) { notBefore } }`, nil), `null`, "it", "notBefore")
}

func TestPagesOfRecords(t *testing.T) {
	a := newAdministration(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		a.addAccount(t, id)
	}
	var met []string
	for after, more := any(nil), true; more; {
		page := at(t, a.do(t, `query($after: String) { it: accounts(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`, map[string]any{"after": after}), "it")
		for _, node := range at(t, page, "nodes").([]any) {
			met = append(met, at(t, node, "id").(string))
		}
		after, more = at(t, page, "pageInfo", "endCursor"), at(t, page, "pageInfo", "hasNextPage").(bool)
	}
	if got := strings.Join(met, ""); got != "abcde" {
		t.Errorf("the pages hold %s", got)
	}
	var numbers []json.Number
	for before, more := any(nil), true; more; {
		page := at(t, a.do(t, `query($before: String) { it: trail(kind: account, first: 2, before: $before) { nodes { number } pageInfo { hasNextPage endCursor } } }`, map[string]any{"before": before}), "it")
		for _, node := range at(t, page, "nodes").([]any) {
			numbers = append(numbers, at(t, node, "number").(json.Number))
		}
		before, more = at(t, page, "pageInfo", "endCursor"), at(t, page, "pageInfo", "hasNextPage").(bool)
	}
	if len(numbers) != 5 || len(slices.Compact(slices.Clone(numbers))) != 5 {
		t.Errorf("the pages of the trail hold %v", numbers)
	}
	for _, field := range strings.Fields("accounts clients users tiers contentPackages trail") {
		for _, size := range []string{"0", "-1", "201"} {
			a.refuse(t, catalogue.Invalid, size, `{ `+field+`(first: `+size+`) { nodes { id } } }`, nil)
		}
		refused(t, post(t, a.handler, staff, ask(`{ `+field+`(first: 200) { nodes { `+manyAliases(300)+` } } }`, nil)), http.StatusBadRequest, "COMPLEXITY_LIMIT")
	}
	a.refuse(t, catalogue.Invalid, "nonsense", `{ trail(before: "nonsense") { nodes { id } } }`, nil)
	a.refuse(t, catalogue.Invalid, "without kind", `{ trail(id: "a") { nodes { id } } }`, nil)
}

func manyAliases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d: id ", i)
	}
	return b.String()
}

// TestEveryChangeIsTold: each mutation adds one entry for each record it changes, with who it was; and
// neither trail nor answers nor logs hold what is secret, but for the one answer that shows it.
func TestEveryChangeIsTold(t *testing.T) {
	a := newAdministration(t)
	a.addAccount(t, "school")
	user := a.addUser(t, map[string]any{"username": "ada", "password": "correct horse"})
	a.addClient(t, "lms", nil)
	first := a.client(t, "lms").Secrets[0]
	secrets := []string{"correct horse", "battery staple", "provider-secret", shownHash, hex.EncodeToString(first.Hash), base64.StdEncoding.EncodeToString(first.Hash), base64.RawURLEncoding.EncodeToString(first.Hash)}
	last := func() account.AuditEntry {
		entries, err := a.accounts.Trail(t.Context(), store.TrailQuery{}, 0, 1)
		must(t, err)
		return entries[0]
	}
	for _, step := range []struct {
		mutation      string
		kind          account.Kind
		before, after string // what the bodies hold; "": there is none
	}{
		{`createAccount(input: {id: "other", name: "Other", tier: "basic", identityProviders: [{alias: "main", name: "x", issuer: "https://id.example", clientId: "x", clientSecret: "provider-secret"}]}) { id }`, account.KindAccount, "", `"name":"Other"`},
		{`updateAccount(id: "other", input: {name: "Another"}) { id }`, account.KindAccount, `"name":"Other"`, `"name":"Another"`},
		{`deleteAccount(id: "other")`, account.KindAccount, `"name":"Another"`, ""},
		{`createClient(input: {id: "app", account: "school", name: "App"}) { client { id } }`, account.KindClient, "", `"name":"App"`},
		{`updateClient(id: "app", input: {disabled: true}) { id }`, account.KindClient, `"name":"App"`, `"disabled":true`},
		{`addClientSecret(client: "app") { client { id } }`, account.KindClient, `"secrets":[{`, `},{`},
		{`removeClientSecret(client: "lms", secret: "SECRET") { id }`, account.KindClient, `},{`, `"secrets":[{`},
		{`deleteClient(id: "app")`, account.KindClient, `"name":"App"`, ""},
		{`createUser(input: {account: "school", username: "eve", password: "battery staple"}) { id }`, account.KindUser, "", `"username":"eve"`},
		{`updateUser(id: "USER", input: {givenName: "Ada"}) { id }`, account.KindUser, `"username":"ada"`, `"givenName":"Ada"`},
		{`setUserPassword(id: "USER", password: null) { id }`, account.KindUser, `"passwordHash":"`, `"username":"ada"`},
		{`deleteUser(id: "USER")`, account.KindUser, `"givenName":"Ada"`, ""},
		{`putTier(input: {id: "gold", name: "Gold", roles: []}) { id }`, account.KindTier, "", `"name":"Gold"`},
		{`putTier(input: {id: "gold", name: "Gold", roles: [VIEW_TAGS]}) { id }`, account.KindTier, `"roles":[]`, `"VIEW_TAGS"`},
		{`deleteTier(id: "gold")`, account.KindTier, `"VIEW_TAGS"`, ""},
		{`createContentPackage(input: {id: "news", name: "News", rules: []}) { id }`, account.KindContentPackage, "", `"name":"News"`},
		{`updateContentPackage(id: "news", input: {name: "Old"}) { id }`, account.KindContentPackage, `"name":"News"`, `"name":"Old"`},
		{`deleteContentPackage(id: "news")`, account.KindContentPackage, `"name":"Old"`, ""},
		{`setTokenPolicy(notBefore: "2026-01-01T00:00:00Z") { version }`, account.KindPolicy, "", `"notBefore":"2026-01-01T00:00:00Z"`},
	} {
		if strings.Contains(step.mutation, "SECRET") {
			a.do(t, `mutation { addClientSecret(client: "lms") { client { id } } }`, nil)
		}
		before := last().Number
		a.do(t, "mutation { "+strings.NewReplacer("USER", user, "SECRET", first.ID).Replace(step.mutation)+" }", nil)
		entry := last()
		if entry.Number == before || entry.Actor != (account.Actor{Client: "console", User: "ada"}) || entry.Key.Kind != step.kind || !entry.At.Equal(a.now) {
			t.Errorf("%s: the last entry is %+v", step.mutation, entry)
		}
		for side, body := range map[string][]byte{step.before: entry.Before, step.after: entry.After} {
			if (side == "") != (body == nil) || !bytes.Contains(body, []byte(side)) {
				t.Errorf("%s: the trail tells %s -> %s", step.mutation, entry.Before, entry.After)
			}
		}
	}
	trail := a.do(t, `{ it: trail(first: 200) { nodes { number at client user kind id account before after } } }`, nil)
	if n := len(at(t, trail, "it", "nodes").([]any)); n < 20 {
		t.Errorf("the trail has %d entries", n)
	}
	wantAt(t, a.do(t, `{ it: trail(kind: user, id: "`+user+`", first: 1) { nodes { client user kind account after } } }`, nil),
		`[{"account":"school","after":null,"client":"console","kind":"user","user":"ada"}]`, "it", "nodes")

	a.refuse(t, catalogue.Invalid, "", `mutation { createUser(input: {account: "nowhere", username: "x", password: "correct horse"}) { id } }`, nil)
	everything := strings.Join(a.answers, "\n") + a.logs.String()
	for _, one := range secrets {
		if strings.Contains(everything, one) {
			t.Errorf("%q is told", one)
		}
	}
}

// TestNotingWhoComesAfterTheEnd: one note for each user and day.
func TestNotingWhoComesAfterTheEnd(t *testing.T) {
	a := newAdministration(t)
	a.addAccount(t, "school")
	expired := func(client, user string) *account.Caller {
		return &account.Caller{ClientID: client, User: user, Account: &account.Account{ID: "school"}, Rights: account.RightsOf(account.ReportExpiry)}
	}
	report := func(caller *account.Caller) parsedAnswer {
		return read(t, post(t, a.handler, caller, ask(`mutation { reportAccessExpired }`, nil)))
	}
	notes := func() (n int) {
		entries, err := a.accounts.Trail(t.Context(), store.TrailQuery{Key: a.account(t).Key()}, 0, 100)
		must(t, err)
		for _, entry := range entries {
			if strings.Contains(string(entry.After), "accessExpiredReported") && entry.Before == nil {
				n++
			}
		}
		return n
	}
	for i, step := range []struct {
		client, user string
		later        time.Duration
		want         int
	}{
		{"lms", "", 0, 1}, {"lms", "", time.Hour, 1}, {"lms", "ada", 0, 2}, {"other", "ada", 0, 2}, {"lms", "eve", 0, 3}, {"lms", "ada", 24 * time.Hour, 4},
	} {
		a.now = a.now.Add(step.later)
		if answer := report(expired(step.client, step.user)); string(answer.Data) != `{"reportAccessExpired":true}` {
			t.Errorf("step %d: %+v", i, answer)
		}
		if got := notes(); got != step.want {
			t.Errorf("step %d: there are %d notes, want %d", i, got, step.want)
		}
	}
	for _, caller := range []*account.Caller{customer, operator} {
		if answer := report(caller); len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "FORBIDDEN" {
			t.Errorf("%s: %+v", caller.ClientID, answer)
		}
	}
}
