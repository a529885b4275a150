package apptest

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// Engines is a choice of engines, each the embedded one or the one across a wire.
type Engines struct{ PostgreSQL, Typesense, Redis bool }

func (c Engines) String() string {
	names := []string{"sqlite", "embedded", "memory"}
	for i, other := range []struct {
		chosen bool
		name   string
	}{{c.PostgreSQL, "postgresql"}, {c.Typesense, "typesense"}, {c.Redis, "redis"}} {
		if other.chosen {
			names[i] = other.name
		}
	}
	return strings.Join(names, " ")
}

// Settings starts what the combination needs, as this test's own part of servers that tests share.
func (c Engines) Settings(t testing.TB) []string {
	t.Helper()
	var settings []string
	if c.PostgreSQL {
		settings = append(settings, "--store", testservers.SharedPostgreSQL(t).URL)
	}
	if c.Typesense {
		server := testservers.SharedTypesense(t)
		settings = append(settings, "--search", "typesense+"+server.URL, "--search-key", server.Key)
	}
	if c.Redis {
		settings = append(settings, "--cache", testservers.SharedRedis(t).URL)
	}
	return settings
}
