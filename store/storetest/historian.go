package storetest

import (
	"context"
	"regexp"
	"testing"

	"github.com/filmstrip/filmstrip/store"
)

// EmptyHistorian creates a new catalogue and returns a function that opens it. Each opening represents a separate
// process. The creator closes all of them at the end of the test.
type EmptyHistorian func(t *testing.T) (open func() store.Historian)

var lineage = regexp.MustCompile(`^[a-z0-9]{8,32}$`)

// Historian runs the suite of store.Historian.
func Historian(t *testing.T, empty EmptyHistorian) {
	name := func(t *testing.T, of store.Historian) string {
		t.Helper()
		name, err := of.Lineage(t.Context())
		if err != nil || !lineage.MatchString(name) {
			t.Fatalf("the lineage is %q (%v)", name, err)
		}
		return name
	}
	t.Run("all processes know the same name", func(t *testing.T) {
		open := empty(t)
		a, b := open(), open()
		before := name(t, a)
		if other := name(t, b); other != before || name(t, a) != before {
			t.Errorf("%q and %q", before, other)
		}
		if err := a.RenewLineage(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := name(t, b)
		if after == before || name(t, a) != after || name(t, open()) != after {
			t.Errorf("%q became %q", before, after)
		}
	})
	t.Run("every catalogue has its own", func(t *testing.T) {
		if one, other := name(t, empty(t)()), name(t, empty(t)()); one == other {
			t.Errorf("two are called %q", one)
		}
	})
	t.Run("ended contexts", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		of := empty(t)()
		before := name(t, of)
		if _, err := of.Lineage(ctx); err != context.Canceled {
			t.Errorf("Lineage: %v", err)
		}
		if err := of.RenewLineage(ctx); err != context.Canceled || name(t, of) != before {
			t.Errorf("RenewLineage: %v", err)
		}
	})
}
