package typesense_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// TestEdgesOfFilters checks the extreme values of numbers and lists in filters.
func TestEdgesOfFilters(t *testing.T) {
	t.Parallel()
	long, short := catalogue.Duration(math.MaxInt64), catalogue.Duration(1)
	earliest, before, epoch := catalogue.Date(-719_162), catalogue.Date(-400), catalogue.Date(0)
	instant, later := time.Unix(-86_400, 1_000), time.Unix(-86_400, 1_001)
	index := opener(t)(t)
	put(t, index, 1, made(
		func(d *search.Document) { d.ReleasedOn, d.UpdatedAt, d.Title = earliest, instant, "one two three" },
		func(d *search.Document) { d.ReleasedOn, d.Duration, d.Title = before, long, "two three one" },
		func(d *search.Document) { d.ReleasedOn, d.Duration, d.Title = epoch, short, "one two three four" },
		func(d *search.Document) { d.Subjects, d.Title = []catalogue.ID{"s999"}, "three one two" },
	)...)
	var subjects, ids []catalogue.ID
	for n := range 1000 {
		subjects = append(subjects, catalogue.ID(fmt.Sprint("s", n)))
		ids = append(ids, catalogue.ID(fmt.Sprintf("%024x", n+3)))
	}
	for name, test := range map[string]struct {
		query search.Query
		want  string
	}{
		"from a day before 1970":   {search.Query{Filter: search.Filter{ReleasedFrom: &before}}, "2 3 4"},
		"to a day before 1970":     {search.Query{Filter: search.Filter{ReleasedTo: &before}}, "1 2"},
		"between such days":        {search.Query{Filter: search.Filter{ReleasedFrom: &earliest, ReleasedTo: &before}}, "1 2"},
		"one such day":             {search.Query{Filter: search.Filter{ReleasedFrom: &before, ReleasedTo: &before}}, "2"},
		"from behind to":           {search.Query{Filter: search.Filter{ReleasedFrom: &epoch, ReleasedTo: &before}}, ""},
		"from an instant":          {search.Query{Filter: search.Filter{UpdatedFrom: &instant}}, "1 2 3 4"},
		"from a later instant":     {search.Query{Filter: search.Filter{UpdatedFrom: &later}}, "2 3 4"},
		"the longest":              {search.Query{Filter: search.Filter{Durations: []catalogue.DurationRange{{Min: long}}}}, "2"},
		"up to the longest":        {search.Query{Filter: search.Filter{Durations: []catalogue.DurationRange{{Min: 1, Max: &long}}}}, "2 3"},
		"of no length":             {search.Query{Filter: search.Filter{Durations: []catalogue.DurationRange{{Min: 2, Max: &short}}}}, ""},
		"a thousand subjects":      {search.Query{Filter: search.Filter{Subjects: subjects}}, "4"},
		"a thousand ids":           {search.Query{Filter: search.Filter{IDs: ids}}, "3 4"},
		"a thousand tags":          {search.Query{Filter: search.Filter{Tags: subjects}}, ""},
		"ids and a longer phrase":  {search.Query{Text: search.ParseText(`"one two three"`), Filter: search.Filter{IDs: ids}}, "3"},
		"a thousand preferred":     {search.Query{BoostPreferred: subjects}, "1 2 3 4"},
		"two longer phrases":       {search.Query{Text: search.ParseText(`"one two three" "two three four"`)}, "3"},
		"nothing":                  {search.Query{Filter: search.Filter{Nothing: true}}, ""},
		"a text of signs":          {search.Query{Text: search.ParseText("` , && ( ) * \x00 \xff || :=")}, "1 2 3 4"},
		"a text of signs and word": {search.Query{Text: search.ParseText("`four`,&&(four)*\x00\xff||:=four")}, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			test.query.Facets = everyFacet()
			if got := found(t, index, test.query); got != test.want {
				t.Errorf("finds %q, want %q", got, test.want)
			}
		})
	}
	beyond := ask(t, index, search.Query{Today: someDay, Offset: search.MaxWindow - 10, Size: 10})
	if beyond.Total != 4 || len(beyond.Refs) != 0 {
		t.Errorf("beyond the end: %+v", beyond)
	}
}
