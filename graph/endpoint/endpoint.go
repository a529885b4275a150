// Package endpoint serves /graphql, the public endpoint of the schema, for dashboards and for customers who choose
// their own fields. The resolvers decide who may see what; the endpoint limits what one request may cost, and follows
// GraphQL over HTTP.
//
// A request passes these steps: request.go reads it, persisted.go looks up its persisted query, parsed.go caches the
// parsed query, limits.go compares it with the limits, the executor runs it, and answer.go writes the response with
// errors that carry a code (faults.go).
//
// gqlgen's transports serve subscriptions: server-sent events to requests that accept them (eventstream.go), and
// WebSockets to GET /graphql (websocket.go, socket.go, subscription.go). stream.go holds what both share, above all
// that a stream ends when its caller loses the right to it; admission.go limits how many a caller may have.
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
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

// The limits that apply if a Config sets none.
const (
	// DefaultMaxComplexity is about 40 ms of processor time. It admits a page of 500 videos with about 45 fields each.
	DefaultMaxComplexity = 40_000
	// DefaultMaxDepth is about twice the depth of typical queries for the catalogue.
	DefaultMaxDepth = 12
	// DefaultMaxBody is in bytes: the longest batch of events and the longest query.
	DefaultMaxBody = event.MaxBatchBody + maxQueryLength
)

// The limits that are not settings.
const (
	// maxQueryLength bounds the text of a query, in bytes; variables are bounded by the body alone.
	maxQueryLength = 64 << 10
	// maxQueryTokens bounds the cost of parsing and most of the cost of validation.
	maxQueryTokens = 4000
	// maxNamesakes bounds how many fields of a query have the same response name, and how often it uses a
	// fragment. Validation compares them in pairs: thousands would take seconds.
	maxNamesakes = 100
	// maxFaults bounds the errors in one response.
	maxFaults = 20
)

// Config configures an Endpoint. Fields are required unless their comment says otherwise.
type Config struct {
	// Schema is the domain.
	Schema graphql.ExecutableSchema
	// Queries caches persisted queries; nil: the endpoint supports none.
	Queries cache.Cache
	// Introspection lets callers read the schema. Without it, error messages suggest no names either.
	Introspection bool
	// MaxComplexity bounds the weight of an operation (docs/operations.md, "What one request may cost");
	// 0: DefaultMaxComplexity.
	MaxComplexity int
	// MaxDepth bounds the nesting of fields, including those of fragments. Introspection has a limit of its own.
	// 0: DefaultMaxDepth.
	MaxDepth int
	// MaxBody bounds a request's body, in bytes; 0: DefaultMaxBody.
	MaxBody int
	// AddressOf returns the network address of a caller, for the events of its mutations. nil or the zero address
	// means that it is unknown.
	AddressOf func(*http.Request) netip.Addr
	// Authenticate identifies the caller by the Authorization header. Streams call it repeatedly for the same
	// request, and end when its result changes. nil: the endpoint serves no streams.
	Authenticate func(*http.Request) (*account.Caller, error)
	// AllowOrigin reports whether pages of an origin may open WebSockets for a caller, or at all if caller is nil.
	// nil: only pages of the request's own host may.
	AllowOrigin func(caller *account.Caller, origin string) bool
	// Timeout bounds a query or mutation whose request accepts a stream; 0: 30 seconds.
	Timeout time.Duration
	// Attention is the interval at which streams authenticate their callers again; 0: half a second.
	Attention time.Duration
	Logger    *slog.Logger
}

// Endpoint is the handler of POST /graphql; Websocket is that of GET.
type Endpoint struct {
	executor  *executor.Executor
	schema    *ast.Schema
	parsed    parsed
	persisted persisted
	uses      deprecated
	maxBody   int64
	addressOf func(*http.Request) netip.Addr
	timeout   time.Duration
	admission *admission
	logger    *slog.Logger

	authenticate func(*http.Request) (*account.Caller, error)
	allowOrigin  func(caller *account.Caller, origin string) bool
	attention    time.Duration
	initTimeout  time.Duration
}

// New returns the handler of POST /graphql. The router handles other methods and puts the caller into the request's
// context; without a caller every field fails with UNAUTHENTICATED.
func New(config Config) *Endpoint {
	e := &Endpoint{
		executor:  executor.New(config.Schema),
		schema:    config.Schema.Schema(),
		parsed:    newParsed(),
		uses:      deprecatedIn(config.Schema.Schema()),
		persisted: persisted{queries: config.Queries, logger: config.Logger},
		maxBody:   int64(cmp.Or(config.MaxBody, DefaultMaxBody)),
		addressOf: config.AddressOf,
		timeout:   cmp.Or(config.Timeout, 30*time.Second),
		admission: newAdmission(),
		logger:    config.Logger,

		authenticate: config.Authenticate,
		allowOrigin:  config.AllowOrigin,
		attention:    cmp.Or(config.Attention, time.Second/2),
		initTimeout:  initTimeout,
	}
	e.executor.SetParserTokenLimit(maxQueryTokens)
	e.executor.SetQueryCache(e.parsed)
	e.executor.SetDisableSuggestion(!config.Introspection)
	e.executor.SetErrorPresenter(e.present)
	e.executor.SetRecoverFunc(e.recovered)
	e.executor.AroundFields(markResolverFaults)
	e.executor.AroundRootFields(traceRootField)
	e.executor.Use(&graph.ExactEnums{})
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

func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answers := answerTo(w, r)
	defer func() {
		if panicked := recover(); panicked != nil {
			if panicked == http.ErrAbortHandler { //nolint:errorlint // it is this very value
				panic(panicked)
			}
			answers.fault(e.internal(r.Context(), e.recovered(r.Context(), panicked)))
		}
	}()
	params, problem := readRequest(w, r, e.maxBody)
	if problem != nil {
		answers.fault(problem)
		return
	}
	operation, problem := e.prepare(r.Context(), params, r.Header)
	switch {
	case problem != nil:
		answers.fault(problem)
	case operation.Operation.Operation == ast.Subscription:
		e.stream(answers, operation)
	default:
		e.run(answers, operation)
	}
}

// prepare parses, validates and measures the operation of a request.
func (e *Endpoint) prepare(ctx context.Context, params *request, header http.Header) (*graphql.OperationContext, *refusal) {
	ctx = graphql.StartOperationTrace(ctx)
	if problem := e.persisted.complete(ctx, params); problem != nil {
		return nil, problem
	}
	if problem := e.checkQuery(ctx, params.query); problem != nil {
		return nil, problem
	}
	operation, faults := e.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: params.query, OperationName: params.operationName, Variables: params.variables, Headers: header,
	})
	switch {
	case len(faults) > 0 && params.operationName == "" && operation.Operation == nil && operation.Doc != nil:
		return nil, unnamed(operation.Doc.Operations)
	case len(faults) > 0:
		return nil, e.invalid(faults)
	}
	if problem := checkStreams(operation); problem != nil {
		return nil, problem
	}
	e.uses.note(ctx, operation)
	e.persisted.keep(ctx, params)
	return operation, nil
}

// unnamed returns the refusal of a request that names none of the operations of its query. The executor's error would
// quote the empty name.
func unnamed(operations ast.OperationList) *refusal {
	names := make([]string, len(operations))
	for i, operation := range operations {
		names[i] = operation.Name
	}
	return refuse(http.StatusBadRequest, codeValidation,
		"operationName is required, because the query contains the operations %.500s", strings.Join(names, ", "))
}

// run executes a query or mutation, and answers.
func (e *Endpoint) run(answers answer, operation *graphql.OperationContext) {
	ctx := e.circumstances(answers.w, answers.r)
	if MayStream(answers.r) { // the server sets no time limit for it
		limited, cancel := context.WithTimeout(ctx, e.timeout)
		defer cancel()
		ctx = limited
	}
	response, ctx := e.dispatch(ctx, operation)
	// If its context has ended, the executor returns nil or incomplete data.
	if ctx.Err() != nil || response == nil {
		answers.fault(timeIsUp(ctx.Err()))
		return
	}
	answers.response(response)
}

// checkQuery refuses queries that validation cannot handle at an acceptable cost.
func (e *Endpoint) checkQuery(ctx context.Context, query string) *refusal {
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
	source := &ast.Source{Input: query}
	document, err := parser.ParseQueryWithTokenLimit(source, maxQueryTokens)
	if err != nil {
		return nil // the executor returns the error
	}
	if number := endlessNumber(source); number != nil {
		problem := coded(codeValidation, "the number %.100s is out of range", number.Value)
		problem.Locations = []gqlerror.Location{{Line: number.Pos.Line, Column: number.Pos.Column}}
		return &refusal{status: http.StatusBadRequest, faults: gqlerror.List{problem}}
	}
	if name, count := namesakes(document); count > maxNamesakes {
		return refuse(http.StatusBadRequest, codeComplexity,
			"the query contains %q %d times, counted again for each inline fragment; at most %d are allowed", name, count, maxNamesakes)
	}
	return nil
}

// recovered logs a panic with its stack and returns it as an error.
func (e *Endpoint) recovered(ctx context.Context, panicked any) error {
	e.logger.ErrorContext(ctx, "panic", "path", "/graphql", "panic", panicked, "stack", string(debug.Stack()))
	return &fault.Error{Code: fault.Internal, Cause: errPanic}
}

// guarded calls do and recovers a panic, which would end the process in a goroutine of its own; failed receives it as
// an error.
func (e *Endpoint) guarded(ctx context.Context, failed func(error), do func()) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failed(e.recovered(ctx, panicked))
		}
	}()
	do()
}

// errPanic stands for a panic that recovered has logged.
var errPanic = errors.New("panic")
