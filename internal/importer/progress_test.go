package importer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/importline"
)

func TestPlainLinesSpeakEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := importer.NewPlainLines(&out, 1, 5*time.Second)
		p.Begin("importing", 1000)
		for range 4 {
			time.Sleep(3 * time.Second)
			p.Advance(500, 300)
		}
		p.Report(importer.Fault{File: "a", Line: 3, Field: "title", Problem: "is required"})
		p.Report(importer.Fault{File: "a", Line: 4, Problem: "is not shown"})
		p.Report(importer.Fault{File: "a", Line: 5, Problem: "is not shown"})
		p.Begin("writing", -1)
		time.Sleep(5 * time.Second)
		p.Advance(1, 10)
		p.End()
		want := "importing: 600 lines, 50%, 100 lines/s\n" +
			"importing: 1200 lines, 50%, 100 lines/s\n" +
			"a:3: title: is required\n" +
			"more faults are counted, not shown\n" +
			"writing: 10 lines, 2 lines/s\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestForeignLinesAreShownOnce verifies that of many lines in a foreign format one is shown, with a hint, and that other
// faults are still shown.
func TestForeignLinesAreShownOnce(t *testing.T) {
	var out bytes.Buffer
	p := importer.NewPlainLines(&out, 1, time.Minute)
	for line := range 1000 {
		p.Report(importer.Fault{File: "a", Line: line + 1, Field: "format", Problem: importline.NotALine})
	}
	p.Report(importer.Fault{File: "a", Line: 1001, Field: "title", Problem: "is required"})
	want := "a:1: format: is missing, and there is no known kind: this is not an import line\n" +
		"To import data of another format, give a jq program with --jq (docs/import.md). More such lines are counted, not shown.\n" +
		"a:1001: title: is required\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBarShowsProgressAndFaults(t *testing.T) {
	for name, total := range map[string]int64{"of a known size": 100, "of an unknown size": -1} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			bar := importer.NewBar(&out, 1)
			bar.Begin("checking", total)
			bar.Advance(50, 1)
			bar.Report(importer.Fault{File: "a", Line: 3, Problem: "is empty"})
			bar.Report(importer.Fault{File: "a", Line: 4, Problem: "is not shown"})
			bar.Begin("writing", total)
			bar.Advance(100, 1)
			bar.End()
			bar.End()
			text := out.String()
			for _, want := range []string{"checking", "\ra:3: is empty\n", "more faults are counted, not shown\n", "writing"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in %q", want, text)
				}
			}
			if strings.Contains(text, "is not shown") || !strings.HasSuffix(text, "\n") {
				t.Errorf("%q", text)
			}
		})
	}
}

func TestConsoleIsPlainWhereThereIsNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, plain := importer.ConsoleOn(file, 10).(*importer.PlainLines); !plain {
		t.Error("a bar is drawn into a file")
	}
}

func TestSummaryAsText(t *testing.T) {
	summary := importer.Summary{
		Counts: importer.Counts{Added: 3, Changed: 1, Unchanged: 2, Rejected: 1, Pruned: 1, Kept: 1},
		ByKind: map[catalogue.Kind]importer.Counts{
			catalogue.KindVideo:   {Added: 3, Unchanged: 2, Pruned: 1},
			catalogue.KindChannel: {Changed: 1, Kept: 1},
		},
		PruneRefused: "for a reason",
		Undone:       true,
		Elapsed:      1500 * time.Millisecond,
	}
	want := `` +
		"           added  changed  unchanged  rejected  pruned  kept\n" +
		"  channel      0        1          0         0       0     1\n" +
		"    video      3        0          2         0       1     0\n" +
		"    total      3        1          2         1       1     1\n" +
		"strict: nothing was written\n" +
		"prune: nothing was deleted: for a reason\n" +
		"7 lines in 1.5s\n"
	if diff := cmp.Diff(want, summary.String()); diff != "" {
		t.Error(diff)
	}
}

func TestExitStatus(t *testing.T) {
	rejected := importer.Summary{Counts: importer.Counts{Rejected: 1}}
	for _, test := range []struct {
		summary importer.Summary
		err     error
		want    int
	}{
		{importer.Summary{}, nil, 0},
		{importer.Summary{Counts: importer.Counts{Kept: 1}}, nil, 0},
		{rejected, nil, 1},
		{rejected, os.ErrClosed, 2},
	} {
		if got := importer.ExitStatus(test.summary, test.err); got != test.want {
			t.Errorf("%+v, %v: %d, want %d", test.summary, test.err, got, test.want)
		}
	}
}
