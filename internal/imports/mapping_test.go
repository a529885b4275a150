package imports

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
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

// TestRejectedRecordsKeepTheirFields verifies that the file of rejected lines has all fields of records with too few or
// too many, also if it was made of such a file itself.
func TestRejectedRecordsKeepTheirFields(t *testing.T) {
	for text, want := range map[string]string{
		"a;b;c\n1;2\n":                  "a;b;c;line;reasons\n1;2;;2;R\n",
		"a;b;c\n1;2;3;4;\"5;6\"\n":      "a;b;c;line;reasons\n1;2;\"3;4;5;6\";2;R\n",
		"a;b;c\n1;2;3\n\"4\"5;6;7\n":    "a;b;c;line;reasons\n1;2;3;2;R\n;;;3;R\n",
		"a;b;line;reasons\n1\n":         "a;b;line;reasons\n1;;2;R\n",
		"a;b;line;reasons\n1;2;3;4;5\n": "a;b;line;reasons\n1;\"2;3;4;5\";2;R\n",
		"a;b;line;reasons\n1;2;3;why\n": "a;b;line;reasons\n1;2;2;R\n",
	} {
		records, err := importer.OpenRecords(importer.Input{Name: "f.csv", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		to := bufio.NewWriter(&file)
		write, err := rejectedWriter(to, records)
		for err == nil {
			var record importer.RawRecord
			if record, err = records.Next(); err == nil {
				err = write(record, []string{"R"})
			}
		}
		if !errors.Is(err, io.EOF) || to.Flush() != nil {
			t.Fatal(err)
		}
		if file.String() != want {
			t.Errorf("%q becomes %q, not %q", text, file.String(), want)
		}
	}
}

// TestFindings checks that a run with many rejected lines and reasons keeps a bounded number.
func TestFindings(t *testing.T) {
	f := &findings{rejected: map[int][]string{}}
	f.add(importer.Fault{Line: 1, Problem: "imported nevertheless", Warning: true})
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
	if d.Rejected[0].Line != 1 || d.Rejected[0].Reasons[0] != "title: is required" || d.Problems[0].Line != 1 {
		t.Errorf("%+v, %+v", d.Rejected[0], d.Problems[0])
	}
}
