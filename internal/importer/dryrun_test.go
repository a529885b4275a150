package importer_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/importer"
)

// TestDryRun verifies that a dry run has the counts and the rejections of the run that follows it, names each field that
// would change, and writes nothing.
func TestDryRun(t *testing.T) {
	c := openStore(t)
	first := channelLine + videoLine("v", ``) + videoLine("w", ``) + videoLine("old", ``)
	imported(t, c, importer.Options{Client: "test"}, first)
	head, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := channelLine + videoLine("v", `,"keywords":["sea"]`) + videoLine("w", ``) + videoLine("new", ``) +
		videoLine("bad", `,"subjects":["nowhere"]`) + "{\n"
	for _, prune := range []bool{false, true} {
		text := next
		if prune { // which requires a run without rejections
			text = channelLine + videoLine("v", `,"keywords":["sea"]`) + videoLine("w", ``) + videoLine("new", ``)
		}
		dry := imported(t, c, importer.Options{Client: "test", DryRun: true, Prune: prune}, text)
		var differing, faults []string
		for _, line := range dry.faults {
			if strings.Contains(line, " becomes ") {
				differing = append(differing, line)
			} else {
				faults = append(faults, line)
			}
		}
		if !dry.DryRun || dry.Undone || !strings.Contains(dry.Summary.String(), "dry run: nothing was written") {
			t.Errorf("the summary is %s", dry.Summary)
		}
		if len(differing) != 1 || differing[0] != `1.jsonl:2: keywords: nothing becomes ["sea"]` {
			t.Errorf("the differences are %q", differing)
		}
		if got, err := c.Head(t.Context()); err != nil || got != head {
			t.Fatalf("the dry run writes: the head is %d, not %d: %v", got, head, err)
		}
		if entries, err := c.CountVideos(t.Context()); err != nil || entries != 3 {
			t.Fatalf("there are %d videos: %v", entries, err)
		}
		if !prune {
			if len(faults) != 2 || dry.Rejected != 2 || dry.Added != 1 || dry.Changed != 1 {
				t.Errorf("%+v, faults %q", dry.Counts, faults)
			}
			continue
		}
		wet := imported(t, c, importer.Options{Client: "test", Prune: true}, text)
		if wet.Counts != dry.Counts || wet.Pruned != 1 {
			t.Errorf("the dry run counts %+v, the run %+v", dry.Counts, wet.Counts)
		}
	}
}
