//go:build system

package app

import (
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// outage is a way in which an engine is away.
type outage struct {
	name       string
	away, back func()
}

// outagesOf are the ways in which a server is away that is reached through a link. In short mode these
// are one that is noticed at once, and one that has to be waited for.
func outagesOf(server *testservers.Server, link *testservers.Link) []outage {
	all := []outage{
		{"killed", server.Kill, server.Start},
		{"paused", server.Pause, server.Resume},
		{"cut off", link.Sever, link.Mend},
	}
	if testing.Short() {
		return all[:2]
	}
	return all
}
