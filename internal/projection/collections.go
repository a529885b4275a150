package projection

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// NewCollections returns a Follower of collections, which does nothing before Run or Rebuild. It ignores Store, Index and
// Snapshots of the options. The default of Batch is 500, because collections may be large.
func NewCollections(from store.Collections, index search.CollectionWriter, options Options) *Follower {
	setDefault(&options.Batch, 500)
	options.setDefaults()
	options.Snapshots = nil
	options.Logger = options.Logger.With("index", "collections")
	return newFollower(options, &collections{store: from, index: index})
}

// collections is the subject of collections and their index.
type collections struct {
	store store.Collections
	index search.CollectionWriter
}

func (s *collections) head(ctx context.Context) (store.Position, error) { return s.store.Head(ctx) }

func (s *collections) changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	return s.store.Changes(ctx, after, limit)
}

func (s *collections) trim(ctx context.Context, keep int) error { return s.store.Trim(ctx, keep) }

func (s *collections) fansOut([]store.Change) bool { return false }

func (s *collections) fanOut(context.Context, int) (bool, error) { return false, nil }

// size returns the number of documents in the index: the store does not count, and an index that is far behind has few.
func (s *collections) size(ctx context.Context) (int, error) { return s.index.Count(ctx) }

func (s *collections) position(ctx context.Context) (store.Position, error) {
	return s.index.Position(ctx)
}

func (s *collections) rebuild(
	ctx context.Context, position store.Position, size int, announce func(context.Context, store.Position) error,
) error {
	return s.index.Rebuild(ctx, position, documents(ctx, s.scan(size), announce))
}

// scan returns a function that reads the next collections of the store.
func (s *collections) scan(size int) func(context.Context) (piece[search.CollectionDocument], bool, error) {
	var after catalogue.ID
	return func(ctx context.Context) (piece[search.CollectionDocument], bool, error) {
		found, err := s.store.Scan(ctx, after, size)
		if err != nil || len(found) == 0 {
			return piece[search.CollectionDocument]{}, false, err
		}
		after = found[len(found)-1].ID
		return mappedCollections(found), true, nil
	}
}

// read fetches one piece of the changed collections: they may be large. Those that the store does not have were deleted.
func (s *collections) read(ctx context.Context, changes []store.Change, piece int) (chunk, error) {
	changes = changes[:min(piece, len(changes))]
	ids := changed(changes, store.KindCollection, map[catalogue.ID]bool{})
	found, err := s.store.Collections(ctx, ids)
	if err != nil {
		return chunk{}, err
	}
	read := mappedCollections(found)
	batch := search.CollectionBatch{
		Put: read.documents, Delete: without(ids, found, func(c *collection.Collection) catalogue.ID { return c.ID }),
	}
	return chunk{
		position: changes[len(changes)-1].Position, newest: read.newest,
		apply: func(ctx context.Context, position store.Position) error {
			batch.Position = position
			return s.index.Apply(ctx, batch)
		},
	}, nil
}

func mappedCollections(found []*collection.Collection) piece[search.CollectionDocument] {
	made := piece[search.CollectionDocument]{documents: make([]search.CollectionDocument, len(found))}
	for i, c := range found {
		made.documents[i] = search.DocumentOf(c)
		made.newest = max(made.newest, c.Version)
	}
	return made
}
