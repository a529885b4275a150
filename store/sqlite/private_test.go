package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestFilesAreTheOwnersAlone checks that only the owner may read the files, because they contain secrets, no matter who
// created the folder and with which mode. A mode that the operator set for a file remains.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(dir, "catalogue.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := sqlite.OpenAccounts(t.Context(), filepath.Join(dir, "accounts.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	e, errEvents := sqlite.OpenEvents(t.Context(), filepath.Join(dir, "events.db"))
	u, errUsage := sqlite.OpenUsage(t.Context(), filepath.Join(dir, "usage.db"))
	l, errCollections := sqlite.OpenCollections(t.Context(), filepath.Join(dir, "collections.db"))
	q, errQueries := sqlite.OpenSearchLog(t.Context(), filepath.Join(dir, "searchlog.db"))
	j, errJobs := sqlite.OpenJobs(t.Context(), filepath.Join(dir, "jobs.db"))
	if err := errors.Join(errEvents, errUsage, errCollections, errQueries, errJobs); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	defer u.Close()
	defer l.Close()
	defer q.Close()
	defer j.Close()
	if err := errors.Join(storetest.PutAll(t.Context(), c, storetest.SampleDirectory()), a.Revoke(t.Context(), []string{"mark"}, time.Now())); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen[entry.Name()] = true
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", entry.Name(), mode)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"catalogue.db", "catalogue.db-wal", "catalogue.db-shm", "accounts.db", "accounts.db-wal", "accounts.db-shm", "events.db", "usage.db", "collections.db", "searchlog.db", "jobs.db"} {
		if !seen[name] {
			t.Errorf("%s does not exist, so this test does not cover it", name)
		}
	}

	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "accounts.db")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Migrate(t.Context(), file, "accounts"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode that was chosen is now %v, %v", info.Mode(), err)
	}
}
