package apptest

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// Engines selects engines: for each port the embedded one, or the shared one if true.
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

// Settings returns the flags of the engines. It starts the servers that tests share, and reserves a part for this test.
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
