package endpoint_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
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
	"github.com/filmstrip/filmstrip/fault"
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
	schema := newSchema(t, func(c *resolvers.Config) {
		c.Registry, c.SignIns, c.Now, c.AccessLifetime = a.accounts, a.accounts, clock, time.Hour
		c.HashPassword = func(_ context.Context, password string) (string, error) {
			if len(password) < 8 {
				return "", fault.InvalidRequest("too short")
			}
			return shownHash + hex.EncodeToString([]byte(password)), nil
		}
	})
	a.handler = newEndpoint(t, func(c *endpoint.Config) {
		c.Schema, c.Logger = schema, slog.New(slog.NewTextHandler(&a.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	return a
}

// staff is a caller with a user behind the client.
var staff = &account.Caller{ClientID: "console", User: "ada", Permissions: account.OperatorPermissions()}

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
func (a *administration) refuse(t testing.TB, code fault.Code, says, query string, variables map[string]any) {
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
	record, err := a.accounts.Entity(t.Context(), account.EntityKey{Kind: account.KindClient, ID: id})
	must(t, err)
	return record.(*account.Client)
}

// TestAdministrationIsForOperatorsAlone walks every field of the schema.
func TestAdministrationIsForOperatorsAlone(t *testing.T) {
	schema := newSchema(t).Schema()
	a := newAdministration(t)
	administered := strings.Fields("accounts account clients client users user tiers tier contentPackages contentPackage tokenPolicy auditLog deprecations deprecationNotices")
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			isOperators := slices.Contains(administered, field.Name) ||
				strings.HasPrefix(field.Name, "catalogue") || root == schema.Mutation && !isCustomers(field.Name)
			if strings.HasPrefix(field.Name, "__") || !isOperators {
				continue
			}
			query := strings.ToLower(root.Name) + " { " + field.Name + argumentsOf(schema, field.Arguments) + " " + selectionOf(schema, field.Type) + " }"
			for _, caller := range []*account.Caller{customer, {ClientID: "expired", Permissions: account.PermissionsOf(account.ReportExpiry)}} {
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
	if entries, err := a.accounts.Audit(t.Context(), store.AuditQuery{}, 0, 100); err != nil || slices.ContainsFunc(entries, func(e account.AuditEntry) bool { return e.Actor.Client == "customer" }) {
		t.Errorf("the trail tells of a customer: %v %v", entries, err)
	}
}

// isCustomers reports whether a mutation is for customers too: what they tell of use, of themselves, their
// collections and their pages.
func isCustomers(mutation string) bool {
	return strings.HasPrefix(mutation, "record") || strings.Contains(mutation, "Collection") ||
		mutation == "reportAccessExpired" || mutation == "updateProfile" || mutation == "createEmbed"
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
	case definition.Name == "Month":
		return `"2026-10"`
	case definition.Name == "Date":
		return `"2030-01-01"`
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
		`{ accounts { nodes { id } } }`, `{ client(id: "x") { id } }`, `{ auditLog { nodes { id } } }`, `{ tokenPolicy { version } }`,
		`{ users(account: "x", username: "y") { nodes { id } } }`,
		`mutation { deleteTier(id: "x") }`, `mutation { createAccount(input: {id: "x", name: "x"}) { id } }`,
	} {
		answer := read(t, post(t, handler, staff, ask(query, nil)))
		if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "UNAVAILABLE" {
			t.Errorf("%s: %+v", query, answer)
		}
	}
}

const wholeAccount = `id name operator tier products type status accessExpiresOn subjects contentPackage allowedOrigins ignoresServiceUserId
	environment passwordSignIn identityProviders { alias name issuer clientId hasClientSecret scopes domains }
	embedsTakenOver requestsPerMinute requestsPerMonth createdAt updatedAt version`
