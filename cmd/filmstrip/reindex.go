package main

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/internal/app"
)

type reindexCommand struct{ app.Reindex }

// Run rebuilds the index.
func (c *reindexCommand) Run(ctx context.Context, console console) error {
	notes := console.out
	if console.json {
		notes = io.Discard
	}
	result, err := c.Reindex.Run(ctx, notes)
	if err != nil {
		return err
	}
	return console.print(result, func(io.Writer) error { return nil }) // the notes contain the result
}
