package main

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/usage"
)

// year returns generated events of one account, which these tests count independently.
func year(count int, seed uint64) []event.Event {
	return slices.Collect(generate.Events(generate.EventOptions{
		Count: count, Accounts: []string{"school"}, Videos: 10_000, Seed: seed,
		From: usage.Month{Year: 2025, Month: time.January}.Start(), To: usage.Month{Year: 2026, Month: time.January}.Start(),
	}))
}

func statementOf(t testing.TB, text string) usage.Statement {
	t.Helper()
	var statement usage.Statement
	if err := json.Unmarshal([]byte(text), &statement); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return statement
}

// TestStatementsByCommands verifies the statements of a month from its events to its seal, and the adjustments after
// the seal, on both stores.
func TestStatementsByCommands(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 6000)
			march := usage.Month{Year: 2025, Month: time.March}
			var milliseconds int64
			for _, e := range year(6000, 1) {
				if usage.MonthOf(e.At) == march {
					milliseconds += e.Played()
				}
			}
			export := func(month, format string) string {
				t.Helper()
				return run("usage", "export", "--account", "school", "--month", month, "--format", format)
			}
			provisional := statementOf(t, export("2025-03", "jsonl"))
			if provisional.Milliseconds != milliseconds || provisional.SealedAt != nil || provisional.Position != 6000 {
				t.Errorf("%d ms were played, the statement is %+v", milliseconds, provisional)
			}
			rows, err := csv.NewReader(strings.NewReader(export("2025-03", "csv"))).ReadAll()
			if err != nil || len(rows) != 1+len(provisional.Lines) || rows[0][0] != "account" || rows[1][0] != "school" {
				t.Errorf("as CSV it is %v: %v", rows, err)
			}
			if table := export("2025-03", "parquet"); !strings.HasPrefix(table, "PAR1") || !strings.HasSuffix(table, "PAR1") {
				t.Error("as Parquet it is none")
			}

			run("usage", "seal", "--month", "2025-02")
			if sealed := run("usage", "seal", "--month", "2025-03", "--json"); !strings.Contains(sealed, `"account": "school"`) {
				t.Errorf("sealing prints %s", sealed)
			}
			for args, want := range map[string]string{
				"--month 2025-03": "is sealed",
				"--month 2025-01": "is sealed",
				"--month " + usage.MonthOf(event.InstantOf(time.Now())).String():                "unless it is forced",
				"--force --month " + usage.MonthOf(event.InstantOf(time.Now())).Next().String(): "has not begun",
			} {
				got := command(t, nil, "", slices.Concat([]string{"usage", "seal"}, strings.Fields(args), where)...)
				if got.Status != 1 || !strings.Contains(got.Err, want) {
					t.Errorf("seal %s: status %d: %s", args, got.Status, got.Err)
				}
			}
			sealed := statementOf(t, export("2025-03", "jsonl"))
			if sealed.Milliseconds != milliseconds || sealed.SealedAt == nil || sealed.Checksum == "" {
				t.Errorf("sealed it is %+v", sealed)
			}
			chain := []usage.Statement{statementOf(t, export("2025-02", "jsonl")), sealed}
			if faults := usage.CheckChain(chain); len(faults) > 0 {
				t.Errorf("the chain that was exported: %v", faults)
			}

			run("generate", "events", "--count", "500", "--account", "school", "--append", "--force", "--from", "2025-03-10", "--to", "2025-03-20", "--seed", "2")
			if after := export("2025-03", "jsonl"); statementOf(t, after).Checksum != sealed.Checksum {
				t.Errorf("what is late changes what is sealed: %s", after)
			}
			late := statementOf(t, export("2025-04", "jsonl"))
			if late.Lines[0].Month != march || !late.Lines[0].Adjustment {
				t.Errorf("the first line of the next month is %+v", late.Lines[0])
			}
			if output := run("usage", "verify"); !strings.HasSuffix(output, "nothing differs\n") || !strings.Contains(output, "6500 events after 0, up to 6500") {
				t.Errorf("verify prints\n%s", output)
			}
			if trail := run("audit", "--kind", "account", "--id", "school"); !strings.Contains(trail, `{"sealedMonth":"2025-03"`) {
				t.Errorf("the audit log does not show the seal:\n%s", trail)
			}
			for args, want := range map[string]string{
				"--account skool --month 2025-03":  `there is no account "skool"`,
				"--account school --month 2025-01": "",
			} {
				got := command(t, nil, "", slices.Concat([]string{"usage", "export", "--format", "csv"}, strings.Fields(args), where)...)
				if got.Status != 1 || !strings.Contains(got.Err, want) || got.Out != "" {
					t.Errorf("%s: status %d: %s%s", args, got.Status, got.Out, got.Err)
				}
			}
		})
	}
}

// TestVerifyFindsWhatWasChanged verifies that verify reports manipulated counts and a manipulated statement. A recount
// repairs the counts; only a backup repairs the statement.
func TestVerifyFindsWhatWasChanged(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 3000)
	run("usage", "seal", "--month", "2025-01")
	change := func(statement string) {
		t.Helper()
		database := apptest.Must(sql.Open("sqlite", filepath.Join(where[1], app.UsageFile)))(t)
		defer database.Close()
		changed := apptest.Must(apptest.Must(database.Exec(statement))(t).RowsAffected())(t)
		if changed == 0 {
			t.Fatalf("%s changes nothing", statement)
		}
	}
	verify := func() apptest.Outcome {
		t.Helper()
		return command(t, nil, "", append([]string{"usage", "verify"}, where...)...)
	}
	if got := verify(); got.Status != 0 {
		t.Fatalf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
	change(`UPDATE usage_ledger SET milliseconds = milliseconds + 1 WHERE client = 'school-lms' AND month = 660`)
	if got := verify(); got.Status != 1 || !strings.Contains(got.Out, "differences: ") || got.Err != "" {
		t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
	if output := run("usage", "recount"); output != "counted up to event 3000\n" {
		t.Errorf("recount prints %s", output)
	}
	if got := verify(); got.Status != 0 {
		t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
	change(`UPDATE usage_statements SET body = CAST(replace(body, '"plays":', '"plays":1') AS BLOB)`)
	run("usage", "recount")
	if got := verify(); got.Status != 1 || !strings.Contains(got.Out, `account "school", month 2025-01: the checksum is `) {
		t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
}

// TestVerifyAgainstPublishedDigests verifies that published digests reveal changed statements and removed seals, which
// nothing else reveals. verify reads digests from a file, a URL and standard input.
func TestVerifyAgainstPublishedDigests(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 3000)
	sealed := ""
	for _, month := range []string{"2025-01", "2025-02", "2025-03"} {
		lines := strings.Split(strings.TrimSpace(run("usage", "seal", "--month", month)), "\n")
		sealed += lines[len(lines)-1] + "\n"
	}
	if published := run("usage", "digests"); published != sealed || strings.Count(published, "\n") != 3 || strings.Contains(published, "school") {
		t.Fatalf("digests are\n%s, the printed seals are\n%s", published, sealed)
	}
	lines := strings.SplitAfter(sealed, "\n")
	if third := run("usage", "digests", "--month", "2025-03"); third != lines[2] {
		t.Errorf("the digest of 2025-03 is %s", third)
	}
	statement := statementOf(t, run("usage", "export", "--account", "school", "--month", "2025-02", "--format", "jsonl"))
	if statement.Seal == nil || statement.Seal.Number != 2 || !strings.Contains(lines[1], statement.Seal.Digest) || !strings.Contains(lines[1], statement.Checksum) ||
		!strings.Contains(lines[0], statement.Seal.Previous) {
		t.Errorf("the statement carries %+v", statement.Seal)
	}
	if rows := run("usage", "export", "--account", "school", "--month", "2025-02", "--format", "csv"); !strings.Contains(rows, ","+statement.Seal.Digest) {
		t.Errorf("as CSV it carries no digest: %s", rows)
	}
	file := apptest.WriteFile(t, "published.jsonl", sealed)
	verify := func(input string, args ...string) apptest.Outcome {
		t.Helper()
		return command(t, nil, input, append(append([]string{"usage", "verify"}, args...), where...)...)
	}
	want := func(status int, says string, got apptest.Outcome) {
		t.Helper()
		if got.Status != status || !strings.Contains(got.Out+got.Err, says) {
			t.Errorf("status %d, want %d with %q: %s%s", got.Status, status, says, got.Out, got.Err)
		}
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/digests":
			_, _ = io.WriteString(w, sealed)
		case "/moved":
			http.Redirect(w, r, "/digests", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	want(0, "compared with published digests: 3\nnothing differs", verify("", "--against", file))
	want(0, "compared with published digests: 3", verify("", "--against", site.URL+"/moved"))
	want(0, "compared with published digests: 2\nsealed and not published: 2025-03\nnothing differs", verify(lines[0]+"\n"+lines[1], "--against", "-"))
	want(2, "more than 3 redirects", verify("", "--against", site.URL+"/circle"))
	want(2, "404 Not Found", verify("", "--against", site.URL+"/gone"))
	want(2, "standard input: line 2: digest is ", verify(lines[0]+strings.Replace(lines[1], `"month":"2025-02"`, `"month":"2025-12"`, 1), "--against", "-"))
	want(2, "contains no digest", verify("\n", "--against", "-"))
	want(2, "is neither a file nor an address", verify("", "--against", "ftp://digests.example/"))
	want(2, "no such file", verify("", "--against", file+".gone"))

	change := func(statements ...string) {
		t.Helper()
		database := apptest.Must(sql.Open("sqlite", filepath.Join(where[1], app.UsageFile)))(t)
		defer database.Close()
		for _, statement := range statements {
			if changed := apptest.Must(apptest.Must(database.Exec(statement))(t).RowsAffected())(t); changed == 0 {
				t.Fatalf("%s changes nothing", statement)
			}
		}
	}
	// The seal of March, month 662, is removed: only the published digests show that it existed.
	change(`DELETE FROM usage_seals WHERE month = 662`, `DELETE FROM usage_statements WHERE month = 662`, `UPDATE usage_ledger SET sealed = 2147483647 WHERE sealed = 662`)
	want(0, "nothing differs", verify(""))
	want(1, "month 2025-03: line 3 was published as number 3, but the chain ends with number 2: seals were removed", verify("", "--against", file))
	// A seal at another time results in another statement.
	run("usage", "seal", "--month", "2025-03")
	want(0, "nothing differs", verify(""))
	want(1, "month 2025-03: the seal was altered", verify("", "--against", file))
	change(`UPDATE usage_statements SET body = CAST(replace(body, '"plays":', '"plays":1') AS BLOB) WHERE month = 661`)
	want(1, `account "school", month 2025-02: the checksum is `, verify(""))
	want(1, `account "school", month 2025-02: the statement was altered or added`, verify("", "--against", file))
	change(`DELETE FROM usage_statements WHERE account = 'school'`)
	want(1, "month 2025-01: the statement with the checksum", verify("", "--against", site.URL+"/digests"))
}

// TestCommandsOfUsageMakeNoStores verifies that the commands report missing or incomplete stores and leave them
// unchanged.
func TestCommandsOfUsageMakeNoStores(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	for _, args := range []string{
		"usage verify", "usage recount", "usage seal --month 2025-01", "usage export --account a --month 2025-01 --format csv",
		"users export --account a --id x", "users forget --account a --external x",
	} {
		got := command(t, nil, "", append(strings.Fields(args), "--data", folder)...)
		if got.Status == 0 || !strings.Contains(got.Err, "there is no catalogue.db in ") {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	if made, _ := filepath.Glob(folder); len(made) > 0 {
		t.Error("a folder was made")
	}
}

// TestSealsWhileServing seals one month after the other while servers count new events. Each play is on exactly one
// bill.
func TestSealsWhileServing(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 0)
			serving := where
			if engine.PostgreSQL { // the index needs a data directory nevertheless
				serving = append(slices.Clone(where), "--data", t.TempDir())
			}
			apptest.Start(t, serving...)
			const each, writers = 12_000, 2
			ended := make(chan struct{}, writers)
			for seed := range writers {
				go func() {
					defer func() { ended <- struct{}{} }()
					args := append([]string{"generate", "events", "--count", strconv.Itoa(each), "--account", "school", "--append", "--force", "--seed", strconv.Itoa(seed)}, where...)
					if got := command(t, nil, "", args...); got.Status != 0 {
						t.Error(got.Err)
					}
				}()
			}
			month := usage.Month{Year: 2025, Month: time.January}
			var statements []usage.Statement
			statement := func() usage.Statement {
				t.Helper()
				return statementOf(t, run("usage", "export", "--account", "school", "--month", month.String(), "--format", "jsonl"))
			}
			seal := func() {
				t.Helper()
				run("usage", "seal", "--month", month.String())
				if s := statement(); s.Checksum != "" { // otherwise the log was still empty
					statements = append(statements, s)
				}
				month = month.Next()
			}
			for range 6 {
				seal()
			}
			for range writers {
				<-ended
			}
			for month.Year == 2025 {
				seal()
			}
			var want, plays, billed, lines int64
			for seed := range writers {
				for _, e := range year(each, uint64(seed)) {
					if e.Played() > 0 {
						want += e.Played()
						plays++
					}
				}
			}
			for _, s := range statements {
				billed += s.Milliseconds
				lines += s.Plays
			}
			if billed != want || lines != plays {
				t.Errorf("%d plays of %d ms were reported, %d of %d ms are billed", plays, want, lines, billed)
			}
			if faults := usage.CheckChain(statements); len(faults) > 0 {
				t.Errorf("the chain: %v", faults)
			}
			if output := run("usage", "verify"); !strings.HasSuffix(output, "nothing differs\n") {
				t.Errorf("verify prints\n%s", output)
			}
		})
	}
}
