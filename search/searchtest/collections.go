package searchtest

import (
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// RunCollections tests an engine against the contract of the port of collections. Each subtest opens an empty engine of
// its own and closes it. The engine must analyze text with the built-in synonyms only.
func RunCollections(t *testing.T, open func(t *testing.T) search.CollectionIndex, exclusions ...Exclusion) {
	s := collectionSuite{open: open, torn: excludes(t, exclusions, OneMoment)}
	t.Run("audience", s.audience)
	t.Run("filters", s.filters)
	t.Run("phrases", s.phrases)
	t.Run("partial titles", s.partialTitles)
	t.Run("order", s.order)
	t.Run("paging", s.paging)
	t.Run("writes", s.writeSuite().run)
	t.Run("odd strings", s.oddStrings)
}

type collectionSuite struct {
	open func(t *testing.T) search.CollectionIndex
	torn bool // skips the tests of OneMoment
}

// filledCollections is an engine that contains collections.
type filledCollections struct {
	filled[search.CollectionDocument, search.CollectionIndex]
}

func (s collectionSuite) fill(t *testing.T, documents ...search.CollectionDocument) filledCollections {
	t.Helper()
	return filledCollections{fill(t, s.open, documents...)}
}

// in returns the same engine for a subtest.
func (st filledCollections) in(t *testing.T) filledCollections {
	st.t = t
	return st
}

// everything returns a query for the first hundred of all collections.
func everything(changes ...func(*search.CollectionQuery)) search.CollectionQuery {
	q := search.CollectionQuery{Audience: search.CollectionAudience{All: true}, Size: 100}
	for _, change := range changes {
		change(&q)
	}
	return q
}

func phrase(text string) search.CollectionQuery {
	return everything(func(q *search.CollectionQuery) { q.Text = text })
}

// wantList checks the results of a query, their order, and the total.
func (st filledCollections) wantList(query search.CollectionQuery, want ...int) {
	st.t.Helper()
	result, err := st.index.Find(st.t.Context(), query)
	if err != nil {
		st.t.Fatalf("find %+v: %v", query, err)
	}
	if got := numbers(result.Refs); !slices.Equal(got, want) {
		st.t.Errorf("%+v lists %v, want %v", query, got, want)
	}
	if query.Offset == 0 && len(want) < query.Size && result.Total != len(want) {
		st.t.Errorf("%+v: total %d, want %d", query, result.Total, len(want))
	}
}

// newCollection returns the collection with number n, which everyone in its account can find. A higher number means an
// earlier last change.
func newCollection(n int, changes ...func(*search.CollectionDocument)) search.CollectionDocument {
	d := search.CollectionDocument{
		Ref:     catalogue.Ref{ID: collectionID(n), Version: int64(n)},
		Account: "account-1", Owner: "user-1", Title: "Collection", Discoverable: true,
		UpdatedAt: instant(-time.Duration(n) * time.Hour),
	}
	for _, change := range changes {
		change(&d)
	}
	return d
}

// collections returns collections numbered from 1, each with one of the changes.
func collections(changes ...func(*search.CollectionDocument)) []search.CollectionDocument {
	documents := make([]search.CollectionDocument, len(changes))
	for i, change := range changes {
		documents[i] = newCollection(i+1, change)
	}
	return documents
}

func named(title, description string) func(*search.CollectionDocument) {
	return func(d *search.CollectionDocument) { d.Title, d.Description = title, description }
}

func dated(n int, version int64, title string) search.CollectionDocument {
	return newCollection(n, func(d *search.CollectionDocument) { d.Version, d.Title = version, title })
}
