package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Execute runs the root fields of the query or mutation in the operation context of ctx. The operation's
// RootResolverMiddleware receives their values, and errors are those of graphql.GetErrors. The operation must not use
// @defer.
//
// Execute costs less than Exec, because it does not encode the values a second time, and because the generated Exec makes
// a map of all input types for each operation, a tenth of a request for one video. Only graphql.UnmarshalInputFromContext
// reads that map, and no resolver calls it.
func (e *executableSchema) Execute(ctx context.Context) {
	operation := graphql.GetOperationContext(ctx)
	ec := newExecutionContext(operation, e, nil)
	if operation.Operation.Operation == ast.Mutation {
		_Mutation(ctx, ec, operation.Operation.SelectionSet)
	} else {
		_Query(ctx, ec, operation.Operation.SelectionSet)
	}
}
