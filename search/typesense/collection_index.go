package typesense

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// CollectionIndex is a search.CollectionIndex. It has its own Index, separate from that of videos. Its documents have
// no vocabulary.
type CollectionIndex struct{ index *Index }

var _ search.CollectionIndex = (*CollectionIndex)(nil)

// OpenCollections opens the index of collections of a namespace. It works like Open.
func OpenCollections(ctx context.Context, options Options) (*CollectionIndex, error) {
	index, err := open(ctx, options, "collections", collectionsSchema)
	if err != nil {
		return nil, err
	}
	return &CollectionIndex{index}, nil
}

// Apply implements search.CollectionIndex. A document that is both put and deleted is deleted.
func (s *CollectionIndex) Apply(ctx context.Context, batch search.CollectionBatch) error {
	newest := search.Newest(batch.Put, func(d *search.CollectionDocument) catalogue.Ref { return d.Ref })
	return apply(ctx, s.index, batch.Position, newest, batch.Delete, (*writer).putCollection)
}

// Rebuild implements search.CollectionIndex.
func (s *CollectionIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	return rebuild(ctx, s.index, position, documents, (*writer).putCollection)
}

// putCollection puts the document of a collection.
func (w *writer) putCollection(ctx context.Context, d *search.CollectionDocument) error {
	return w.put(ctx, len(d.Title)+len(d.Description), func(*words) (made, error) {
		return made{encodeID(d.ID), d.Version, newCollectionDocument(d, w.index.analyzer)}, nil
	})
}

// Position implements search.CollectionIndex. While no server answers, it returns the last known position.
func (s *CollectionIndex) Position(ctx context.Context) (int64, error) { return s.index.Position(ctx) }

// Count implements search.CollectionIndex.
func (s *CollectionIndex) Count(ctx context.Context) (int, error) { return s.index.Count(ctx) }

// Name returns the name of the index. The processes of an index share it, and no other index has it.
func (s *CollectionIndex) Name() string { return s.index.Name() }

// LeftAlone is like Index.LeftAlone.
func (s *CollectionIndex) LeftAlone() bool { return s.index.LeftAlone() }

// Close closes the index and keeps its data.
func (s *CollectionIndex) Close() error { return s.index.Close() }
