package projection

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// subject is what a Follower follows: a log, and the index that is to reflect it.
type subject interface {
	// head, changes and trim are those of the store.
	head(ctx context.Context) (store.Position, error)
	changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error)
	trim(ctx context.Context, keep int) error
	// fansOut reports whether changes are to be carried on, which fanOut does for up to limit things, and
	// reports whether there is more to do.
	fansOut(changes []store.Change) bool
	fanOut(ctx context.Context, limit int) (more bool, err error)
	// size is how many things a rebuild reads.
	size(ctx context.Context) (int, error)

	// position is where the index stands.
	position(ctx context.Context) (store.Position, error)
	// read fetches what changed, as it is now, in pieces of a size: of all changes, or of the first ones where
	// that makes a full chunk.
	read(ctx context.Context, changes []store.Change, piece int) (chunk, error)
	// rebuild replaces all that the index holds by what the store holds, which is read in pieces of a size.
	// Before the index goes over to that, told is called with the newest version of it.
	rebuild(ctx context.Context, position store.Position, piece int, told func(context.Context, store.Position) error) error
}

// chunk is a piece of the log on its way to the index.
type chunk struct {
	// position is where the log stands with it; newest is the highest version of what was read, which
	// may be above: a row can be newer than the entry that led to it.
	position, newest store.Position
	// apply brings it to the index, and the index to a position.
	apply func(ctx context.Context, position store.Position) error
}

// piece is a part of what a store holds.
type piece[D any] struct {
	documents []D
	newest    store.Position // the highest version among them
}

// documents yields what next reads, as ahead does, and calls told at the end: the index goes over to what it
// was given when the sequence ends.
func documents[D any](
	ctx context.Context, next func(context.Context) (piece[D], bool, error), told func(context.Context, store.Position) error,
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
		if err := told(ctx, newest); err != nil {
			yield(none, err)
		}
	}
}

// changed lists what changed of a kind, each once, but for what is listed already.
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

// without lists the IDs that nothing was found by; what was found is in the order of the IDs.
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
