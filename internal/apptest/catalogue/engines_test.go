package catalogue_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// EngineChoices returns all combinations of engines except the one that every other test uses.
func EngineChoices() (all []apptest.Engines) {
	for n := 1; n < 8; n++ {
		all = append(all, apptest.Engines{PostgreSQL: n&1 != 0, Typesense: n&2 != 0, Redis: n&4 != 0})
	}
	return all
}

// TestWalkOnEveryCombination verifies on every combination of engines that a client that follows links from the index
// reaches all resources, and that they are consistent.
func TestWalkOnEveryCombination(t *testing.T) {
	for _, c := range EngineChoices() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t, append([]string{"--demo"}, c.Settings(t)...)...)
			walkEverything(s)
		})
	}
}
