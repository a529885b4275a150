package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// collectionIndex finds collections. It returns Unavailable until it is built, and after Typesense lost its data.
type collectionIndex struct {
	search.CollectionReader
	engine   string
	follower *projection.Follower
	count    func(context.Context) (int, error) // of collections in the index
	// shared is the engine if processes share the index. It is nil if the index belongs to this process.
	shared *typesense.CollectionIndex
	// searches is the index, possibly with a fallback. fallback keeps that index up to date; it is nil without one.
	searches search.CollectionReader
	fallback *projection.Follower
}

// openCollections opens the index of collections, in memory or in Typesense, and the fallback if it is configured.
func (s *App) openCollections(ctx context.Context, settings *Settings, d *indexes) error {
	index, turns, err := settings.searchSettings.openCollections(ctx, s.stores, d.namespace, s.analyzer, s.logger)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, index.Close)
	c := &collectionIndex{engine: d.engine, count: index.Count, CollectionReader: s.telemetry.CollectionReader(index, d.engine)}
	c.shared, _ = index.(*typesense.CollectionIndex)
	writer := s.telemetry.CollectionWriter(index, d.engine)
	c.follower = projection.NewCollections(s.stores.Collections, writer, projection.Options{Logger: s.logger, Lease: turns})
	c.searches = c
	d.collections = c
	if c.shared == nil || !settings.SearchFallback {
		return nil
	}
	second := embedded.OpenCollections(s.analyzer)
	s.closers = append(s.closers, second.Close)
	writer = s.telemetry.CollectionWriter(second, engineEmbedded)
	c.fallback = projection.NewCollections(s.stores.Collections, writer, projection.Options{Logger: s.logger})
	c.searches = search.CollectionsWithFallback(c, s.telemetry.CollectionReader(second, engineEmbedded), s.logger)
	return nil
}

// openCollections opens an index of collections. For a shared index, it also returns the lease by which one process at
// a time writes it.
func (c *searchSettings) openCollections(
	ctx context.Context, stores *Stores, namespace string, analyzer *analysis.Analyzer, logger *slog.Logger,
) (search.CollectionIndex, *lease.Options, error) {
	if c.inMemory() {
		return embedded.OpenCollections(analyzer), nil, nil
	}
	options, err := c.typesense(namespace, analyzer, logger)
	if err != nil {
		return nil, nil, err
	}
	index, err := typesense.OpenCollections(ctx, options)
	if err != nil {
		return nil, nil, fmt.Errorf("--search: %w", err)
	}
	return index, stores.indexLease(index.Name()), nil
}

// Find implements search.CollectionReader.
func (c *collectionIndex) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	return unlessMissing(ctx, c.isMissing, func() (*search.CollectionResult, error) { return c.CollectionReader.Find(ctx, query) })
}

// isMissing reports whether the index is empty although there are collections.
func (c *collectionIndex) isMissing(ctx context.Context) (bool, error) {
	return isMissing(ctx, c.Position, c.follower)
}

// collectionIndex returns the index that the resolvers search.
func (s *App) collectionIndex() search.CollectionReader { return s.indexes.collections.searches }

// followers returns the followers of the log of collections.
func (c *collectionIndex) followers() []*projection.Follower {
	if c.fallback == nil {
		return []*projection.Follower{c.follower}
	}
	return []*projection.Follower{c.follower, c.fallback}
}

// wake makes the followers read the log at once, after a write.
func (c *collectionIndex) wake() {
	for _, follower := range c.followers() {
		follower.Wake()
	}
}
