package export_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
)

// TestThePageShowsWhatIsWritten checks that every sample in docs/exports.md is the output of its format for an event of
// these tests, and that the table lists every field of a line.
func TestThePageShowsWhatIsWritten(t *testing.T) {
	page, err := os.ReadFile("../../docs/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	formats := []export.Format{export.JSONL, export.XAPI, export.Caliper}
	if len(shown) != len(formats) {
		t.Fatalf("the page shows %d samples", len(shown))
	}
	for i, format := range formats {
		file, _ := written(t, format, options, one(samples()[:1]))
		var want bytes.Buffer
		if err := json.Compact(&want, shown[i][1]); err != nil {
			t.Fatal(err)
		}
		if got := bytes.TrimSpace(file); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is\n%s\nand the page shows\n%s", format, got, want.Bytes())
		}
	}
	rows := statementsAs(t, export.CSV, bills()[:1])
	table := regexp.MustCompile("(?s)```csv\n(.*?)```").FindSubmatch(page)[1]
	if !bytes.HasPrefix(bytes.ReplaceAll(rows, []byte("\r\n"), []byte("\n")), table) {
		t.Errorf("CSV is\n%s\nand the page shows\n%s", rows, table)
	}

	fields := map[string]bool{}
	file, _ := written(t, export.JSONL, options, one(samples()))
	for line := range bytes.Lines(file) {
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil {
			t.Fatal(err)
		}
		for name := range object {
			fields[name] = true
		}
	}
	for name := range fields {
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("the page says nothing of %s", name)
		}
	}
	for _, kind := range event.Kinds() {
		if n := bytes.Count(page, []byte("`"+kind.String()+"`")); n < 3 {
			t.Errorf("the page names %s %d times: once in each of its tables of kinds", kind, n)
		}
	}
	if len(fields) != 34 {
		t.Errorf("the samples have %d fields", len(fields))
	}
}
