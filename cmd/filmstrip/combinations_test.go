package main

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// combination is a choice of engines, each the embedded one or the one across a wire.
type combination struct{ postgresql, typesense, redis bool }

// combinations are all choices but the one that every other test makes.
func combinations() (all []combination) {
	for n := 1; n < 8; n++ {
		all = append(all, combination{n&1 != 0, n&2 != 0, n&4 != 0})
	}
	return all
}

func (c combination) String() string {
	names := []string{engineSQLite, engineEmbedded, engineMemory}
	for i, other := range []struct {
		chosen bool
		name   string
	}{{c.postgresql, enginePostgreSQL}, {c.typesense, engineTypesense}, {c.redis, engineRedis}} {
		if other.chosen {
			names[i] = other.name
		}
	}
	return strings.Join(names, " ")
}

// settings starts what the combination needs, as this test's own part of servers that tests share.
func (c combination) settings(t testing.TB) []string {
	t.Helper()
	var settings []string
	if c.postgresql {
		settings = append(settings, "--store", testservers.SharedPostgreSQL(t).URL)
	}
	if c.typesense {
		server := testservers.SharedTypesense(t)
		settings = append(settings, "--search", "typesense+"+server.URL, "--search-key", server.Key)
	}
	if c.redis {
		settings = append(settings, "--cache", testservers.SharedRedis(t).URL)
	}
	return settings
}

// TestWalkOnEveryCombination: whatever the engines, a client that follows links from the index gets to
// everything, and it fits together.
func TestWalkOnEveryCombination(t *testing.T) {
	for _, c := range combinations() {
		t.Run(c.String(), func(t *testing.T) {
			s := startServer(t, append([]string{"--demo"}, c.settings(t)...)...)
			s.walkEverything()
		})
	}
}
