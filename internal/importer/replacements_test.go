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
				imported(t, c, options, refused.lines).expect(t, refused.counts, fmt.Sprintf(refused.last, into))
			}
			// A replacement may be reversed once its target leads elsewhere.
			imported(t, c, options, videoLine("b", `,"retired":false,"retiredInto":null`)+retiredLine("c", "b")).expect(t, importer.Counts{Changed: 2})
		}
	}
}
