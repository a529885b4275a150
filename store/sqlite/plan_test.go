package sqlite

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// large lists the tables that no statement may scan in full, unless ScansTable explains why.
var large = []string{
	"entities", "entity_links", "catalogue_records", "theme_videos", "videos", "video_bodies", "video_transcripts", "video_links", "outbox", "leases", "removals", "catalogue_audit",
	"fan_outs", "keys", "grants", "account_entities", "account_entity_names", "account_entity_links", "audit", "notes", "codes",
	"sessions", "revocations", "used_steps", "usage", "deprecated_uses", "events", "addresses", "event_keys", "event_segments", "event_persons",
	"usage_terms", "usage_blocks", "usage_cells", "usage_cell_bodies", "usage_ledger", "usage_statements", "usage_verified_spans",
	"collections", "collection_videos", "collection_commentators", "collection_saved", "collection_log",
	"searchlog_searches", "searchlog_clicks",
	"jobs", "job_files", "job_file_chunks",
}

// TestPlans checks that every statement of the package finds its rows by an index.
func TestPlans(t *testing.T) {
	files := everyFile(t)
	explained := 0
	for _, st := range sqlstore.Statements() {
		if st.SQLite == "" || st == beginRead || st == beginWrite || st == commit || st == rollback || strings.Contains(st.SQLite, " recount_progress") {
			continue
		}
		plan, err := planIn(t.Context(), files, st)
		if err != nil {
			t.Errorf("%.200s: %v", st.SQLite, err)
			continue
		}
		explained++
		scanned := scannedBy(plan)
		if want := st.ScansTable != ""; want != (scanned != "") {
			t.Errorf("%s\nscans the table %q; want a scan: %t\n%s", st.SQLite, scanned, want, strings.Join(plan, "\n"))
		}
		if sorts := strings.Contains(strings.Join(plan, "\n"), "TEMP B-TREE"); sorts {
			t.Errorf("%s\nsorts its rows\n%s", st.SQLite, strings.Join(plan, "\n"))
		}
	}
	if explained < 50 {
		t.Errorf("only %d statements were explained", explained)
	}
}

// everyFile opens a file of each kind.
func everyFile(t *testing.T) (files []*database) {
	t.Helper()
	dir := t.TempDir()
	for name, schema := range map[string]string{"catalogue.db": "catalogue", "accounts.db": "accounts", "events.db": "events", "usage.db": "usage", "collections.db": "collections", "searchlog.db": "searchlog", "jobs.db": "jobs"} {
		d, err := open(t.Context(), filepath.Join(dir, name), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		files = append(files, d)
	}
	return files
}

// planIn returns the query plan of a statement, from the file that has the statement's tables.
func planIn(ctx context.Context, files []*database, st *sqlstore.Statement) (plan []string, err error) {
	for _, file := range files {
		if plan, err = planOf(ctx, file, st); err == nil {
			return plan, nil
		}
	}
	return nil, err
}

// scannedBy returns the large table that a plan scans in full, or "" if there is none.
func scannedBy(plan []string) string {
	for _, line := range plan {
		rest, scan := strings.CutPrefix(line, "SCAN ")
		if !scan {
			continue
		}
		alias, _, _ := strings.Cut(rest, " ")
		for _, table := range large {
			if table == alias || aliases[alias] == table {
				return table
			}
		}
	}
	return ""
}

// aliases maps the short names of tables in statements to the tables.
var aliases = map[string]string{"v": "videos", "e": "entities", "b": "video_bodies", "t": "video_transcripts", "r": "account_entities", "n": "account_entity_names", "ev": "events", "a": "addresses", "c": "usage_cells", "col": "collections", "cv": "collection_videos", "cc": "collection_commentators", "sv": "collection_saved", "cr": "catalogue_records", "tv": "theme_videos"}

// parameters returns the number of parameters of a statement, which are question marks, or $1 to the highest number.
func parameters(text string) (n int) {
	for _, numbered := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(numbered[1])
		n = max(n, number)
	}
	return max(n, strings.Count(text, "?"))
}

func planOf(ctx context.Context, d *database, st *sqlstore.Statement) (plan []string, err error) {
	rows, err := d.handles[0].QueryContext(ctx, "EXPLAIN QUERY PLAN "+st.SQLite, make([]any, parameters(st.SQLite))...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			id, parent, unused int
			line               string
		)
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			return nil, err
		}
		plan = append(plan, line)
	}
	return plan, rows.Err()
}
