package searchtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// CollectionProperties runs random queries over random collections on an engine and on the CollectionModel. Pages,
// their order and totals must be equal after a rebuild and after each batch. The engine must analyze text with the
// built-in synonyms only.
func CollectionProperties(t *testing.T, open func(t *testing.T) search.CollectionIndex) {
	c := collectionComparison{engine: open(t), model: NewCollectionModel(analysis.New(analysis.Synonyms{}))}
	rapid.Check(t, func(rt *rapid.T) {
		if err := c.run(t.Context(), drawCollectionScenario(rt)); err != nil {
			rt.Fatal(err)
		}
	})
}

// collectionComparison compares an engine with the CollectionModel.
type collectionComparison struct {
	engine search.CollectionIndex
	model  *CollectionModel
}

// run executes a scenario on both and returns the first difference.
func (c collectionComparison) run(ctx context.Context, s collectionScenario) error {
	both := []search.CollectionIndex{c.engine, c.model}
	for _, index := range both {
		if err := index.Rebuild(ctx, 1, eachCollection(s.rebuilt)); err != nil {
			return fmt.Errorf("rebuild: %w", err)
		}
	}
	if err := c.ask(ctx, s.queries); err != nil {
		return fmt.Errorf("after the rebuild: %w", err)
	}
	for i, batch := range s.batches {
		for _, index := range both {
			if err := index.Apply(ctx, batch); err != nil {
				return fmt.Errorf("batch %d: %w", i, err)
			}
		}
		if err := c.ask(ctx, s.queries); err != nil {
			return fmt.Errorf("after batch %d: %w", i, err)
		}
	}
	return nil
}

func (c collectionComparison) ask(ctx context.Context, queries []search.CollectionQuery) error {
	for _, count := range []func(search.CollectionIndex) (int64, error){
		func(index search.CollectionIndex) (int64, error) { return index.Position(ctx) },
		func(index search.CollectionIndex) (int64, error) {
			n, err := index.Count(ctx)
			return int64(n), err
		},
	} {
		got, err := count(c.engine)
		want, _ := count(c.model)
		if err != nil || got != want {
			return fmt.Errorf("position or count %d (%w), want %d", got, err, want)
		}
	}
	for _, query := range queries {
		got, err := c.engine.Find(ctx, query)
		if err != nil {
			return fmt.Errorf("%+v: %w", query, err)
		}
		want, err := c.model.Find(ctx, query)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			return fmt.Errorf("%+v (-want +got):\n%s", query, diff)
		}
	}
	return nil
}

func eachCollection(documents []search.CollectionDocument) func(yield func(search.CollectionDocument, error) bool) {
	return func(yield func(search.CollectionDocument, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}
