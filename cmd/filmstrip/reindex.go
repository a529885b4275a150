package main

import (
	"context"

	"github.com/filmstrip/filmstrip/internal/app"
)

type reindexCommand struct{ app.Reindex }

// Run rebuilds the index.
func (c *reindexCommand) Run(ctx context.Context, console console) error {
	return c.Reindex.Run(ctx, console.out)
}
