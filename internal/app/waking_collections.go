package app

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// collectionStore returns the store of collections that the resolvers write to. The index follows each write at once.
func (s *App) collectionStore() store.Collections {
	return wakingCollections{s.stores.Collections, s.indexes.collections.wake}
}

// wakingCollections calls wake after each write.
type wakingCollections struct {
	keptCollections
	wake func()
}

// keptCollections names the embedded field: store.Collections has a method Collections.
type keptCollections interface{ store.Collections }

// Create implements store.Collections.
func (w wakingCollections) Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error) {
	defer w.wake()
	return w.keptCollections.Create(ctx, created)
}

// Change implements store.Collections.
func (w wakingCollections) Change(
	ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error,
) (*collection.Collection, error) {
	defer w.wake()
	return w.keptCollections.Change(ctx, id, fn)
}

// Delete implements store.Collections.
func (w wakingCollections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	defer w.wake()
	return w.keptCollections.Delete(ctx, id, check)
}

// ForgetVideos implements store.Collections.
func (w wakingCollections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	defer w.wake()
	return w.keptCollections.ForgetVideos(ctx, ids)
}

// ForgetUser implements store.Collections.
func (w wakingCollections) ForgetUser(ctx context.Context, user string) (int, error) {
	defer w.wake()
	return w.keptCollections.ForgetUser(ctx, user)
}
