package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

var generated = generate.Options{Videos: 1500, Seed: 4}

var makeSample = sync.OnceValue(func() []search.Document {
	var all []search.Document
	for d := range documents(generated) {
		all = append(all, d)
	}
	return all
})

// sample returns the generated documents in a slice of the caller's own.
func sample() []search.Document { return slices.Clone(makeSample()) }

func openIndex(t *testing.T, options embedded.Options) *embedded.Index {
	t.Helper()
	index, err := embedded.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func apply(t *testing.T, batch search.Batch, indexes ...search.Index) {
	t.Helper()
	for _, index := range indexes {
		if err := index.Apply(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// questions returns queries sorted by date, for which every engine must give the same answers.
func questions(seed uint64, n int) []search.Query {
	var queries []search.Query
	for i, logged := range generate.Queries(seed, n, generated) {
		queries = append(queries, search.Query{
			Text: search.ParseText(logged.Text), Level: search.MatchLevel{Typos: i%3 == 0, OptionalWords: i % 2}, Filter: logged.Filter,
			Access: catalogue.Access{PrivateChannels: i%2 == 0}, Today: generate.Epoch,
			ByReleaseDate: true, Offset: i % 7, Size: 20,
			Facets: &search.FacetRequest{
				Durations: catalogue.DefaultDurationBuckets(), Ages: catalogue.DefaultAgeBuckets(),
				Channels: true, EducationLevels: true, Topics: true, CEFR: true,
			},
		})
	}
	return queries
}

// strict turns typos off in the queries: the engine looks for none if the word is a common one.
func strict(queries []search.Query) []search.Query {
	for i := range queries {
		queries[i].Level.Typos = false
	}
	return queries
}

func sameAnswers(t *testing.T, got, want search.Index, queries []search.Query) {
	t.Helper()
	for _, query := range queries {
		answer, err := got.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := want.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(expected, answer, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", query, diff)
		}
	}
}

func TestManyBatchesAreMergedIntoTheSameIndex(t *testing.T) {
	all := sample()
	analyzer := analysis.New(analysis.Synonyms{})
	index := openIndex(t, embedded.Options{Analyzer: analyzer})
	model := searchtest.NewModel(analyzer)
	rng := rand.New(rand.NewPCG(1, 1))
	version := int64(len(all))
	const batches = 120
	for n := range batches {
		batch := search.Batch{Position: int64(n + 1)}
		for range 1 + rng.IntN(60) {
			d := all[rng.IntN(len(all))]
			version++
			d.Version = version
			d.Title = fmt.Sprintf("%s %d", d.Title, version%5)
			i := slices.IndexFunc(batch.Put, func(o search.Document) bool { return o.ID == d.ID })
			if i >= 0 {
				batch.Put[i] = d
				continue
			}
			if rng.IntN(6) > 0 {
				batch.Put = append(batch.Put, d)
			} else {
				batch.Delete = append(batch.Delete, d.ID)
			}
		}
		apply(t, batch, index, model)
		if n%20 == 0 {
			sameAnswers(t, index, model, strict(questions(uint64(n), 15)))
		}
	}
	if parts := index.Settle(); parts > 20 {
		t.Errorf("%d segments are left of %d batches", parts, batches)
	}
	sameAnswers(t, index, model, strict(questions(99, 150)))
	for _, typed := range []string{"a", "his", "ing", "tion of"} {
		got, err := index.Phrases(t.Context(), typed, catalogue.Access{}, generate.Epoch, 10)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := model.Phrases(t.Context(), typed, catalogue.Access{}, generate.Epoch, 10)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("suggestions for %q (-want +got):\n%s", typed, diff)
		}
	}
}

func TestDeletingEverythingLeavesNoSegment(t *testing.T) {
	index := openIndex(t, embedded.Options{})
	all := sample()[:100]
	apply(t, search.Batch{Put: all, Position: 1}, index)
	var ids []catalogue.ID
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	apply(t, search.Batch{Delete: ids, Position: 2}, index)
	if parts := index.Settle(); parts != 0 {
		t.Errorf("%d segments are left of nothing", parts)
	}
}

func TestRebuildKeepsTheNewestOfRepeatedDocuments(t *testing.T) {
	index := openIndex(t, embedded.Options{})
	d := sample()[0]
	var repeated []search.Document
	for _, version := range []int64{3, 7, 5} {
		d.Version = version
		repeated = append(repeated, d)
	}
	if err := index.Rebuild(t.Context(), 1, each(repeated)); err != nil {
		t.Fatal(err)
	}
	result, err := index.Search(t.Context(), search.Query{
		Access: catalogue.Access{PrivateChannels: true}, Today: generate.Epoch, Size: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []catalogue.Ref{{ID: d.ID, Version: 7}}
	if diff := cmp.Diff(want, result.Refs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func each(all []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestSearchesSeeOneMoment searches while batches are applied and merged. Each batch moves every video to another
// channel, so that a search that sees two batches at once finds two channels.
func TestSearchesSeeOneMoment(t *testing.T) {
	index := openIndex(t, embedded.Options{})
	all := sample()[:200]
	for i := range all {
		all[i].Retired, all[i].AvailableUntil = false, nil
	}
	move := func(n int) search.Batch {
		batch := search.Batch{Position: int64(n + 1), Put: slices.Clone(all)}
		for i := range batch.Put {
			batch.Put[i].Version = int64(n + 1)
			batch.Put[i].Channel = catalogue.ID(fmt.Sprintf("%024x", n))
		}
		return batch
	}
	apply(t, move(0), index)
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := seeOneChannel(index, len(all)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := 1; n < 60; n++ {
		apply(t, move(n), index)
	}
	stop()
	readers.Wait()
}

func seeOneChannel(index search.Index, total int) error {
	result, err := index.Search(context.Background(), search.Query{
		Access: catalogue.Access{PrivateChannels: true}, Today: generate.Epoch, Size: 10,
		Facets: &search.FacetRequest{Channels: true},
	})
	if err != nil {
		return err
	}
	if result.Total != total || len(result.Facets.Channels) != 1 {
		return fmt.Errorf("%d videos in %d channels, want %d in 1", result.Total, len(result.Facets.Channels), total)
	}
	return nil
}

func TestAClosedIndexRefusesWrites(t *testing.T) {
	index := openIndex(t, embedded.Options{})
	if err := errors.Join(index.Close(), index.Close()); err != nil {
		t.Fatal(err)
	}
	if err := index.Apply(t.Context(), search.Batch{Position: 1}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("apply: %v", err)
	}
	if err := index.Rebuild(t.Context(), 1, each(nil)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("rebuild: %v", err)
	}
}
