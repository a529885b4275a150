package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestCollections(t *testing.T) {
	storetest.Collections(t, func(t *testing.T, now func() time.Time) func() store.Collections {
		path := filepath.Join(t.TempDir(), "collections.db")
		return func() store.Collections {
			c, err := sqlite.OpenCollections(t.Context(), path, sqlite.WithClock(now), sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	})
}
