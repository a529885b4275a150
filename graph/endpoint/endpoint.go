// Package endpoint answers POST /graphql: the public door to the schema, for dashboards and for
// customers who want to choose their fields. Who may see what is decided by the resolvers behind the
// schema; this door decides how much one request may ask for, and in which form it is asked and
// answered (GraphQL over HTTP).
//
// The way of a request: it is read (request.go), its persisted query is looked up (persisted.go), the
// query is parsed once and kept (parsed.go), measured against the limits (limits.go), executed, and
// answered (answer.go) with faults that carry a code (faults.go).
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
)

// The limits where a Config sets none.
const (
	// DefaultMaxComplexity lets a page of 500 videos through with about a hundred fields each.
	DefaultMaxComplexity = 50_000
	// DefaultMaxDepth is about twice what questions about the catalogue need.
	DefaultMaxDepth = 12
	// DefaultMaxBody is in bytes.
	DefaultMaxBody = 1 << 20
)

// The limits that are not settings.
const (
	// maxQueryLength bounds the text of a query, in bytes; variables are bounded by the body alone.
	maxQueryLength = 64 << 10
	// maxQueryTokens bounds what parsing costs, and most of validation.
	maxQueryTokens = 4000
	// maxNamesakes bounds how many fields of a query answer to one name, and how often it uses a
	// fragment. Validation compares each with each: thousands would take it seconds.
	maxNamesakes = 100
	// maxFaults bounds how many faults of one query are told.
	maxFaults = 20
)

// Config is what the endpoint stands on. All fields are required but those that say otherwise.
type Config struct {
	// Schema is the domain.
	Schema graphql.ExecutableSchema
	// Queries keeps persisted queries; nil: there are none.
	Queries cache.Cache
	// Introspection lets callers ask for the schema. Without it, hints at names that are nearly right
	// are left out too.
	Introspection bool
	// MaxComplexity bounds the sum of the fields that an operation can lead to, each element of a page
	// counted; 0: DefaultMaxComplexity.
	MaxComplexity int
	// MaxDepth bounds how deep fields lie in one another, fragments counted where they are used.
	// Questions about the schema have a bound of their own. 0: DefaultMaxDepth.
	MaxDepth int
	// MaxBody bounds a request's body, in bytes; 0: DefaultMaxBody.
	MaxBody int
	// AddressOf finds the network address of a caller, for the events that it tells; nil, or the zero
	// address: it is not known.
	AddressOf func(*http.Request) netip.Addr
	Logger    *slog.Logger
}

// endpoint is the handler of POST /graphql.
type endpoint struct {
	executor  *executor.Executor
	parsed    parsed
	persisted persisted
	maxBody   int64
	addressOf func(*http.Request) netip.Addr
	logger    *slog.Logger
}

// New makes the handler of POST /graphql. Other methods are the router's business, and so is the
// caller in the request's context: without one every field answers UNAUTHENTICATED.
func New(config Config) http.Handler {
	e := &endpoint{
		executor:  executor.New(config.Schema),
		parsed:    newParsed(),
		persisted: persisted{queries: config.Queries, logger: config.Logger},
		maxBody:   int64(cmp.Or(config.MaxBody, DefaultMaxBody)),
		addressOf: config.AddressOf,
		logger:    config.Logger,
	}
	e.executor.SetParserTokenLimit(maxQueryTokens)
	e.executor.SetQueryCache(e.parsed)
	e.executor.SetDisableSuggestion(!config.Introspection)
	e.executor.SetErrorPresenter(e.present)
	e.executor.SetRecoverFunc(e.recovered)
	e.executor.AroundFields(markResolverFaults)
	e.executor.AroundRootFields(drawRootField)
	e.executor.Use(limits{
		schema:        config.Schema,
		complexity:    cmp.Or(config.MaxComplexity, DefaultMaxComplexity),
		depth:         cmp.Or(config.MaxDepth, DefaultMaxDepth),
		introspection: config.Introspection,
	})
	if config.Introspection {
		e.executor.Use(extension.Introspection{})
	}
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answers := answerTo(w, r)
	defer func() {
		if panicked := recover(); panicked != nil {
			if panicked == http.ErrAbortHandler { //nolint:errorlint // it is this very value
				panic(panicked)
			}
			answers.fault(e.internal(r.Context(), e.recovered(r.Context(), panicked)))
		}
	}()
	response, fault := e.run(w, r)
	if fault != nil {
		answers.fault(fault)
		return
	}
	answers.response(response)
}

// run reads a request and executes it. A fault means that nothing was executed, or not to its end.
func (e *endpoint) run(w http.ResponseWriter, r *http.Request) (*graphql.Response, *refusal) {
	params, fault := readRequest(w, r, e.maxBody)
	if fault != nil {
		return nil, fault
	}
	ctx := graphql.StartOperationTrace(e.circumstances(w, r))
	if fault := e.persisted.complete(ctx, params); fault != nil {
		return nil, fault
	}
	if fault := e.checkQuery(ctx, params.query); fault != nil {
		return nil, fault
	}
	operation, faults := e.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: params.query, OperationName: params.operationName, Variables: params.variables, Headers: r.Header,
	})
	if len(faults) > 0 {
		return nil, invalid(faults)
	}
	e.persisted.keep(ctx, params)
	response, ctx := e.dispatch(ctx, operation)
	// An executor whose context has ended answers nothing, or data with holes that are no nulls.
	if ctx.Err() != nil || response == nil {
		return nil, timeIsUp(ctx.Err())
	}
	return response, nil
}

// checkQuery refuses what validation should not see.
func (e *endpoint) checkQuery(ctx context.Context, query string) *refusal {
	if _, known := e.parsed.Get(ctx, query); known {
		return nil
	}
	switch {
	case strings.TrimSpace(query) == "":
		return badRequest("query is missing")
	case len(query) > maxQueryLength:
		return refuse(http.StatusBadRequest, codeValidation,
			"the query has %d bytes, at most %d are allowed: send values as variables", len(query), maxQueryLength)
	}
	if name, count := namesakes(query); count > maxNamesakes {
		return refuse(http.StatusBadRequest, codeComplexity,
			"%q stands in the query %d times, inline fragments counted again, at most %d are allowed", name, count, maxNamesakes)
	}
	return nil
}

// recovered turns a panic into an error, and logs where it came from.
func (e *endpoint) recovered(ctx context.Context, panicked any) error {
	e.logger.ErrorContext(ctx, "panic", "path", "/graphql", "panic", panicked, "stack", string(debug.Stack()))
	return &catalogue.Error{Code: catalogue.Internal, Cause: errPanic}
}

// errPanic is a fault that has been logged already.
var errPanic = errors.New("panic")
