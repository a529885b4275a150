package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
)

// administration is the common part of the commands that administer accounts. They run the operations of the schema
// that operators send to a server. A server may run on the same stores.
type administration struct {
	used
	AccessTokenLifetime time.Duration `help:"The servers' access token lifetime, during which they refuse the tokens of a disabled or deleted user." default:"30m" group:"Stores:"`
}

// input is a variable of an operation that is an input object.
type input map[string]any

// given sets a field if its flag was given.
func given[T any](in input, field string, value *T) {
	if value != nil {
		in[field] = *value
	}
}

// inputOf returns the fields of a struct of flags, by their JSON names. The tag omitzero omits flags that were not given.
func inputOf(flags any) (input, error) { return asSent(flags) }

// cleared sets fields to null, which removes their values.
func (in input) cleared(fields []string) {
	for _, field := range fields {
		in[field] = nil
	}
}

// ask runs one operation and returns the value of its one root field.
func (a *administration) ask(ctx context.Context, operation string, variables input) (answer json.RawMessage, err error) {
	stores, err := a.StoreSettings.OpenAccounts(ctx, a.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	return a.askWith(ctx, stores, nil, operation, variables)
}

// asker runs one operation and returns the value of its one root field.
type asker = func(ctx context.Context, operation string, variables input) (json.RawMessage, error)

// askWith runs an operation on the stores of administration, and on the catalogue if that is not nil.
func (a *administration) askWith(
	ctx context.Context, stores *app.Stores, named store.Catalogue, operation string, variables input,
) (json.RawMessage, error) {
	schema := resolvers.NewSchema(resolvers.Config{
		Catalogue: named,
		Registry:  stores.Accounts, SignIns: stores.Accounts, HashPassword: password.Hash, AccessLifetime: a.AccessTokenLifetime,
		Collections: stores.Collections, SearchLog: stores.Queries, Deprecations: stores.Deprecations,
		Usage: stores.Usage,
		Keys:  stores.Accounts, SigningKeys: auth.AccessKeys, RotateKeys: app.RotateKeys(stores.Accounts),
	})
	return execute(account.WithCaller(ctx, atCommandLine()), schema, operation, variables)
}

// askNaming runs an operation that refers to items of the catalogue, which must exist, or depends on usage.
func (a *administration) askNaming(ctx context.Context, operation string, variables input) (json.RawMessage, error) {
	return a.onStores(ctx, func(stores *app.Stores) (json.RawMessage, error) {
		return a.askWith(ctx, stores, stores.Catalogue, operation, variables)
	})
}

// askCatalogue runs one operation on the catalogue.
func (a *administration) askCatalogue(ctx context.Context, operation string, variables input) (answer json.RawMessage, err error) {
	err = a.onCatalogue(ctx, func(ask asker) error {
		answer, err = ask(ctx, operation, variables)
		return err
	})
	return answer, err
}

// onCatalogue opens the catalogue for operations whose caller sees private channels too.
func (a *administration) onCatalogue(ctx context.Context, run func(asker) error) error {
	access, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.IncludeAllPrivateChannels}})
	if err != nil {
		return err
	}
	caller := atCommandLine()
	caller.Access = access
	cursorKey := make([]byte, 32) // cursors do not leave this process
	_, _ = rand.Read(cursorKey)   // never fails
	_, err = a.onStores(ctx, func(stores *app.Stores) (json.RawMessage, error) {
		schema := resolvers.NewSchema(resolvers.Config{Catalogue: stores.Catalogue, CursorKeys: [][]byte{cursorKey}})
		return nil, run(func(ctx context.Context, operation string, variables input) (json.RawMessage, error) {
			return execute(account.WithCaller(ctx, caller), schema, operation, variables)
		})
	})
	return err
}

// onStores opens existing stores for ask.
func (a *administration) onStores(ctx context.Context, ask func(*app.Stores) (json.RawMessage, error)) (answer json.RawMessage, err error) {
	if err := errors.Join(a.StoreSettings.Check(), a.StoreSettings.MustExist(a.Data, app.CatalogueFile)); err != nil {
		return nil, err
	}
	stores, err := a.StoreSettings.Open(ctx, a.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	return ask(stores)
}

// atCommandLine returns the caller that the audit log names for the changes of commands.
func atCommandLine() *account.Caller {
	return &account.Caller{ClientID: account.CommandLine, User: systemUser(), Permissions: account.OperatorPermissions()}
}

// systemUser returns the name of the system's user who runs the command.
func systemUser() string {
	if who, err := user.Current(); err == nil {
		return who.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}

// execute runs an operation within the process.
func execute(ctx context.Context, schema graphql.ExecutableSchema, operation string, variables input) (json.RawMessage, error) {
	plain, err := asSent(variables)
	if err != nil {
		return nil, err
	}
	run := executor.New(schema)
	run.Use(&graph.ExactEnums{})
	ctx = graphql.StartOperationTrace(ctx)
	prepared, faults := run.CreateOperationContext(ctx, &graphql.RawParams{Query: operation, Variables: plain})
	if faults != nil {
		return nil, faultOf(schema.Schema(), faults)
	}
	respond, ctx := run.DispatchOperation(ctx, prepared)
	response := respond(ctx)
	switch {
	case response == nil:
		return nil, errors.Join(errors.New("no response"), ctx.Err())
	case len(response.Errors) > 0:
		return nil, faultOf(schema.Schema(), response.Errors)
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(response.Data, &data); err != nil {
		return nil, err
	}
	for _, answer := range data {
		return answer, nil
	}
	return nil, errors.New("the response is empty")
}

// asSent returns the variables as a server decodes them from JSON.
func asSent(variables any) (map[string]any, error) {
	text, err := json.Marshal(variables)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain map[string]any
	return plain, decoder.Decode(&plain)
}

// faultOf converts the errors of an operation to one that an operator can act on.
func faultOf(schema *ast.Schema, faults gqlerror.List) error {
	var lines []string
	for _, problem := range faults {
		var own *fault.Error
		if !errors.As(problem, &own) {
			lines = append(lines, placed(schema, problem))
			continue
		}
		lines = append(lines, own.Error())
		for _, reason := range own.Reasons {
			if !strings.Contains(own.Message, fault.ParseReason(reason).Error()) {
				lines = append(lines, "  "+reason)
			}
		}
	}
	return errors.New(strings.Join(slices.Compact(lines), "\n"))
}

// placed returns the message of an error, with the variable that caused it.
func placed(schema *ast.Schema, problem *gqlerror.Error) string {
	message := graph.DescribeEnumError(schema, problem.Message)
	if path, found := strings.CutPrefix(problem.Path.String(), "variable."); found {
		return strings.TrimPrefix(path, "input.") + ": " + message
	}
	return message
}

// checkAccount returns an error if an account does not exist.
func checkAccount(ctx context.Context, ask asker, id string) error {
	answer, err := ask(ctx, `query($id: String!) { account(id: $id) { id } }`, input{"id": id})
	_, err = existing(answer, err, "account", id)
	return err
}

// existing returns an error if the response is null.
func existing(answer json.RawMessage, err error, what, id string) (json.RawMessage, error) {
	if err == nil && string(answer) == "null" {
		err = fmt.Errorf("there is no %s %q", what, id)
	}
	return answer, err
}
