package search

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// WithFallback returns a Reader that asks primary, and second if primary is Unavailable. Other processes or tasks keep both
// up to date. Position is always that of primary. If second cannot answer either, or is empty and new, the error of primary
// is returned, as it is to a caller that has hung up. logger logs each change from one to the other; nil: nothing is logged.
//
// One of the two answers each call as a whole, so that results, totals and facets agree. The calls of one request may meet
// different engines at the moment of a change. The match level is then one that Matches of the other has chosen, and may be
// stricter or more forgiving than its own would be, for that page; all-words queries have equal results. The next page may
// come from another engine than the one before, with another order by relevance, and may reflect another position.
//
// A cache of answers belongs beneath, one for each engine, where an answer belongs to the position of its own index. Above,
// Generation distinguishes the answers of the two: it changes with every change from one to the other, before the answer is
// returned, and never returns to an earlier value; while second answers, it includes the position of second. An answer
// before and after which Generation is the same comes from the engine that it names.
func WithFallback(primary, second Reader, logger *slog.Logger) Reader {
	return &fallback{primary, newFailover(primary, second, logger)}
}

type fallback struct {
	Reader
	failover failover[Reader]
}

// failover lets one of two engines answer.
type failover[E positioned] struct {
	primary, second E
	logger          *slog.Logger

	mu      sync.Mutex
	away    bool // second gave the last answer
	changes int
}

// positioned is what both kinds of readers have in common.
type positioned interface {
	Position(ctx context.Context) (int64, error)
}

func newFailover[E positioned](primary, second E, logger *slog.Logger) failover[E] {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return failover[E]{primary: primary, second: second, logger: logger}
}

// Search implements Reader.
func (f *fallback) Search(ctx context.Context, query Query) (*Result, error) {
	return answer(ctx, &f.failover, func(index Reader) (*Result, error) { return index.Search(ctx, query) })
}

// Matches implements Reader.
func (f *fallback) Matches(
	ctx context.Context, text Text, levels []MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	return answer(ctx, &f.failover, func(index Reader) ([]int, error) {
		return index.Matches(ctx, text, levels, access, today, enough)
	})
}

// Finds implements Reader.
func (f *fallback) Finds(
	ctx context.Context, texts []Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	return answer(ctx, &f.failover, func(index Reader) ([]bool, error) {
		return index.Finds(ctx, texts, access, today)
	})
}

// Phrases implements Reader.
func (f *fallback) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]Phrase, error) {
	return answer(ctx, &f.failover, func(index Reader) ([]Phrase, error) {
		return index.Phrases(ctx, text, access, today, limit)
	})
}

// Corrections implements Reader.
func (f *fallback) Corrections(ctx context.Context, text Text) ([][]string, error) {
	return answer(ctx, &f.failover, func(index Reader) ([][]string, error) { return index.Corrections(ctx, text) })
}

// Generation implements Reader.
func (f *fallback) Generation() string {
	away, changes := f.failover.state()
	switch {
	case changes == 0:
		return f.Reader.Generation()
	case !away:
		return fmt.Sprintf("%s/%d", f.Reader.Generation(), changes)
	}
	// -1 is no position, so it names no answer of another moment.
	second := f.failover.second
	position, err := second.Position(context.Background())
	if err != nil {
		position = -1
	}
	return fmt.Sprintf("%s@%d/%d", second.Generation(), position, changes)
}

// answer asks primary, and second if primary is unavailable.
func answer[E positioned, T any](ctx context.Context, f *failover[E], ask func(E) (T, error)) (T, error) {
	found, problem := ask(f.primary)
	if problem == nil {
		f.answered(ctx, false, nil)
	}
	if fault.CodeOf(problem) != fault.Unavailable || ctx.Err() != nil {
		return found, problem
	}
	if position, err := f.second.Position(ctx); err != nil || position == 0 {
		return found, problem
	}
	instead, err := ask(f.second)
	if err != nil {
		return found, problem
	}
	f.answered(ctx, true, problem)
	return instead, nil
}

// state returns which engine answered last, and how often that changed.
func (f *failover[E]) state() (away bool, changes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.away, f.changes
}

// answered records which engine answered.
func (f *failover[E]) answered(ctx context.Context, second bool, problem error) {
	f.mu.Lock()
	changed := f.away != second
	if changed {
		f.away = second
		f.changes++
	}
	f.mu.Unlock()
	switch {
	case changed && second:
		f.logger.WarnContext(ctx, "the search engine is away, the embedded index answers", "error", problem)
	case changed:
		f.logger.InfoContext(ctx, "the search engine answers again")
	}
}

// CollectionsWithFallback returns a reader that asks primary, and second if primary is Unavailable, as WithFallback does.
func CollectionsWithFallback(primary, second CollectionReader, logger *slog.Logger) CollectionReader {
	if logger != nil {
		logger = logger.With("index", "collections")
	}
	return &collectionsFallback{primary, newFailover(primary, second, logger)}
}

type collectionsFallback struct {
	CollectionReader
	failover failover[CollectionReader]
}

// Find implements CollectionReader.
func (f *collectionsFallback) Find(ctx context.Context, query CollectionQuery) (*CollectionResult, error) {
	return answer(ctx, &f.failover, func(index CollectionReader) (*CollectionResult, error) { return index.Find(ctx, query) })
}
