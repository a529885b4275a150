package search

import (
	"context"

	"github.com/filmstrip/filmstrip/search"
)

// enoughMatches is how many videos a match level must find to be taken.
const enoughMatches = 10

// Find answers a query at the strictest match level at which the text, with what the caller sees and before any filter,
// finds enough videos. Results, totals, facets and pages therefore agree.
func (r *Resolver) Find(ctx context.Context, query search.Query) (*search.Result, error) {
	if query.Text.Blank() {
		return r.Index.Search(ctx, query)
	}
	levels := r.levelsOf(query.Text)
	query.Level = levels[0]
	if len(levels) == 1 {
		return r.Index.Search(ctx, query)
	}
	strictest := func() (*search.Result, error) { return r.Index.Search(ctx, query) }
	if r.Remote {
		var cancel context.CancelFunc
		strictest, cancel = r.start(ctx, query)
		defer cancel()
	}
	counts, err := r.Index.Matches(ctx, query.Text, levels, query.Access, query.Today, enoughMatches)
	if err != nil {
		return nil, err
	}
	level := levels[search.Choose(counts, enoughMatches)]
	if level == query.Level {
		return strictest()
	}
	query.Level = level
	return r.Index.Search(ctx, query)
}

// levelsOf returns the levels to try for a text.
func (r *Resolver) levelsOf(text search.Text) []search.MatchLevel {
	return search.MatchLevels(len(r.Analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups)))
}

// start begins a search at the strictest level, which most texts end at. wait returns its result. cancel must be called;
// it ends a search that is not needed.
func (r *Resolver) start(ctx context.Context, query search.Query) (wait func() (*search.Result, error), cancel context.CancelFunc) {
	ctx, cancel = context.WithCancel(ctx)
	var (
		result   *search.Result
		err      error
		panicked any
	)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { panicked = recover() }() // which must not end the process
		result, err = r.Index.Search(ctx, query)
	}()
	return func() (*search.Result, error) {
		<-ended
		if panicked != nil {
			panic(panicked)
		}
		return result, err
	}, cancel
}
