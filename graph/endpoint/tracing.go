package endpoint

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"go.opentelemetry.io/otel/attribute"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/spans"
)

// maxSpanName bounds the name of an operation in a trace, in bytes: the caller chooses it.
const maxSpanName = 100

// dispatch executes an operation, and records a span if the request is sampled. It returns the context that the
// operation ran in.
func (e *Endpoint) dispatch(ctx context.Context, operation *graphql.OperationContext) (*graphql.Response, context.Context) {
	var span spans.Span
	if spans.Recorded(ctx) {
		name := operation.Operation.Name
		if len(name) > maxSpanName {
			name = strings.ToValidUTF8(name[:maxSpanName], "")
		}
		ctx, span = spans.Start(ctx, "operation",
			attribute.String("graphql.operation.name", name),
			attribute.String("graphql.operation.type", string(operation.Operation.Operation)))
	}
	responses, ctx := e.executor.DispatchOperation(ctx, operation)
	response := responses(ctx)
	span.End(firstFault(ctx, response))
	return response, ctx
}

// firstFault returns the first error of a response as an error of the domain, or nil.
func firstFault(ctx context.Context, response *graphql.Response) error {
	if response == nil || len(response.Errors) == 0 {
		return ctx.Err()
	}
	code, _ := response.Errors[0].Extensions[keyCode].(fault.Code)
	return &fault.Error{Code: code}
}

// traceRootField records a span for the resolver of a root field if the request is sampled.
func traceRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	if !spans.Recorded(ctx) {
		return next(ctx)
	}
	ctx, span := spans.Start(ctx, "resolve "+graphql.GetRootFieldContext(ctx).Field.Name)
	defer span.End(nil)
	return next(ctx)
}
