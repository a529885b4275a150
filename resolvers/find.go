package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/search"
)

// find answers a query by the strictest step that yields enough videos from the text and what the caller
// may see, before any filter, so that results, totals, facets and all pages agree.
func (r *resolver) find(ctx context.Context, query search.Query) (*search.Result, error) {
	if query.Text.Blank() {
		return r.index.Search(ctx, query)
	}
	steps := search.MatchLevels(len(r.analyzer.QueryWithSynonyms(query.Text.Words, query.Text.SynonymGroups)))
	query.Level = steps[0]
	if len(steps) == 1 {
		return r.index.Search(ctx, query)
	}
	strictest := func() (*search.Result, error) { return r.index.Search(ctx, query) }
	if r.distant {
		var giveUp context.CancelFunc
		strictest, giveUp = r.start(ctx, query)
		defer giveUp()
	}
	step, err := r.step(ctx, query, steps)
	if err != nil {
		return nil, err
	}
	if step == query.Level {
		return strictest()
	}
	query.Level = step
	return r.index.Search(ctx, query)
}

// step chooses among the steps.
func (r *resolver) step(ctx context.Context, query search.Query, steps []search.MatchLevel) (search.MatchLevel, error) {
	counts, err := r.index.Matches(ctx, query.Text, steps, query.Access, query.Today, enoughMatches)
	if err != nil {
		return search.MatchLevel{}, err
	}
	return steps[search.Choose(counts, enoughMatches)], nil
}

// start begins a search that is likely to be needed: by the strictest step, which most texts end at. wait
// returns what came of it; giveUp ends it, where it is not needed, and must be called.
func (r *resolver) start(ctx context.Context, query search.Query) (wait func() (*search.Result, error), giveUp context.CancelFunc) {
	ctx, giveUp = context.WithCancel(ctx)
	var (
		result  *search.Result
		err     error
		problem any
	)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { problem = recover() }() // it is the request's, not the process's
		result, err = r.index.Search(ctx, query)
	}()
	return func() (*search.Result, error) {
		<-ended
		if problem != nil {
			panic(problem)
		}
		return result, err
	}, giveUp
}
