package editing

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// ReleaseFields lets imports overwrite the named fields of an item again; without names, all of its held fields.
func (r *Resolver) ReleaseFields(
	ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int, names []string, value graph.ReleasedValue,
) (*graph.CatalogueItem, error) {
	return r.putItem(ctx, func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error) {
		if before, err = expected(ctx, tx, kind, id, version); err != nil {
			return nil, nil, err
		}
		after, faults := importline.Release(before, names, value == graph.ReleasedValueImported)
		return before, after, inputs.Faults(faults).Err()
	})
}

func heldFields(held []catalogue.Held) []*graph.HeldField {
	return values.Map(held, func(one catalogue.Held) *graph.HeldField {
		return &graph.HeldField{Field: one.Field, Imported: jsontext.Value(one.Imported)}
	})
}
