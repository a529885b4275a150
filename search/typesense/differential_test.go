package typesense_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

// TestAnswersAsTheEmbeddedEngine runs a log of queries on both engines. Totals, facets, the matches of all words and
// the order by date must be equal.
func TestAnswersAsTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	catalogue := newLibrary(generate.Options{Videos: 1500, Seed: 5, TranscriptWords: 40})
	want := catalogue.into(t, openEmbedded(t))
	got := catalogue.into(t, opener(t)(t))
	packages := searchtest.Packages(catalogue.documents)
	for n, asked := range generate.Queries(9, 200, catalogue.options) {
		query := search.Query{
			Text: search.ParseText(asked.Text), Filter: asked.Filter, Today: catalogue.day,
			Size: 50, Offset: 50 * (n % 2), ByReleaseDate: true, Facets: everyFacet(),
		}
		if query.Access.PrivateChannels = n%3 == 0; n%3 == 1 {
			query.Access = packages[n/3%len(packages)].Access
		}
		compareAnswers(t, query, got, want)
		query.ByReleaseDate, query.Offset, query.Size, query.Facets = false, 0, search.MaxWindow, nil
		compareSets(t, query, got, want)
	}
}

func everyFacet() *search.FacetRequest {
	return &search.FacetRequest{
		Durations: catalogue.DefaultDurationBuckets(), Ages: append(catalogue.DefaultAgeBuckets(), catalogue.AgeBracket{From: 6, To: 13}),
		Channels: true, EducationLevels: true, Topics: true, CEFR: true,
	}
}

func ask(t *testing.T, index search.Index, query search.Query) *search.Result {
	t.Helper()
	result, err := index.Search(t.Context(), query)
	if err != nil {
		t.Fatalf("%T: %+v: %v", index, query, err)
	}
	return result
}

func compareAnswers(t *testing.T, query search.Query, got, want search.Index) {
	t.Helper()
	diff := cmp.Diff(ask(t, want, query), ask(t, got, query), cmpopts.EquateEmpty())
	if diff != "" {
		t.Errorf("%+v %+v (-embedded +typesense):\n%s", query.Text, query.Filter, diff)
	}
}

// compareSets compares the results of both engines regardless of their order.
func compareSets(t *testing.T, query search.Query, got, want search.Index) {
	t.Helper()
	sorted := func(refs []catalogue.Ref) []string {
		var list []string
		for _, ref := range refs {
			list = append(list, ref.String())
		}
		slices.Sort(list)
		return list
	}
	if diff := cmp.Diff(sorted(ask(t, want, query).Refs), sorted(ask(t, got, query).Refs)); diff != "" {
		t.Errorf("%+v %+v (-embedded +typesense):\n%s", query.Text, query.Filter, diff)
	}
}

// TestPagesOfTheWholeWindow reads results to the greatest offset of a query, in pages of several sizes. Not all sizes
// divide the page size of the server.
func TestPagesOfTheWholeWindow(t *testing.T) {
	t.Parallel()
	videos := newLibrary(generate.Options{Videos: 10_700, Seed: 8})
	for i := range videos.documents { // The queries match no text but titles.
		videos.documents[i].Description, videos.documents[i].Keywords = "", nil
	}
	want := videos.into(t, openEmbedded(t))
	got := videos.into(t, opener(t)(t))
	staff := catalogue.Access{PrivateChannels: true}
	for name, query := range map[string]search.Query{
		"no text":   {},
		"by date":   {ByReleaseDate: true},
		"preferred": {BoostPreferred: videos.documents[7].Subjects},
	} {
		query.Access, query.Today = staff, videos.day-5*366
		all := query
		all.Size = search.MaxWindow
		list := ask(t, want, all).Refs
		if len(list) != search.MaxWindow {
			t.Fatalf("%s: %d videos only", name, len(list))
		}
		for _, size := range []int{search.MaxWindow, 250, 999} {
			var walked []catalogue.Ref
			for query.Offset = 0; query.Offset < search.MaxWindow; query.Offset += size {
				query.Size = min(size, search.MaxWindow-query.Offset)
				walked = append(walked, ask(t, got, query).Refs...)
			}
			if !slices.Equal(walked, list) {
				t.Errorf("%s: pages of %d are not those of the embedded engine", name, size)
			}
		}
	}
	// The engines rank by relevance differently, but the pages of each engine form one list.
	query := search.Query{Text: search.ParseText("how"), Level: search.MatchLevel{OptionalWords: 1}, Access: staff, Today: videos.day}
	all := query
	all.Size = 1000
	list := ask(t, got, all).Refs
	for query.Offset, query.Size = 0, 40; query.Offset < len(list); query.Offset += query.Size {
		page := ask(t, got, query).Refs
		if end := min(query.Offset+query.Size, len(list)); !slices.Equal(page, list[query.Offset:end]) {
			t.Errorf("the page at %d is not of the list", query.Offset)
		}
	}
}
