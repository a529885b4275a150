package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestRetentionDropsAnInterruptedRecount checks that an unfinished second set of counts does not retain anyone's plays.
func TestRetentionDropsAnInterruptedRecount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.db")
	u, err := sqlite.OpenUsage(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	month := usage.Month{Year: 2026, Month: 3}
	to := usage.Progress{Position: 1, AsOf: month.Start()}
	plays := []usage.Play{{Position: 1, At: month.Start(), Account: "school", Client: "lms", Person: "xpupil", Video: "moon", End: 1000}}
	if err := u.Apply(t.Context(), usage.Progress{}, to, plays); err != nil {
		t.Fatal(err)
	}
	recount, err := u.BeginRecount(t.Context(), month, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.ApplyRecount(t.Context(), recount, to, plays); err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	tables := func() (n int) {
		t.Helper()
		if err := database.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'recount_%'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := u.ForgetPersons(t.Context(), month); err != nil || tables() != 5 {
		t.Fatalf("before the month is forgotten there are %d tables, %v", tables(), err)
	}
	if err := u.ForgetPersons(t.Context(), month.Next()); err != nil || tables() != 0 {
		t.Errorf("after it is forgotten there are %d tables, %v", tables(), err)
	}
	ofEarlierRelease := func() {
		t.Helper()
		if _, err := u.BeginRecount(t.Context(), month, true); err != nil || tables() != 5 {
			t.Fatal(tables(), err)
		}
		if _, err := database.Exec(`ALTER TABLE recount_progress DROP COLUMN gathered_number`); err != nil {
			t.Fatal(err)
		}
	}
	ofEarlierRelease()
	if err := u.ForgetPersons(t.Context(), month.Next()); err != nil || tables() != 0 {
		t.Errorf("of a recount of an earlier release, %d tables are left, %v", tables(), err)
	}
	ofEarlierRelease()
	ofEarlierRelease() // begins again
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}

// TestRecountRestoresNoName checks that a recount that has read the log before a person is forgotten does not store the
// person's name again.
func TestRecountRestoresNoName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.db")
	u, err := sqlite.OpenUsage(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	to := usage.Progress{Position: 1, AsOf: 1}
	plays := []usage.Play{{Position: 1, At: 1, Account: "school", Client: "lms", Person: "xpupil", Video: "moon", End: 1000}}
	if err := u.Apply(t.Context(), usage.Progress{}, to, plays); err != nil {
		t.Fatal(err)
	}
	recount, err := u.BeginRecount(t.Context(), usage.FirstMonth, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := u.Rename(t.Context(), "school", "xpupil", "xalias"); err != nil {
		t.Fatal(err)
	}
	if _, err := u.ApplyRecount(t.Context(), recount, to, plays); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if err := u.EndRename(t.Context(), "school", "xpupil"); err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var names int
	if err := database.QueryRow(`SELECT count(*) FROM usage_terms WHERE text = 'xpupil'`).Scan(&names); err != nil || names != 0 {
		t.Errorf("the name is stored %d times, %v", names, err)
	}
}
