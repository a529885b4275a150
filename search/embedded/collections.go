package embedded

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// CollectionIndex is a search.CollectionIndex in memory. All methods may be called concurrently; searches need no lock.
// A view never changes: each write adds a new piece, and writes merge pieces of similar size.
type CollectionIndex struct {
	analyzer *analysis.Analyzer
	view     atomic.Pointer[collectionView]

	writing sync.Mutex
	closed  bool
}

var _ search.CollectionIndex = (*CollectionIndex)(nil)

// OpenCollections opens an empty index at position 0. If analyzer is nil, the index uses an analyzer with the built-in
// synonyms only.
func OpenCollections(analyzer *analysis.Analyzer) *CollectionIndex {
	if analyzer == nil {
		analyzer = analysis.New(analysis.Synonyms{})
	}
	x := &CollectionIndex{analyzer: analyzer}
	x.view.Store(&collectionView{})
	return x
}

// collectionView is the index at one moment.
type collectionView struct {
	position int64
	parts    []collectionPart
}

// collectionPart is a piece and the set of its live collections.
type collectionPart struct {
	*collectionPiece
	liveSet
}

func fullCollectionPart(p *collectionPiece) collectionPart {
	return collectionPart{p, allLive(len(p.entries))}
}

// Apply implements search.CollectionWriter. It deletes a document that the batch both puts and deletes. After Close,
// the error has the code Unavailable.
func (x *CollectionIndex) Apply(ctx context.Context, batch search.CollectionBatch) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if err := x.mayWrite(ctx); err != nil {
		return err
	}
	before := x.view.Load()
	e := collectionEdition{parts: slices.Clone(before.parts)}
	for i := range e.parts {
		e.parts[i].copied = false
	}
	put := slices.DeleteFunc(newestCollections(batch.Put), func(d *search.CollectionDocument) bool { return !e.take(d) })
	if len(put) > 0 {
		e.parts = append(e.parts, fullCollectionPart(newCollectionPiece(x.analyzer, put)))
	}
	for _, id := range batch.Delete {
		e.remove(id)
	}
	e.merge()
	x.view.Store(&collectionView{position: max(before.position, batch.Position), parts: e.parts})
	return nil
}

func newestCollections(documents []search.CollectionDocument) []*search.CollectionDocument {
	return search.Newest(documents, func(d *search.CollectionDocument) catalogue.Ref { return d.Ref })
}

// Rebuild implements search.CollectionWriter. After Close, the error has the code Unavailable.
func (x *CollectionIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if err := x.mayWrite(ctx); err != nil {
		return err
	}
	var all []search.CollectionDocument
	for d, err := range documents {
		if err != nil {
			return err
		}
		if err := x.mayWrite(ctx); err != nil {
			return err
		}
		all = append(all, d)
	}
	next := &collectionView{position: position}
	if len(all) > 0 {
		next.parts = []collectionPart{fullCollectionPart(newCollectionPiece(x.analyzer, newestCollections(all)))}
	}
	x.view.Store(next)
	return nil
}

func (x *CollectionIndex) mayWrite(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return unavailable("the search index was interrupted", err)
	}
	if x.closed {
		return errClosed()
	}
	return nil
}

// Position implements search.CollectionReader.
func (x *CollectionIndex) Position(context.Context) (int64, error) {
	return x.view.Load().position, nil
}

// Count implements search.CollectionWriter.
func (x *CollectionIndex) Count(context.Context) (int, error) {
	n := 0
	for _, p := range x.view.Load().parts {
		n += p.count
	}
	return n, nil
}

// Close ends writes. Find continues to work. The error is always nil.
func (x *CollectionIndex) Close() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.closed = true
	return nil
}

// collectionEdition is a list of parts under construction. The view that it starts from does not change.
type collectionEdition struct {
	parts []collectionPart
}

// take removes the document that d replaces, and reports whether d may replace it, which is true unless the index has a
// newer version.
func (e *collectionEdition) take(d *search.CollectionDocument) bool {
	for i := range e.parts {
		place, known := e.parts[i].places[d.ID]
		if !known || !e.parts[i].live.has(int(place)) {
			continue
		}
		if e.parts[i].entries[place].document.Version > d.Version {
			return false
		}
		e.parts[i].kill(int(place))
	}
	return true
}

func (e *collectionEdition) remove(id catalogue.ID) {
	for i := range e.parts {
		if place, known := e.parts[i].places[id]; known {
			e.parts[i].kill(int(place))
		}
	}
}

// merge merges parts until each is more than twice as large as the next, so that the number of parts stays small and
// each document is merged only a few times.
func (e *collectionEdition) merge() {
	e.parts = slices.DeleteFunc(e.parts, func(p collectionPart) bool { return p.count == 0 })
	for {
		n := len(e.parts)
		if n < 2 || e.parts[n-2].count > 2*e.parts[n-1].count {
			return
		}
		merged := mergeCollections(e.parts[n-2], e.parts[n-1])
		e.parts = append(e.parts[:n-2], fullCollectionPart(merged))
	}
}
