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
	return s.run(ctx, c.engine, c.model, func() error { return c.ask(ctx, s.queries) })
}

func (c collectionComparison) ask(ctx context.Context, queries []search.CollectionQuery) error {
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
