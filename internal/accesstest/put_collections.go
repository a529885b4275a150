package accesstest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// CollectionStore is the part of store.Collections that PutCollections needs.
type CollectionStore interface {
	Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error)
	Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error)
	Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (*collection.Collection, error)
}

// PutCollections implements Service.PutCollections over a store of collections.
func PutCollections(ctx context.Context, into CollectionStore, collections map[catalogue.ID][]catalogue.ID) error {
	for _, id := range slices.Sorted(maps.Keys(collections)) {
		assets := make([]collection.Asset, len(collections[id]))
		for i, video := range collections[id] {
			assets[i] = collection.Asset{VideoID: video}
		}
		there, err := into.Collections(ctx, []catalogue.ID{id})
		if err == nil && len(there) > 0 {
			_, err = into.Change(ctx, id, func(c *collection.Collection) error { c.Assets = assets; return nil })
		} else if err == nil {
			_, err = into.Create(ctx, &collection.Collection{
				ID: id, Account: string(Operator), Service: true, Title: "Collection", Assets: assets, Discoverable: true, Anyone: collection.ViewOnly,
			})
		}
		if err != nil {
			return fmt.Errorf("the collection %s: %w", id, err)
		}
	}
	return nil
}
