package storetest

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// EmptyCatalogue creates a new, empty catalogue that reads the time from now, and returns a function that opens it. A
// catalogue that is closed and opened again returns the stored items.
type EmptyCatalogue func(t *testing.T, now func() time.Time) (open func() store.Catalogue)

// Catalogue runs the suite of store.Catalogue.
func Catalogue(t *testing.T, empty EmptyCatalogue) {
	groups := []struct {
		name  string
		tests map[string]func(h *catalogueFixture)
	}{
		{"read", readTests}, {"put", putTests}, {"delete", deleteTests}, {"log", logTests}, {"attest", attestTests},
		{"feed", feedTests}, {"access", accessTests}, {"fan-out", fanOutTests}, {"write", writeTests}, {"concurrency", concurrencyTests},
		{"records", ownedItemTests}, {"videos of records", movedVideoTests}, {"videos of themes", themeTests},
		{"removals", removalTests}, {"audit", catalogueAuditTests},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel() // tests are bound by disks, not by processors
					test(newCatalogueFixture(t, t, empty))
				})
			}
		})
	}
	t.Run("properties", func(t *testing.T) {
		t.Run("feed walk", func(t *testing.T) { t.Parallel(); checkFeedWalk(t, empty) })
		t.Run("removals", func(t *testing.T) { t.Parallel(); checkRemovals(t, empty) })
		t.Run("access", func(t *testing.T) { t.Parallel(); checkAccess(t, empty) })
		t.Run("writes", func(t *testing.T) { t.Parallel(); checkWrites(t, empty) })
		t.Run("records", func(t *testing.T) { t.Parallel(); checkRecords(t, empty) })
	})
}
