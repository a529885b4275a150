package projection

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// subject is followed by a Follower: a log and the index of its content.
type subject interface {
	// head, changes and trim are those of the store.
	head(ctx context.Context) (store.Position, error)
	changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error)
	trim(ctx context.Context, keep int) error
	// fansOut reports whether changes must be propagated. fanOut does that for up to limit videos and reports whether more
	// remain.
	fansOut(changes []store.Change) bool
	fanOut(ctx context.Context, limit int) (more bool, err error)
	// size returns the number of documents that a rebuild reads.
	size(ctx context.Context) (int, error)

	// position returns the position of the index.
	position(ctx context.Context) (store.Position, error)
	// read fetches the present state of what changed, in pieces of a size: for all changes, or for the first ones that fill a
	// chunk.
	read(ctx context.Context, changes []store.Change, piece int) (chunk, error)
	// rebuild replaces the index by the content of the store, which it reads in pieces of a size. Before the index switches, it
	// calls announce with the newest version.
	rebuild(ctx context.Context, position store.Position, piece int, announce func(context.Context, store.Position) error) error
}

// chunk is a part of the log on its way to the index.
type chunk struct {
	// position is that of the log after this chunk. newest is the highest version that was read, which may be above: a row can
	// be newer than the log entry that led to it.
	position, newest store.Position
	// apply applies the chunk and sets the position of the index.
	apply func(ctx context.Context, position store.Position) error
}

// piece is a part of the content of a store.
type piece[D any] struct {
	documents []D
	newest    store.Position // the highest version among them
}

// documents yields the documents that next reads, as ahead does, and calls announce at the end: the index switches when the sequence
// ends.
func documents[D any](
	ctx context.Context, next func(context.Context) (piece[D], bool, error), announce func(context.Context, store.Position) error,
) iter.Seq2[D, error] {
	return func(yield func(D, error) bool) {
		var none D
		var newest store.Position
		for read, err := range ahead(ctx, next) {
			if err != nil {
				yield(none, err)
				return
			}
			newest = max(newest, read.newest)
			for _, document := range read.documents {
				if !yield(document, nil) {
					return
				}
			}
		}
		if err := announce(ctx, newest); err != nil {
			yield(none, err)
		}
	}
}

// changed lists the IDs of the changes of a kind, each once and without those listed already.
func changed(changes []store.Change, kind catalogue.Kind, listed map[catalogue.ID]bool) []catalogue.ID {
	ids := make([]catalogue.ID, 0, len(changes))
	for _, change := range changes {
		if change.Kind == kind && !listed[change.ID] {
			listed[change.ID] = true
			ids = append(ids, change.ID)
		}
	}
	return ids
}

// without lists the IDs that were not found. found is in the order of the IDs.
func without[T any](ids []catalogue.ID, found []T, idOf func(T) catalogue.ID) []catalogue.ID {
	var gone []catalogue.ID
	for _, id := range ids {
		if len(found) > 0 && idOf(found[0]) == id {
			found = found[1:]
		} else {
			gone = append(gone, id)
		}
	}
	return gone
}
