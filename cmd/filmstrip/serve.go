package main

import (
	"context"

	"github.com/filmstrip/filmstrip/internal/app"
)

type serveCommand struct{ app.Settings }

// Run serves until the context ends. With --log-format json, an error is a log line as well.
func (c *serveCommand) Run(ctx context.Context, console console) error {
	if !console.alone {
		return c.Settings.Serve(ctx, console.out, console.err)
	}
	logger := c.Settings.TakeLogs(console.err)
	err := c.Settings.Serve(ctx, console.out, console.err)
	if err != nil && c.LogFormat == "json" {
		logger.Error("the server failed", "error", err)
		return statusError(1)
	}
	return err
}
