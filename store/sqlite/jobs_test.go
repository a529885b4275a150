package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestJobs(t *testing.T) {
	storetest.Jobs(t, func(t *testing.T) func() store.Jobs {
		path := filepath.Join(t.TempDir(), "jobs.db")
		return func() store.Jobs {
			jobs, err := sqlite.OpenJobs(t.Context(), path, sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = jobs.Close() })
			return jobs
		}
	})
}
