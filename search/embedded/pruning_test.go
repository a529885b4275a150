//go:build !race

package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// TestSkippedDocumentsAreNotMissed compares first pages with the beginning of a page of all hits. A page of all hits has room
// for every document, so that its search skips none. The catalogues have several segments, which several goroutines search.
func TestSkippedDocumentsAreNotMissed(t *testing.T) {
	const all = 40_000
	index := open(t)
	var catalog []search.Document
	for d := range documents(generate.Options{Videos: all, Seed: 3}) {
		catalog = append(catalog, d)
	}
	for n, batch := range slices.Collect(slices.Chunk(catalog, all/6)) {
		if err := index.Apply(t.Context(), search.Batch{Put: batch, Position: int64(n + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	analyzer, rng := analysis.New(analysis.Synonyms{}), rand.New(rand.NewPCG(1, 2))
	skipping := 0
	for n, logged := range generate.Queries(5, 120, generate.Options{Videos: all, Seed: 3}) {
		if logged.Text == "" {
			continue
		}
		query := search.Query{
			Text: search.ParseText(logged.Text), Filter: logged.Filter, Today: generate.Epoch,
			Facets: &search.FacetRequest{Durations: catalogue.DefaultDurationBuckets(), Ages: catalogue.DefaultAgeBuckets(), Channels: true, Topics: true},
		}
		levels := search.MatchLevels(len(analyzer.Query(query.Text.Words)))
		query.Level = levels[rng.IntN(len(levels))]
		some := func(of func(*search.Document) []catalogue.ID) []catalogue.ID { return of(&catalog[rng.IntN(all)]) }
		if n%3 == 0 {
			query.BoostPreferred = some(func(d *search.Document) []catalogue.ID { return d.Subjects })
			query.BoostNamed.Channels = some(func(d *search.Document) []catalogue.ID { return []catalogue.ID{d.Channel} })
		}
		if n%4 == 0 {
			query.Pin = some(func(d *search.Document) []catalogue.ID { return []catalogue.ID{d.ID} })
			query.Bury = some(func(d *search.Document) []catalogue.ID { return []catalogue.ID{d.ID} })
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			whole := query
			whole.Size = all
			want, err := index.Search(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			if want.Total > 1000 {
				skipping++
			}
			for _, page := range [][2]int{{0, 10}, {0, 300}, {250, 20}} {
				query.Offset, query.Size = page[0], page[1]
				got, err := index.Search(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				from, end := min(page[0], len(want.Refs)), min(page[0]+page[1], len(want.Refs))
				if !slices.Equal(got.Refs, want.Refs[from:end]) || got.Total != want.Total || got.Total != len(want.Refs) {
					t.Errorf("%+v: the %d hits from %d differ (total %d, want %d)", query, page[1], page[0], got.Total, want.Total)
				}
				if diff := cmp.Diff(want.Facets, got.Facets); diff != "" {
					t.Errorf("%+v: facets (-want +got):\n%s", query, diff)
				}
			}
		})
	}
	if skipping < 10 {
		t.Errorf("only %d queries have more hits than a page needs", skipping)
	}
}
