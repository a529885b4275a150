package app

import (
	"context"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
)

// guardedIndex is an index that processes share, whose searches are Unavailable while it is empty and the
// catalogue is not: before its first build, and where the server has lost what it had. That nothing is
// found would be an answer that clients believe.
type guardedIndex struct {
	search.Index
	follower *projection.Follower
	filled   atomic.Bool // something was in it
}

// isMissing reports whether the index is empty and should not be. One that does not tell is not: it
// answers for itself. There is none to miss for nil.
func (w *guardedIndex) isMissing(ctx context.Context) bool {
	if w == nil {
		return false
	}
	return isMissing(ctx, w.Position, w.follower, &w.filled)
}

// isMissing reports whether an index that has been filled, or should be, stands nowhere.
func isMissing(ctx context.Context, position func(context.Context) (int64, error), follower *projection.Follower, filled *atomic.Bool) bool {
	at, err := position(ctx)
	switch {
	case err != nil:
		return false
	case at > 0:
		if !filled.Load() {
			filled.Store(true)
		}
		return false
	}
	return filled.Load() || !follower.Ready() || follower.Lag() > 0
}

func (w *guardedIndex) check(ctx context.Context) error {
	if w.isMissing(ctx) {
		return fault.Errorf(fault.Unavailable, "the search index is being built")
	}
	return nil
}

// Search implements search.Index.
func (w *guardedIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	return w.Index.Search(ctx, query)
}

// Matches implements search.Index.
func (w *guardedIndex) Matches(
	ctx context.Context, text search.Text, steps []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	return w.Index.Matches(ctx, text, steps, access, today, enough)
}

// Finds implements search.Index.
func (w *guardedIndex) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	return w.Index.Finds(ctx, texts, access, today)
}

// Phrases implements search.Index.
func (w *guardedIndex) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	return w.Index.Phrases(ctx, text, access, today, limit)
}
