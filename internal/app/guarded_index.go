package app

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
)

// guardedIndex is an index that processes share. It returns Unavailable while the index is empty and the catalogue is
// not: before the first build, and after the server lost its data. Otherwise, clients would believe an empty result.
type guardedIndex struct {
	search.Reader
	source logState
}

// logState is what a projection.Follower knows of the log from which an index is built.
type logState interface {
	Ready() bool
	Head() int64
}

// isMissing reports whether the index is empty although the catalogue is not. It returns an error if the position of
// the index cannot be read. A nil guardedIndex is never missing.
func (g *guardedIndex) isMissing(ctx context.Context) (bool, error) {
	if g == nil {
		return false, nil
	}
	return isMissing(ctx, g.Position, g.source)
}

// isMissing reports whether an index is at position 0 although the log that it follows has changes, or is not known yet.
func isMissing(ctx context.Context, position func(context.Context) (int64, error), source logState) (bool, error) {
	at, err := position(ctx)
	if err != nil || at > 0 {
		return false, err
	}
	return !source.Ready() || source.Head() > 0, nil
}

// unlessMissing returns the result of a query, or Unavailable if the index is missing before or after it: the index may
// lose its documents while the query runs.
func unlessMissing[T any](ctx context.Context, isMissing func(context.Context) (bool, error), query func() (T, error)) (result T, err error) {
	check := func() error {
		missing, err := isMissing(ctx)
		if err == nil && missing {
			err = fault.Errorf(fault.Unavailable, "the search index is being built")
		}
		return err
	}
	if err := check(); err != nil {
		return result, err
	}
	found, err := query()
	if err == nil {
		err = check()
	}
	if err != nil {
		return result, err
	}
	return found, nil
}

// Search implements search.Reader.
func (g *guardedIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	return unlessMissing(ctx, g.isMissing, func() (*search.Result, error) { return g.Reader.Search(ctx, query) })
}

// Matches implements search.Reader.
func (g *guardedIndex) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	return unlessMissing(ctx, g.isMissing, func() ([]int, error) {
		return g.Reader.Matches(ctx, text, levels, access, today, enough)
	})
}

// Finds implements search.Reader.
func (g *guardedIndex) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	return unlessMissing(ctx, g.isMissing, func() ([]bool, error) { return g.Reader.Finds(ctx, texts, access, today) })
}

// Phrases implements search.Reader.
func (g *guardedIndex) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	return unlessMissing(ctx, g.isMissing, func() ([]search.Phrase, error) { return g.Reader.Phrases(ctx, text, access, today, limit) })
}
