package endpoint

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"go.opentelemetry.io/otel/attribute"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/spans"
)

// maxDrawnName bounds the name of an operation, which is the caller's, in a trace.
const maxDrawnName = 100

// dispatch executes an operation, and draws it where the request is recorded. The context that it returns
// is the one that the operation ran in.
func (e *Endpoint) dispatch(ctx context.Context, operation *graphql.OperationContext) (*graphql.Response, context.Context) {
	var span spans.Span
	if spans.Recorded(ctx) {
		name := operation.Operation.Name
		if len(name) > maxDrawnName {
			name = strings.ToValidUTF8(name[:maxDrawnName], "")
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

// firstFault is the first error of an answer, as one of the domain.
func firstFault(ctx context.Context, response *graphql.Response) error {
	if response == nil || len(response.Errors) == 0 {
		return ctx.Err()
	}
	code, _ := response.Errors[0].Extensions[keyCode].(fault.Code)
	return &fault.Error{Code: code}
}

// drawRootField draws the resolving of a root field, where the request is recorded.
func drawRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	if !spans.Recorded(ctx) {
		return next(ctx)
	}
	ctx, span := spans.Start(ctx, "resolve "+graphql.GetRootFieldContext(ctx).Field.Name)
	defer span.End(nil)
	return next(ctx)
}
