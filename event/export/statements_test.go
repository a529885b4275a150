package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/usage"
)

// bills returns three statements: a sealed one with lines of every sort, a provisional one and an empty one.
func bills() []usage.Statement {
	october, september := usage.Month{Year: 2026, Month: time.October}, usage.Month{Year: 2026, Month: time.September}
	sealed := time.Date(2026, 11, 8, 9, 30, 0, 125_000_000, time.UTC)
	return []usage.Statement{
		{
			Account: "school", Month: october, Position: 4711, SealedAt: &sealed, Previous: strings.Repeat("a", 64), Checksum: strings.Repeat("b", 64),
			Seal:  &usage.StatementSeal{Number: 3, Digest: strings.Repeat("c", 64), Previous: strings.Repeat("d", 64)},
			Plays: 3, Milliseconds: 3_000_500, Seconds: 3001, ExcessMilliseconds: 70,
			Lines: []usage.Line{
				{Month: september, Client: "lms", Billable: true, Adjustment: true, Plays: 1, Milliseconds: 500, Seconds: 1, ExcessMilliseconds: 70},
				{Month: october, Client: `=HYPERLINK("https://evil.example","click")`, Billable: true, Plays: 2, Milliseconds: 3_000_000, Seconds: 3000},
				{Month: october, Client: "-2+3", Billable: false, Plays: 1, Milliseconds: 1, Seconds: 0},
			},
		},
		{
			Account: "@school, \"the other\"", Month: october, Position: 4712, Plays: 1, Milliseconds: 1499, Seconds: 1,
			Lines: []usage.Line{{Month: october, Client: "web", Billable: true, Plays: 1, Milliseconds: 1499, Seconds: 1}},
		},
		{Account: "idle", Month: october, Position: 4712, Lines: []usage.Line{}},
	}
}

func statementsAs(t *testing.T, format export.Format, statements []usage.Statement) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := export.Statements(&file, format, statements); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestStatementsAsLines(t *testing.T) {
	file := statementsAs(t, export.JSONL, bills())
	golden(t, "statements.jsonl", file)
	var read []usage.Statement
	for line := range bytes.Lines(file) {
		var statement usage.Statement
		if err := json.Unmarshal(line, &statement); err != nil {
			t.Fatal(err)
		}
		read = append(read, statement)
	}
	if diff := cmp.Diff(read, bills()); diff != "" {
		t.Error(diff)
	}
}

func TestStatementsAsCSV(t *testing.T) {
	file := statementsAs(t, export.CSV, bills())
	golden(t, "statements.csv", file)
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("there are %d rows", len(rows))
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("a spreadsheet takes %q for a formula", cell)
			}
		}
	}
	if bytes.Count(file, []byte("\r\n")) != bytes.Count(file, []byte("\n")) {
		t.Error("a line ends otherwise than RFC 4180 says")
	}
}

func TestTextsThatAreNoFormulasStay(t *testing.T) {
	for client, want := range map[string]string{
		"lms": "lms", "a=b": "a=b", "'x": "'x", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta", "＝1": "'＝1",
	} {
		statement := usage.Statement{Account: "a", Month: usage.MonthNumber(600), Lines: []usage.Line{{Month: usage.MonthNumber(600), Client: client}}}
		rows, err := csv.NewReader(bytes.NewReader(statementsAs(t, export.CSV, []usage.Statement{statement}))).ReadAll()
		if err != nil || rows[1][3] != want {
			t.Errorf("%q is written as %q, not as %q: %v", client, rows[1][3], want, err)
		}
	}
}

func TestStatementsAsTable(t *testing.T) {
	opened, rows := readTable(t, statementsAs(t, export.Parquet, bills()))
	golden(t, "statements.parquet.schema", []byte(opened.Schema().String()+"\n"))
	n := 0
	for _, s := range bills() {
		for _, want := range s.Lines {
			c := rows[n]
			n++
			got := usage.Line{
				Client: c.text("client"), Billable: c.truth("billable"), Adjustment: c.truth("adjustment"),
				Plays: c.number("plays"), Milliseconds: c.number("milliseconds"), Seconds: c.number("seconds"), ExcessMilliseconds: c.number("excessMilliseconds"),
			}
			got.Month, _ = usage.ParseMonth(c.text("month"))
			if got != want || c.text("account") != s.Account || c.text("statement") != s.Month.String() || c.text("checksum") != s.Checksum ||
				c.has("sealedAt") != (s.SealedAt != nil) || s.SealedAt != nil && c.number("sealedAt") != s.SealedAt.UnixMilli() {
				t.Errorf("of %+v of %s the row %d reports %v", want, s.Account, n, c)
			}
		}
	}
	if n != len(rows) {
		t.Errorf("there are %d rows of %d lines", len(rows), n)
	}
}

// TestAChecksumCanBeChecked checks that a reader of a line can verify its checksum: the hash of the line's bytes with
// an empty checksum.
func TestAChecksumCanBeChecked(t *testing.T) {
	october := usage.Month{Year: 2026, Month: time.October}
	seal := usage.Seal{Month: october, Position: 7, At: time.Date(2026, 11, 8, 9, 30, 0, 125_999_999, time.UTC)}
	statements, err := usage.Compose(seal, []usage.Sum{{Account: "a <&> é", Month: october, Client: "lms \u2028", Plays: 2, Milliseconds: 1500}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	line := bytes.TrimSuffix(statementsAs(t, export.JSONL, statements), []byte("\n"))
	sum := sha256.Sum256(bytes.Replace(line, []byte(statements[0].Checksum), nil, 1))
	if got := hex.EncodeToString(sum[:]); got != statements[0].Checksum || len(got) != 64 {
		t.Errorf("the bytes of %s come to %s", line, got)
	}
}
