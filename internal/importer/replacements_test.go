package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/importer"
)

// retiredLine returns a line that retires a video in favor of another.
func retiredLine(ref, into string) string {
	return videoLine(ref, `,"retired":true,"retiredInto":"`+into+`"`)
}

// TestReplacementsAreImported checks that replacements are imported in any order, and again, as long as they lead to a
// video.
func TestReplacementsAreImported(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, size := range []int{1, 3, 100} {
			c, options := openStore(t), importer.Options{Strict: strict, BatchSize: size}
			chain := channelLine + retiredLine("a", "b") + retiredLine("b", "c") + videoLine("c", "") + videoLine("d", "")
			imported(t, c, options, chain).expect(t, importer.Counts{Added: 5})
			imported(t, c, options, chain).expect(t, importer.Counts{Unchanged: 5})
			for _, refused := range []struct {
				lines, last string
				counts      importer.Counts
			}{
				{retiredLine("c", "b"), "1.jsonl:1: retiredInto: the video %q of the source \"default\" leads to this one", importer.Counts{Rejected: 1}},
				{retiredLine("d", "c") + retiredLine("c", "a"), "1.jsonl:2: retiredInto: the video %q of the source \"default\" leads to this one", importer.Counts{Changed: 1, Rejected: 1}},
				{retiredLine("x", "y") + retiredLine("y", "x"), "1.jsonl:2: retiredInto: the video %q of the source \"default\" leads to this one", importer.Counts{Added: 1, Rejected: 1}},
			} {
				if strict {
					refused.counts = importer.Counts{Rejected: 1}
				}
				into := refused.lines[strings.LastIndex(refused.lines, `:"`)+2:]
				into = into[:strings.Index(into, `"`)]
				faults := []string{fmt.Sprintf(refused.last, into)}
				if refused.counts.Added > 0 { // the replacement is the rejected video
					faults = append(faults, `1.jsonl:1: retiredInto: there is no video "y" of the source "default", so requests for this one are not redirected`)
				}
				imported(t, c, options, refused.lines).expect(t, refused.counts, faults...)
			}
			// A replacement may be reversed once its target leads elsewhere.
			imported(t, c, options, videoLine("b", `,"retired":false,"retiredInto":null`)+retiredLine("c", "b")).expect(t, importer.Counts{Changed: 2})
		}
	}
}

// TestMissingReplacementsAreReported verifies that a run reports, at its end, each line whose replacement does not exist
// then, and imports it nevertheless.
func TestMissingReplacementsAreReported(t *testing.T) {
	const problem = `1.jsonl:%d: retiredInto: there is no video "typo" of the source "default", so requests for this one are not redirected`
	for _, strict := range []bool{false, true} {
		for _, size := range []int{1, 100} {
			c, options := openStore(t), importer.Options{Strict: strict, BatchSize: size, Prune: true}
			wants := func(missing int, counts importer.Counts, text string, faults ...string) {
				t.Helper()
				o := imported(t, c, options, text)
				o.expect(t, counts, faults...)
				if o.MissingReplacements != missing || importer.ExitStatus(o.Summary, nil) != importer.ExitAllIn {
					t.Errorf("%+v", o.Summary)
				}
			}
			all := channelLine + retiredLine("a", "later") + retiredLine("b", "typo") + videoLine("later", "")
			wants(1, importer.Counts{Added: 4}, all, fmt.Sprintf(problem, 3))
			wants(1, importer.Counts{Unchanged: 4}, all, fmt.Sprintf(problem, 3))
			wants(0, importer.Counts{Changed: 1, Unchanged: 4},
				channelLine+retiredLine("b", "typo")+retiredLine("b", "later")+videoLine("a", "")+videoLine("later", ""))
			wants(0, importer.Counts{Added: 1, Changed: 1, Unchanged: 3}, all+videoLine("typo", ""))
		}
	}
	dry := imported(t, openStore(t), importer.Options{DryRun: true}, channelLine+retiredLine("b", "typo"))
	dry.expect(t, importer.Counts{Added: 2}, fmt.Sprintf(problem, 2))
	edits := openStore(t)
	imported(t, edits, importer.Options{}, channelLine+videoLine("a", "")+videoLine("b", ""))
	edited(t, edits, "a", `,"retired":true,"retiredInto":"b"`) // the line does not change the held field
	if o := imported(t, edits, importer.Options{}, retiredLine("a", "typo")); o.MissingReplacements != 0 || o.Held != 1 {
		t.Errorf("%+v: %v", o.Summary, o.faults)
	}
}
