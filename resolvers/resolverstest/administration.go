package resolverstest

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// Account returns the stored account "school".
func (a *Administration) Account(t testing.TB) *account.Account {
	t.Helper()
	record, err := a.Accounts.Entity(t.Context(), account.KindAccount.Key("school"))
	Must(t, err)
	return record.(*account.Account)
}

// Administration is an endpoint with a registry of its own.
type Administration struct {
	Handler  http.Handler
	Accounts *sqlite.Accounts
	Logs     bytes.Buffer
	Answers  []string
	Now      time.Time
	// CodeLimit is the answer of the limit of codes.
	CodeLimit error
}

// ShownHash begins the hash of every password.
const ShownHash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$"

// NewAdministration makes an endpoint with an empty registry. The edits change its configuration.
func NewAdministration(t testing.TB, edits ...func(*resolvers.Config)) *Administration {
	t.Helper()
	a := &Administration{Now: Now()}
	clock := func() time.Time { return a.Now }
	var err error
	a.Accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"), sqlite.WithClock(clock))
	Must(t, err)
	t.Cleanup(func() { Must(t, a.Accounts.Close()) })
	schema := NewSchema(t, func(c *resolvers.Config) {
		c.Registry, c.SignIns, c.Now, c.AccessLifetime = a.Accounts, a.Accounts, clock, time.Hour
		c.Keys, c.SigningKeys = a.Accounts, auth.AccessKeys
		c.RotateKeys = func(ctx context.Context, now time.Time, withdraw bool) error {
			return auth.RotateKeys(ctx, a.Accounts, now, withdraw)
		}
		c.CheckProvider = func(_ context.Context, of string, provider *account.IdentityProvider) string {
			if provider.Issuer == "https://idp.example" {
				return ""
			}
			return "the issuer of " + of + " is away"
		}
		c.LimitCodes = func(context.Context, string) error { return a.CodeLimit }
		c.HashPassword = func(_ context.Context, password string) (string, error) {
			if len(password) < 8 {
				return "", fault.InvalidRequest("too short")
			}
			return ShownHash + hex.EncodeToString([]byte(password)), nil
		}
		for _, edit := range edits {
			edit(c)
		}
	})
	a.Handler = NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema, c.Logger = schema, slog.New(slog.NewTextHandler(&a.Logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	return a
}

// Meanwhile is a registry that runs Do once, right before the next transaction.
type Meanwhile struct {
	store.Registry
	Do func()
}

// Edit implements store.Registry.
func (m *Meanwhile) Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	if do := m.Do; do != nil {
		m.Do = nil
		do()
	}
	return m.Registry.Edit(ctx, actor, fn)
}

// Staff is an operator with a user.
var Staff = &account.Caller{ClientID: "console", User: "ada", Permissions: account.OperatorPermissions()}

// Do runs an operation as staff, fails on errors, and returns the data.
func (a *Administration) Do(t testing.TB, query string, variables map[string]any) map[string]any {
	t.Helper()
	w := Post(t, a.Handler, Staff, RequestBody(query, variables))
	a.Answers = append(a.Answers, w.Body.String())
	answer := Read(t, w)
	if len(answer.Errors) > 0 {
		t.Fatalf("%s: %s", query, w.Body)
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Data))
	decoder.UseNumber()
	var data map[string]any
	Must(t, decoder.Decode(&data))
	return data
}

// WantError runs an operation as staff, and fails unless its error has a code and its message or reasons contain a text.
func (a *Administration) WantError(t testing.TB, code fault.Code, says, query string, variables map[string]any) {
	t.Helper()
	w := Post(t, a.Handler, Staff, RequestBody(query, variables))
	a.Answers = append(a.Answers, w.Body.String())
	answer := Read(t, w)
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(code) {
		t.Fatalf("%s: got %s, want the code %s", query, w.Body, code)
	}
	if told := fmt.Sprint(answer.Errors[0].Message, answer.Errors[0].Extensions["reasons"]); !strings.Contains(told, says) {
		t.Errorf("%s: got %s, want %q", query, told, says)
	}
}

// At returns the value at a path in an answer.
func At(t testing.TB, data any, path ...string) any {
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

// WantAt fails unless the value at a path in an answer is equal to a JSON text.
func WantAt(t testing.TB, data any, want string, path ...string) {
	t.Helper()
	got, err := json.Marshal(At(t, data, path...))
	Must(t, err)
	if string(got) != want {
		t.Errorf("%s: got %s, want %s", strings.Join(path, "."), got, want)
	}
}

// CreateAccount creates an account of an input.
const CreateAccount = `mutation($input: CreateAccountInput!) { createAccount(input: $input) { id version } }`

// AddAccount creates an account with the tier basic.
func (a *Administration) AddAccount(t testing.TB, id string) {
	t.Helper()
	a.Do(t, CreateAccount, map[string]any{"input": map[string]any{"id": id, "name": id, "tier": "basic"}})
}

// AddClient creates a client of the account "school", and returns its secret, or "" for a public client.
func (a *Administration) AddClient(t testing.TB, id string, more map[string]any) string {
	t.Helper()
	input := map[string]any{"id": id, "account": "school"}
	for name, value := range more {
		input[name] = value
	}
	made := a.Do(t, `mutation($input: CreateClientInput!) { made: createClient(input: $input) { client { id } secret } }`, map[string]any{"input": input})
	secret, _ := At(t, made, "made", "secret").(string)
	return secret
}

// AddUser creates a user of the account "school", and returns the ID.
func (a *Administration) AddUser(t testing.TB, input map[string]any) string {
	t.Helper()
	input["account"] = "school"
	made := a.Do(t, `mutation($input: CreateUserInput!) { made: createUser(input: $input) { id } }`, map[string]any{"input": input})
	return At(t, made, "made", "id").(string)
}

// Client returns a stored client.
func (a *Administration) Client(t testing.TB, id string) *account.Client {
	t.Helper()
	record, err := a.Accounts.Entity(t.Context(), account.KindClient.Key(id))
	Must(t, err)
	return record.(*account.Client)
}

// ArgumentsOf writes a value for each required argument.
func ArgumentsOf(schema *ast.Schema, arguments ast.ArgumentDefinitionList) string {
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

// SelectionOf writes a selection for a field of a type.
func SelectionOf(schema *ast.Schema, kind *ast.Type) string {
	if schema.Types[kind.Name()].Kind == ast.Object {
		return "{ __typename }"
	}
	return ""
}

// Object makes an object of pairs of name and value.
func Object(members ...any) map[string]any {
	made := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		made[members[i].(string)] = members[i+1]
	}
	return made
}
