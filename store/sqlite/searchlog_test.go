package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestSearchLog(t *testing.T) {
	storetest.SearchLog(t, func(t *testing.T) func() store.SearchLog {
		path := filepath.Join(t.TempDir(), "searchlog.db")
		return func() store.SearchLog {
			q, err := sqlite.OpenSearchLog(t.Context(), path, sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
	})
}
