package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
	"github.com/filmstrip/filmstrip/usage"
)

// TestPlayRowsBecomeBlocks checks that opening converts the table of plays of an earlier release without loss.
func TestPlayRowsBecomeBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.db")
	u, err := sqlite.OpenUsage(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	start := usage.Month{Year: 2026, Month: 3}.Start()
	for _, statement := range []string{
		`CREATE TABLE plays (account INTEGER NOT NULL, at INTEGER NOT NULL, position INTEGER NOT NULL, sandbox INTEGER NOT NULL, client INTEGER NOT NULL,
			person INTEGER NOT NULL, video INTEGER NOT NULL, channel INTEGER NOT NULL, subjects BLOB, segment_start INTEGER NOT NULL, segment_end INTEGER NOT NULL,
			excess INTEGER NOT NULL DEFAULT 0, void INTEGER NOT NULL DEFAULT 0, continues INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, at, position)) STRICT, WITHOUT ROWID`,
		`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
			INSERT INTO plays SELECT n % 2, START + n * 250000, 30000 - n, n % 3 = 0, 1, 1 + n % 5, 1 + n % 7, 0, x'0105', n, n + 1000, n % 4, 0, n % 11 = 0 FROM n`,
		`INSERT INTO usage_terms (dimension, number, owner, text) VALUES (0, 1, 0, 'school'), (1, 1, 0, 'lms'), (2, 1, 1, 'xpupil'), (2, 2, 0, 'xnobody'), (3, 1, 0, 'moon'), (3, 3, 0, 'sun')`,
	} {
		if _, err := database.Exec(strings.ReplaceAll(statement, "START", strconv.FormatInt(int64(start), 10))); err != nil {
			t.Fatal(err)
		}
	}
	if u, err = sqlite.OpenUsage(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	got, err := u.PlaysOf(t.Context(), "school", "xpupil")
	if err != nil {
		t.Fatal(err)
	}
	storetest.CheckConverted(t, start, got)
	tables := 0
	if err := database.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name = 'plays'`).Scan(&tables); err != nil || tables > 0 {
		t.Errorf("the rows are still there: %v", err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}
