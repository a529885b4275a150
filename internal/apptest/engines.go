package apptest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

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
	return c.settings(t, testservers.SharedPostgreSQL)
}

func (c Engines) settings(t testing.TB, database func(testing.TB) *testservers.Server) []string {
	t.Helper()
	var settings []string
	if c.PostgreSQL {
		settings = append(settings, "--store", database(t).URL)
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

// EmptyStore creates an empty store with all tables, and returns the flags that select it.
func EmptyStore(t testing.TB, engine Engines) []string {
	t.Helper()
	where := append([]string{"--data", t.TempDir()}, engine.settings(t, migratedPostgreSQL)...)
	if !engine.PostgreSQL {
		Succeed(t, append([]string{"migrate"}, where...)...)
	}
	return where
}

// migratedPostgreSQL returns a new database with all tables. It is copied, because migrating each takes longer.
func migratedPostgreSQL(t testing.TB) *testservers.Server {
	t.Helper()
	s := testservers.FilledPostgreSQL(t, func(url string) { Succeed(t, "migrate", "--data", t.TempDir(), "--store", url) })
	connection := Must(pgx.Connect(t.Context(), s.URL))(t)
	// The copy begins a history of its own.
	_, err := connection.Exec(t.Context(), "UPDATE head SET salt = gen_random_uuid()::text")
	if err := errors.Join(err, connection.Close(context.WithoutCancel(t.Context()))); err != nil {
		t.Fatal(err)
	}
	return s
}
