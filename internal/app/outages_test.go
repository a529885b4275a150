//go:build system

package app

import (
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// outage is a way in which an engine is unavailable.
type outage struct {
	name       string
	away, back func()
}

// outagesOf returns the outages of a server behind a link. In short mode, it returns one that clients notice at once,
// and one that they notice only after a timeout.
func outagesOf(server *testservers.Server, link *testservers.Link) []outage {
	all := []outage{
		{"killed", server.Kill, server.Start},
		{"paused", server.Pause, server.Resume},
		{"cut off", link.Sever, link.Restore},
	}
	if testing.Short() {
		return all[:2]
	}
	return all
}
