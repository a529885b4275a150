//go:build system

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/usage"
)

// asking runs the SQL of each argument and prints the rows of each last statement as JSON.
const asking = `
import duckdb, json, sys
db = duckdb.connect()
for text in sys.argv[1:]:
    rows = db.execute(text).fetchall()
    print(json.dumps([[None if v is None else str(v) for v in row] for row in rows]))
`

// TestDuckDB runs the statements of docs/archive.md on an archive, and compares plays and seconds with the statements that
// were billed.
func TestDuckDB(t *testing.T) {
	python := testservers.DuckDB(t)
	now := usage.MonthOf(event.InstantOf(time.Now())).Number()
	_, where, sealed := sealedStore(t, now)
	place := filepath.Join(t.TempDir(), "archive")
	run := func(args ...string) string {
		return apptest.Succeed(t, append(append(args, where...), "--archive", place)...)
	}
	run("events", "archive", "--archive-after", "2")

	var blocks []string
	for i, part := range strings.Split(string(apptest.Must(os.ReadFile("../../docs/archive.md"))(t)), "```") {
		if sql, is := strings.CutPrefix(part, "sql\n"); is && i%2 == 1 {
			blocks = append(blocks, sql)
		}
	}
	ask := exec.CommandContext(t.Context(), python, append([]string{"-c", asking}, blocks...)...)
	ask.Dir = place
	out, err := ask.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var answers [][][]string
	for line := range strings.Lines(string(out)) {
		var rows [][]string
		apptest.Must(0, json.Unmarshal([]byte(line), &rows))(t)
		answers = append(answers, rows)
	}
	if len(answers) != 5 {
		t.Fatalf("the page has %d statements: %s", len(answers), out)
	}
	if months := answers[1]; len(months) != 3 {
		t.Errorf("the archive has the months %v", months)
	}
	for _, month := range answers[1] {
		s := statementOf(t, run("usage", "export", "--account", "school", "--month", month[1], "--format", "jsonl"))
		if want := []string{"school", s.Month.String(), fmt.Sprint(s.Plays), fmt.Sprintf("%d.%03d", s.Milliseconds/1000, s.Milliseconds%1000)}; fmt.Sprint(month) != fmt.Sprint(want) || s.Plays == 0 {
			t.Errorf("%s: DuckDB says %v, the bill %v", sealed, month, want)
		}
	}
	for i, want := range map[int]string{2: "[[v0 7 21.000] [v1 7 21.000] [v2 6 18.000]]", 4: "[[ 60]]"} {
		if got := fmt.Sprint(answers[i]); got != want {
			t.Errorf("statement %d: %s, want %s", i, got, want)
		}
	}
	if len(answers[3]) != 3 {
		t.Errorf("v1 is in the files %v", answers[3])
	}
}
