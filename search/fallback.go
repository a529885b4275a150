package search

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// WithFallback is primary, but where primary is Unavailable for a search, second answers it: an index
// that others keep up. Everything else is primary's: writes, Position, Count and Close. Where second
// cannot answer either, or is empty and new, the error of primary is returned; so is that of a caller
// who has hung up. logger takes a line whenever the answers begin to come from the other; nil: none.
//
// Each call is answered by one of the two as a whole, so that results, totals and facets agree. The
// calls of one request may meet different engines at the moment of a change: then the step is one that
// the other's Matches has chosen, and may be stricter or more forgiving than its own would be, for that
// page; all-words queries come out the same. A page that follows may be of another engine than the one
// before, with another order by relevance, and may stand at another position of the log.
//
// Whoever remembers answers does so beneath, for each of the two by itself: there an answer belongs to
// the Position of its own index. Above, where only Position of primary is known, Generation tells the
// answers of the two apart: it changes with every change from one to the other, before the answer is
// returned, never to what it was before, and while second answers it holds its position too. An answer
// before and after which it is the same is one of the engine that it names.
func WithFallback(primary, second Index, logger *slog.Logger) Index {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &fallback{primary, standIn[Index]{primary: primary, second: second, logger: logger}}
}

type fallback struct {
	Index
	standIn standIn[Index]
}

// standIn has one of two engines answer.
type standIn[E standing] struct {
	primary, second E
	logger          *slog.Logger

	mu      sync.Mutex
	away    bool // the last answer was one of second
	changes int
}

// standing is what an engine must tell that stands in for another.
type standing interface {
	Position(ctx context.Context) (int64, error)
}

// Search implements Index.
func (f *fallback) Search(ctx context.Context, query Query) (*Result, error) {
	return answer(ctx, &f.standIn, func(index Index) (*Result, error) { return index.Search(ctx, query) })
}

// Matches implements Index.
func (f *fallback) Matches(
	ctx context.Context, text Text, steps []MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	return answer(ctx, &f.standIn, func(index Index) ([]int, error) {
		return index.Matches(ctx, text, steps, access, today, enough)
	})
}

// Finds implements Index.
func (f *fallback) Finds(
	ctx context.Context, texts []Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	return answer(ctx, &f.standIn, func(index Index) ([]bool, error) {
		return index.Finds(ctx, texts, access, today)
	})
}

// Phrases implements Index.
func (f *fallback) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]Phrase, error) {
	return answer(ctx, &f.standIn, func(index Index) ([]Phrase, error) {
		return index.Phrases(ctx, text, access, today, limit)
	})
}

// Generation implements Index.
func (f *fallback) Generation() string {
	away, changes := f.standIn.state()
	switch {
	case changes == 0:
		return f.Index.Generation()
	case !away:
		return fmt.Sprintf("%s/%d", f.Index.Generation(), changes)
	}
	// A position that cannot be told is no position: it names no answer of another moment.
	second := f.standIn.second
	position, err := second.Position(context.Background())
	if err != nil {
		position = -1
	}
	return fmt.Sprintf("%s@%d/%d", second.Generation(), position, changes)
}

// answer asks primary, and second where that is away.
func answer[E standing, T any](ctx context.Context, s *standIn[E], ask func(E) (T, error)) (T, error) {
	found, problem := ask(s.primary)
	if problem == nil {
		s.answered(ctx, false, nil)
	}
	if fault.CodeOf(problem) != fault.Unavailable || ctx.Err() != nil {
		return found, problem
	}
	if position, err := s.second.Position(ctx); err != nil || position == 0 {
		return found, problem
	}
	instead, err := ask(s.second)
	if err != nil {
		return found, problem
	}
	s.answered(ctx, true, problem)
	return instead, nil
}

// state tells which of the two has answered last, and how often that changed.
func (s *standIn[E]) state() (away bool, changes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away, s.changes
}

// answered notes which of the two has answered.
func (s *standIn[E]) answered(ctx context.Context, second bool, problem error) {
	s.mu.Lock()
	changed := s.away != second
	if changed {
		s.away = second
		s.changes++
	}
	s.mu.Unlock()
	switch {
	case changed && second:
		s.logger.WarnContext(ctx, "the search engine is away, the embedded index answers", "error", problem)
	case changed:
		s.logger.InfoContext(ctx, "the search engine answers again")
	}
}
