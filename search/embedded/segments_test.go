//go:build !race

package embedded_test

import (
	gocmp "cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// TestMoreThanOneSegmentHolds rebuilds from more documents than a segment can number, with some repeated in another
// segment, and reads them by date.
func TestMoreThanOneSegmentHolds(t *testing.T) {
	const videos, repeated = 70_000, 500
	var all []search.Document
	for n := range videos {
		d := search.Document{Title: "title", ReleasedOn: catalogue.Date(n * 7919 % 500)}
		d.ID, d.Version, d.Sequence = catalogue.ID(fmt.Sprintf("%024x", n)), 1, int64(n)
		all = append(all, d)
	}
	for n := range repeated {
		d := all[n]
		d.Version, d.ReleasedOn = 2, 1000
		all = append(all, d)
	}
	index := openIndex(t, embedded.Options{})
	if err := index.Rebuild(t.Context(), 1, each(all)); err != nil {
		t.Fatal(err)
	}
	if parts := index.Settle(); parts != 2 {
		t.Fatalf("%d segments, want 2", parts)
	}
	slices.SortStableFunc(all[repeated:], func(a, b search.Document) int {
		return gocmp.Or(gocmp.Compare(b.ReleasedOn, a.ReleasedOn), gocmp.Compare(b.Sequence, a.Sequence))
	})
	for _, text := range []string{"", "title"} {
		for offset := 0; offset < search.MaxWindow; offset += 999 {
			result, err := index.Search(t.Context(), search.Query{Text: search.ParseText(text), Offset: offset, Size: 3})
			if err != nil {
				t.Fatal(err)
			}
			var want []catalogue.Ref
			for _, d := range all[repeated+offset : repeated+offset+3] {
				want = append(want, d.Ref)
			}
			if diff := cmp.Diff(want, result.Refs); diff != "" || result.Total != videos {
				t.Fatalf("%q at %d: total %d, refs (-want +got):\n%s", text, offset, result.Total, diff)
			}
		}
	}
}
