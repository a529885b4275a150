package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/usage"
)

// measureSelected leaves out of a query the measures that the operation shows neither in total nor in rows: they are
// dear to put together.
func measureSelected(ctx context.Context, asked *usage.Query) {
	asked.NoUsers, asked.NoVideos, asked.NoTotalUsers = true, true, true
	operation := graphql.GetOperationContext(ctx)
	for _, part := range graphql.CollectFieldsCtx(ctx, nil) {
		for _, field := range graphql.CollectFields(operation, part.Selections, nil) {
			switch field.Name {
			case "users":
				asked.NoUsers = false
				asked.NoTotalUsers = asked.NoTotalUsers && part.Name != "total"
			case "videos":
				asked.NoVideos = false
			}
		}
	}
}
