package main

import (
	"context"

	"github.com/filmstrip/filmstrip/internal/app"
)

type serveCommand struct{ app.Settings }

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, console console) error {
	return c.Settings.Serve(ctx, console.out, console.err)
}
