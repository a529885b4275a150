package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestDeprecations(t *testing.T) {
	storetest.Deprecations(t, func(t *testing.T) func() store.Deprecations {
		path := filepath.Join(t.TempDir(), "accounts.db")
		return func() store.Deprecations {
			a, err := sqlite.OpenAccounts(t.Context(), path, sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = a.Close() })
			return a
		}
	})
}
