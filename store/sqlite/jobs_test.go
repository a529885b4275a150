package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

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

// TestNoClaimWithoutJobs verifies that a claim does not write if there are no jobs: it returns at once while another
// connection holds the write lock.
func TestNoClaimWithoutJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	jobs, err := sqlite.OpenJobs(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer jobs.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if job, err := jobs.ClaimJob(ctx, []string{"work"}, "holder", time.Minute); err != nil || job != nil {
		t.Errorf("got %v, %v", job, err)
	}
}
