package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/follow"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/typesense"
	"github.com/filmstrip/filmstrip/store"
)

// collectionIndex finds collections. Until it is built, and where a server has lost what it had, it is
// Unavailable.
type collectionIndex struct {
	search.Collections
	follower *follow.Follower
	filled   atomic.Bool // something was in it
}

// openCollections makes the index of collections, where there is a store of them: this process's own, or the
// one that processes share.
func (s *service) openCollections(ctx context.Context, settings *serveCommand, d *derived) error {
	if s.stores.collections == nil {
		return nil
	}
	index, lease, err := settings.searchSettings.openCollections(ctx, s.stores, d.namespace, s.analyzer, s.logger)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, index.Close)
	d.collections = &collectionIndex{
		Collections: index,
		follower:    follow.NewCollections(s.stores.collections, index, follow.Options{Logger: s.logger, Lease: lease}),
	}
	return nil
}

// openCollections opens an index of collections. One that processes share comes with the lease by which they
// take turns at writing it.
func (c *searchSettings) openCollections(
	ctx context.Context, stores *stores, namespace string, analyzer *analysis.Analyzer, logger *slog.Logger,
) (search.Collections, *follow.Lease, error) {
	if c.inMemory() {
		return embedded.OpenCollections(analyzer), nil, nil
	}
	options, err := c.typesense(namespace, analyzer, logger)
	if err != nil {
		return nil, nil, err
	}
	shelf, err := typesense.OpenShelf(ctx, options)
	if err != nil {
		return nil, nil, fmt.Errorf("--search: %w", err)
	}
	return shelf, stores.indexLease(shelf.Name()), nil
}

// Find implements search.Collections.
func (c *collectionIndex) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	if c.isMissing(ctx) {
		return nil, catalogue.Errorf(catalogue.Unavailable, "the index of collections is being built")
	}
	return c.Collections.Find(ctx, query)
}

// isMissing reports whether the index is empty and should not be. One that does not tell is not.
func (c *collectionIndex) isMissing(ctx context.Context) bool {
	return isMissing(ctx, c.Position, c.follower, &c.filled)
}

// collectionIndex is what the domain asks; nil: collections are not kept.
func (s *service) collectionIndex() search.Collections {
	if s.derived.collections == nil {
		return nil
	}
	return s.derived.collections
}

// collectionStore is what the domain writes: what is written is looked for at once.
func (s *service) collectionStore() store.Collections {
	if s.derived.collections == nil {
		return s.stores.collections
	}
	return wakingCollections{s.stores.collections, s.derived.collections.follower.Wake}
}

// wakingCollections calls wake after each write.
type wakingCollections struct {
	keptCollections
	wake func()
}

// keptCollections is a name that none of the methods has.
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
