// Package searchtest contains the conformance suite of the search port (Run), a naive model of the port (Model),
// properties that compare an engine with the model (Properties), and a second oracle for texts (TextOracle).
package searchtest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Run tests an engine against the port's contract. Each subtest opens an empty engine of its own and closes it. The
// engine must analyze text with the built-in synonyms only.
func Run(t *testing.T, open func(t *testing.T) search.Index, exclusions ...Exclusion) {
	s := suite{open: open, strict: excludes(t, exclusions, ForgivingLevels), torn: excludes(t, exclusions, OneMoment)}
	t.Run("filters", s.filters)
	t.Run("access", s.access)
	t.Run("access rules", s.accessRules)
	t.Run("access rules and writes", s.rulesOfWrites)
	t.Run("facets", s.facets)
	t.Run("text", s.text)
	t.Run("synonyms", s.synonyms)
	t.Run("levels", s.levels)
	t.Run("several texts at once", s.finds)
	t.Run("corrections", s.corrections)
	t.Run("phrases", s.phrases)
	t.Run("order", s.order)
	t.Run("paging", s.paging)
	t.Run("pinned and buried", s.searchRules)
	t.Run("meaning", s.meaning)
	t.Run("the nearest videos", s.nearestFew)
	t.Run("pages of a long text", s.longPages)
	t.Run("listings", s.listings)
	t.Run("suggestions", s.suggestions)
	t.Run("spellings of a suggestion", s.spellings)
	t.Run("writes", s.writeSuite().run)
	t.Run("writes of videos", s.writes)
	t.Run("ended contexts", s.ended)
}

type suite struct {
	open   func(t *testing.T) search.Index
	strict bool // skips the tests of ForgivingLevels
	torn   bool // skips the tests of OneMoment
}

// filledIndex is an engine that contains videos.
type filledIndex struct {
	filled[search.Document, search.Index]
}

func (s suite) fill(t *testing.T, documents ...search.Document) filledIndex {
	t.Helper()
	return filledIndex{fill(t, s.open, documents...)}
}

// in returns the same engine for a subtest.
func (sh filledIndex) in(t *testing.T) filledIndex {
	sh.t = t
	return sh
}

// video returns the document with number n: public, released today, in an unknown language.
func video(n int, changes ...func(*search.Document)) search.Document {
	d := search.Document{
		State: catalogue.State{
			Ref: catalogue.Ref{ID: videoID(n), Version: int64(n)}, Sequence: int64(n), UpdatedAt: instant(0),
			Traits: catalogue.Traits{Type: catalogue.Instructional, Channel: channelPool[0]},
		},
		Title:      "Video",
		Duration:   catalogue.Minute,
		ReleasedOn: today,
	}
	for _, change := range changes {
		change(&d)
	}
	return d
}

func titled(title string) func(*search.Document) {
	return func(d *search.Document) { d.Title = title }
}

// videos returns documents numbered from 1, each with one of the changes.
func videos(changes ...func(*search.Document)) []search.Document {
	documents := make([]search.Document, len(changes))
	for i, change := range changes {
		documents[i] = video(i+1, change)
	}
	return documents
}

// search requests the first hundred results unless the query specifies a size.
func (sh filledIndex) search(query search.Query) *search.Result {
	sh.t.Helper()
	if query.Today == 0 {
		query.Today = today
	}
	if query.Size == 0 {
		query.Size = 100
	}
	result, err := sh.index.Search(sh.t.Context(), query)
	if err != nil {
		sh.t.Fatalf("search %+v: %v", query, err)
	}
	return result
}

// wantFound checks the results of a query, in any order, and the total.
func (sh filledIndex) wantFound(query search.Query, want ...int) {
	sh.t.Helper()
	result := sh.search(query)
	got := numbers(result.Refs)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		sh.t.Errorf("%+v, %+v finds %v, want %v", query.Text, query.Filter, got, want)
	}
	if result.Total != len(want) {
		sh.t.Errorf("%+v, %+v: total %d, want %d", query.Text, query.Filter, result.Total, len(want))
	}
}

// wantList checks the results of a query and their order.
func (sh filledIndex) wantList(query search.Query, want ...int) {
	sh.t.Helper()
	if got := numbers(sh.search(query).Refs); !slices.Equal(got, want) {
		sh.t.Errorf("%+v lists %v, want %v", query, got, want)
	}
}

// words returns a query for all words of a text.
func words(text string) search.Query { return search.Query{Text: search.ParseText(text)} }

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
