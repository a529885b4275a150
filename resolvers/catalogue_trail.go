package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

// noteEdit tells the trail of one change of one thing.
func noteEdit(_ context.Context, _ store.Tx, _ account.Actor, _, _ catalogue.Item) error { return nil }

func (q query) CatalogueTrail(_ context.Context, _ *catalogue.Kind, _ *catalogue.ID, _ int, _ *string) (*graph.CatalogueTrailConnection, error) {
	return nil, notYet
}
