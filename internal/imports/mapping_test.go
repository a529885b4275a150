package imports

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/importer"
)

func TestGuess(t *testing.T) {
	header := []string{"Video ID", "TITLE", "Published", "Max. age", "url", "Subject", "Colour", "Name"}
	got := Guess(header, []importer.RawRecord{{Fields: []string{"1", "a", "b", "9", "c", "Art, Music", "red", "d"}}})
	want := []account.ImportField{
		{Field: "ref", Column: "Video ID"}, {Field: "title", Column: "TITLE"}, {Field: "releasedOn", Column: "Published"}, {Field: "playback.stream", Column: "url"},
		{Field: "subjects", Column: "Subject", Separator: ","}, {Field: "ageRange.max", Column: "Max. age"},
	}
	if diff := cmp.Diff(want, got.Fields); diff != "" || got.Kind != "video" {
		t.Error(diff)
	}
	for field := range synonyms {
		if faults := CheckMapping(&account.Mapping{Kind: "video", Fields: []account.ImportField{{Field: field, Column: "x"}}}); faults != nil {
			t.Error(faults)
		}
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]string{
		"400": "400", "6:40": "400", "0:06:40": "400", "1:00:00.5": "3600.5", "0": "0", "12.25": "12.25",
		"PT6M": "", "6:60": "", "1:2:3:4": "", "-1": "", "1.5:00": "", "inf": "", "nan": "", "": "", ":": "",
	} {
		if got, ok := secondsOf(text); string(got) != want && ok || ok != (want != "") {
			t.Errorf("%q is %q, %t", text, got, ok)
		}
	}
}

// TestFindings checks that a run with many rejected lines and reasons keeps a bounded number.
func TestFindings(t *testing.T) {
	f := &findings{rejected: map[int][]string{}}
	for line := range MaxRejected + 5 {
		f.add(importer.Fault{Line: line + 1, Field: "title", Problem: "is required"})
	}
	for range 2 * maxReasons {
		f.add(importer.Fault{Line: 1, Problem: "again"})
	}
	for range 2 * MaxFindings {
		f.add(importer.Fault{Line: 1, Differs: true})
		f.add(importer.Fault{Line: 1, Held: true})
		f.add(importer.Fault{Problem: "of the file"})
	}
	result := f.result(importer.Summary{})
	d := f.details
	if result.Omitted != 5 || result.Differences != 2*MaxFindings || len(f.rejected) != MaxRejected || len(f.rejected[1]) != maxReasons {
		t.Errorf("%+v", result)
	}
	if lengths := []int{len(d.Rejected), len(d.Differences), len(d.Held), len(d.Problems)}; !slices.Equal(lengths, []int{MaxFindings, MaxFindings, MaxFindings, MaxFindings}) {
		t.Errorf("%v are kept", lengths)
	}
	if d.Rejected[0].Line != 1 || d.Rejected[0].Reasons[0] != "title: is required" {
		t.Errorf("%+v", d.Rejected[0])
	}
}
