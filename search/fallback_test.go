package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

// shaky is an index that fails with its fault, if set, before it searches.
type shaky struct {
	search.Index
	fault atomic.Pointer[error]
	asked atomic.Int64
}

func (s *shaky) fail(err error) { s.fault.Store(&err) }

func (s *shaky) check() error {
	s.asked.Add(1)
	if problem := s.fault.Load(); problem != nil {
		return *problem
	}
	return nil
}

func (s *shaky) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Index.Search(ctx, query)
}

func (s *shaky) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Index.Matches(ctx, text, levels, access, today, enough)
}

func (s *shaky) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Index.Finds(ctx, texts, access, today)
}

func (s *shaky) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Index.Phrases(ctx, text, access, today, limit)
}

func open(t testing.TB) *embedded.Index {
	t.Helper()
	index, err := embedded.Open(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}

// pair returns a primary with some videos at position 5, and a second index with others at position 4.
func pair(t testing.TB, primary, second int) (*shaky, *shaky) {
	t.Helper()
	fill := func(n int, position int64) *shaky {
		index := &shaky{Index: open(t)}
		batch := search.Batch{Position: position}
		for i := range n {
			batch.Put = append(batch.Put, search.Document{
				State: catalogue.State{Ref: catalogue.Ref{ID: catalogue.ID(fmt.Sprintf("%024d", i)), Version: 1}, Sequence: int64(i + 1)},
				Title: "Water",
			})
		}
		if err := index.Apply(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		return index
	}
	return fill(primary, 5), fill(second, 4)
}

// answers calls each method and returns the numbers of videos found.
func answers(ctx context.Context, index search.Reader) (found [3]int, err error) {
	text := search.ParseText("water")
	result, err := index.Search(ctx, search.Query{Text: text, Size: 10})
	if err != nil {
		return found, err
	}
	counts, err := index.Matches(ctx, text, []search.MatchLevel{{}}, catalogue.Access{}, 0, 100)
	if err != nil {
		return found, err
	}
	phrases, err := index.Phrases(ctx, "water", catalogue.Access{}, 0, 10)
	if err != nil {
		return found, err
	}
	return [3]int{result.Total, counts[0], phrases[0].Videos}, nil
}

func TestFallback(t *testing.T) {
	away := fault.Errorf(fault.Unavailable, "away")
	bug := errors.New("a bug")
	over, hangUp := context.WithCancel(context.Background())
	hangUp()
	tests := []struct {
		name           string
		ctx            context.Context
		primary, other error
		empty          bool
		found          int
		err            error
		asked          bool // asked reports whether the second index was called.
	}{
		{name: "primary answers", found: 3},
		{name: "primary is away", primary: away, found: 2, asked: true},
		{name: "primary is wrong", primary: bug, err: bug},
		{name: "both are away", primary: away, other: bug, err: away, asked: true},
		{name: "second is empty and new", primary: away, empty: true, err: away},
		{name: "nobody waits", ctx: over, primary: away, err: away},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			primary, second := pair(t, 3, 2)
			if test.empty {
				second.Index = open(t)
			}
			if test.primary != nil {
				primary.fail(test.primary)
			}
			if test.other != nil {
				second.fail(test.other)
			}
			ctx := test.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			want := [3]int{test.found, test.found, test.found}
			found, err := answers(ctx, search.WithFallback(primary, second, nil))
			if found != want || !errors.Is(err, test.err) || (second.asked.Load() > 0) != test.asked {
				t.Errorf("found %v (%v), want %v (%v); second was asked %d times", found, err, want, test.err, second.asked.Load())
			}
		})
	}
}

// TestFallbackIsPrimary checks that the position is always that of the primary, even while the primary is down.
func TestFallbackIsPrimary(t *testing.T) {
	primary, second := pair(t, 3, 2)
	index := search.WithFallback(primary, second, nil)
	primary.fail(fault.Errorf(fault.Unavailable, "away"))
	if _, err := answers(t.Context(), index); err != nil {
		t.Fatal(err)
	}
	if err := primary.Apply(t.Context(), search.Batch{Position: 9}); err != nil {
		t.Error(err)
	}
	if position, err := index.Position(t.Context()); position != 9 || err != nil {
		t.Errorf("position %d (%v)", position, err)
	}
}

// TestFallbackPasses runs the suite on a fallback whose primary is the tested index.
func TestFallbackPasses(t *testing.T) {
	searchtest.Run(t, func(t *testing.T) search.Index {
		primary := open(t)
		return searchtest.Join(search.WithFallback(primary, open(t), nil), primary)
	})
}

func TestFallbackTellsWhoAnswers(t *testing.T) {
	var log bytes.Buffer
	primary, second := pair(t, 3, 2)
	index := search.WithFallback(primary, second, slog.New(slog.NewTextHandler(&log, nil)))
	if index.Generation() != primary.Generation() {
		t.Errorf("generation %q, want that of primary, %q", index.Generation(), primary.Generation())
	}
	met := map[string]bool{}
	step := func(what string, problem error, changes bool) {
		t.Helper()
		before := index.Generation()
		met[before] = true
		primary.fail(problem)
		if _, err := answers(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		if after := index.Generation(); (after != before) != changes || (changes && met[after]) {
			t.Errorf("%s: %q after %q", what, after, before)
		}
	}
	away := fault.Errorf(fault.Unavailable, "away")
	step("away", away, true)
	step("still away", away, false)
	before := index.Generation()
	if err := second.Apply(t.Context(), search.Batch{Position: 8}); err != nil {
		t.Fatal(err)
	}
	if index.Generation() == before {
		t.Error("second moves on under the same name")
	}
	step("back", nil, true)
	step("still there", nil, false)
	step("away again", away, true)
	step("back again", nil, true)
	if warned, logged := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(), "level=INFO"); warned != 2 || logged != 2 {
		t.Errorf("%d warnings and %d notes, want 2 and 2:\n%s", warned, logged, log.String())
	}
}

// TestFallbackNamesEachAnswer searches concurrently while the primary fails and recovers. If the generation is the same
// before and after an answer, the answer is from the engine that the generation names.
func TestFallbackNamesEachAnswer(t *testing.T) {
	primary, second := pair(t, 3, 2)
	index := search.WithFallback(primary, second, nil)
	away := error(fault.Errorf(fault.Unavailable, "away"))
	var named sync.Map // named maps a generation to the number of videos that it finds.
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for i := range 500 {
				if i%50 == 0 {
					primary.fail(away)
				} else if i%25 == 0 {
					primary.fail(nil)
				}
				before := index.Generation()
				result, err := index.Search(t.Context(), search.Query{Size: 1})
				if err != nil {
					t.Error(err)
					return
				}
				if index.Generation() != before {
					continue
				}
				if known, _ := named.LoadOrStore(before, result.Total); known != result.Total {
					t.Errorf("under %q %d were found, and %d", before, known, result.Total)
				}
			}
		})
	}
	asking.Wait()
	n := 0
	named.Range(func(any, any) bool { n++; return true })
	if n < 3 {
		t.Errorf("only %d generations were met", n)
	}
}

// TestFallbackOverMemories checks the setup of a server, in which each engine has its own cache below the fallback.
func TestFallbackOverMemories(t *testing.T) {
	primary, second := pair(t, 3, 2)
	index := search.WithFallback(
		cache.NewSearches(primary, cache.SearchOptions{}), cache.NewSearches(second, cache.SearchOptions{}), nil)
	away := fault.Errorf(fault.Unavailable, "away")
	find := func(text string) int {
		t.Helper()
		result, err := index.Search(t.Context(), search.Query{Text: search.ParseText(text), Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		return result.Total
	}
	remembered := find("water")
	primary.fail(away)
	if n := find("water"); n != remembered {
		t.Errorf("%d found, remembered were %d", n, remembered)
	}
	if n := find(""); n != 2 {
		t.Errorf("%d found while primary is away, want 2 of second", n)
	}
	primary.fail(nil)
	if n := find(""); n != 3 {
		t.Errorf("%d found when primary was back, want its 3", n)
	}
}
