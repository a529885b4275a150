package cache_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
)

// namedIndex is a countingIndex of another generation. A test chooses its answers.
type namedIndex struct {
	countingIndex
	generation string
	result     *search.Result
	counts     []int
}

func (x *namedIndex) Generation() string { return x.generation }

func (x *namedIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	if counted, err := x.countingIndex.Search(ctx, query); err != nil || x.result == nil {
		return counted, err
	}
	return x.result, nil
}

func (x *namedIndex) Matches(ctx context.Context, text search.Text, steps []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int) ([]int, error) {
	if x.counts != nil {
		x.searches.Add(1)
		return x.counts, nil
	}
	return x.countingIndex.Matches(ctx, text, steps, access, today, enough)
}

// process returns a Searches over an index of its own, like one of several processes that share a far level.
func process(t *testing.T, far cache.Cache, index *namedIndex, position int64) *cache.Searches {
	t.Helper()
	index.position.Store(position)
	searches := cache.NewSearches(index, cache.SearchOptions{Far: far})
	t.Cleanup(func() { _ = searches.Close() })
	return searches
}

func matches(t *testing.T, searches *cache.Searches) []int {
	t.Helper()
	counts, err := searches.Matches(context.Background(), search.Text{Words: "a"}, []search.MatchLevel{{}}, catalogue.Access{}, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestAnswersAreShared(t *testing.T) {
	far := openRedis(t, testservers.SharedRedis(t), t.Name())
	// The test fills every field. A field that is added to the port and forgotten here fails it.
	result := &search.Result{}
	fill(reflect.ValueOf(result).Elem())
	for name, want := range map[string]struct {
		result *search.Result
		counts []int
	}{
		"everything":      {result, []int{5, 0, -1}},
		"nothing":         {&search.Result{}, []int{}},
		"empty lists":     {&search.Result{Refs: []catalogue.Ref{}, Facets: &search.Facets{Tags: []search.Bucket{}, Ages: []int{}}}, []int{0}},
		"the largest":     {&search.Result{Total: 1<<63 - 1, Refs: []catalogue.Ref{{Version: 1<<63 - 1}}}, []int{-1 << 63}},
		"strings of all":  {&search.Result{Refs: []catalogue.Ref{{ID: "\x00\xff"}, {ID: ""}, {ID: "ключ"}}}, []int{1}},
		"a facet of none": {&search.Result{Facets: &search.Facets{}}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			one := &namedIndex{generation: name, result: want.result, counts: want.counts}
			first := process(t, far, one, 5)
			total(t, first, search.Query{})
			matches(t, first)
			_ = first.Close() // Close writes the pending items.

			other := &namedIndex{generation: name}
			second := process(t, far, other, 5)
			got, err := second.Search(t.Context(), search.Query{})
			if diff := cmp.Diff(want.result, got); err != nil || diff != "" {
				t.Errorf("%v, other than what was found (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(want.counts, matches(t, second)); diff != "" {
				t.Errorf("other counts (-want +got):\n%s", diff)
			}
			if asked := other.searches.Load(); asked != 0 {
				t.Errorf("the other index was asked %d times", asked)
			}
			if stats := second.Stats(); stats.FarHits != 2 || stats.Searches != 0 {
				t.Errorf("%+v, want two far hits", stats)
			}
		})
	}
}

func TestFoundTextsAreShared(t *testing.T) {
	far, texts := memory.New(memory.Options{}), []search.Text{{Words: "b"}, {Words: "a"}}
	for _, asked := range []int64{1, 0} {
		index := &namedIndex{generation: "one"}
		searches := process(t, far, index, 5)
		found, err := searches.Finds(t.Context(), texts, catalogue.Access{}, 0)
		if err != nil || !slices.Equal(found, []bool{false, true}) || index.searches.Load() != asked {
			t.Errorf("%v (%v); the index was asked %d times, want %d", found, err, index.searches.Load(), asked)
		}
		_ = searches.Close() // Close writes the pending items.
	}
}

func TestOnlyAnswersOfTheSameMomentAreShared(t *testing.T) {
	far := memory.New(memory.Options{})
	found := func(generation string, position int64) (asked int64) {
		t.Helper()
		index := &namedIndex{generation: generation}
		searches := process(t, far, index, position)
		total(t, searches, search.Query{})
		_ = searches.Close()
		return index.searches.Load()
	}
	for _, step := range []struct {
		name       string
		generation string
		position   int64
		want       int64
	}{
		{"the first", "one", 5, 1},
		{"the same", "one", 5, 0},
		{"another generation", "two", 5, 1},
		{"a process behind", "one", 4, 1},
		{"the same after it", "one", 5, 0},
		{"a process ahead", "one", 6, 1},
		{"the same after that", "one", 6, 0},
		{"an empty index", "three", 0, 1},
		{"another empty index", "three", 0, 1},
	} {
		if got := found(step.generation, step.position); got != step.want {
			t.Errorf("%s: the index was asked %d times, want %d", step.name, got, step.want)
		}
	}
}

// TestAnswersOfAnotherBuildAreNotRemembered checks that answers of an old build are not served for a new one. Another
// process may rebuild the index and leave its position unchanged.
func TestAnswersOfAnotherBuildAreNotRemembered(t *testing.T) {
	for name, far := range map[string]cache.Cache{"near": nil, "near and far": memory.New(memory.Options{})} {
		index := &namedIndex{generation: "one"}
		searches := process(t, far, index, 5)
		for i, step := range []struct {
			generation string
			want       int
		}{{"one", 1}, {"one", 1}, {"two", 2}, {"two", 2}} {
			index.generation = step.generation
			if got := total(t, searches, search.Query{}); got != step.want {
				t.Errorf("%s, step %d: answered by search %d, want %d", name, i, got, step.want)
			}
		}
		_ = searches.Close()
	}
}

func TestAnswerOfAMovingIndexIsNotShared(t *testing.T) {
	for name, move := range map[string]func(*namedIndex){
		"position":   func(x *namedIndex) { x.position.Store(6) },
		"generation": func(x *namedIndex) { x.generation = "next" },
	} {
		far := &farSpy{Cache: memory.New(memory.Options{})}
		index := &namedIndex{generation: "one"}
		index.onSearch = func(context.Context) error { move(index); return nil }
		searches := process(t, far, index, 5)
		total(t, searches, search.Query{})
		_ = searches.Close()
		if len(far.put) != 0 {
			t.Errorf("%s: an answer found while it changed is shared", name)
		}
	}
}

// TestSearchesWithoutFar checks that no failure of Redis reaches a caller, and that concurrent callers share one
// search.
func TestSearchesWithoutFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &farSpy{err: errors.New("away"), block: make(chan struct{})}
		index := &namedIndex{}
		searches := process(t, far, index, 5)
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if got := total(t, searches, search.Query{}); got != 1 {
					t.Errorf("answered by search %d, want 1", got)
				}
			})
		}
		synctest.Wait()
		close(far.block)
		callers.Wait()
		if len(far.asked) != 1 || index.searches.Load() != 1 {
			t.Errorf("far was asked %d times and the index %d times, want once each", len(far.asked), index.searches.Load())
		}
	})
}

func TestClosingSearchesDoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &stuckPut{memory.New(memory.Options{})}
		index := &namedIndex{}
		searches := cache.NewSearches(index, cache.SearchOptions{Far: far})
		if err := searches.Writer(index).Apply(t.Context(), search.Batch{Position: 5}); err != nil {
			t.Fatal(err)
		}
		total(t, searches, search.Query{})
		started := time.Now()
		_ = searches.Close()
		if waited := time.Since(started); waited > 5*time.Second {
			t.Errorf("Close waited %s", waited)
		}
	})
}

// stuckPut is a cache whose Put returns only when its context ends.
type stuckPut struct{ cache.Cache }

func (stuckPut) Put(ctx context.Context, _ []cache.Item) error {
	<-ctx.Done()
	return ctx.Err()
}

// bytesUnderEveryKey is a far level that returns the same bytes under every key, at version 1.
type bytesUnderEveryKey struct {
	cache.Cache
	bytes []byte
}

func (b bytesUnderEveryKey) Get(_ context.Context, asks []cache.Ask, into []cache.Entry) error {
	for i := range asks {
		into[i] = cache.Entry{Version: 1, Value: b.bytes}
	}
	return nil
}
func (bytesUnderEveryKey) Put(context.Context, []cache.Item) error { return nil }

// FuzzForeignAnswers checks that decoding any bytes yields one answer or none, and allocates no more memory than the
// length of the bytes allows.
func FuzzForeignAnswers(f *testing.F) {
	result := &search.Result{}
	fill(reflect.ValueOf(result).Elem())
	for _, seed := range encodings(f, &namedIndex{result: result, counts: []int{1, -1}}) {
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
		f.Add(append(bytes.Clone(seed), 0))
	}
	f.Add([]byte{})
	f.Add([]byte{1, 'q', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{1, 'm', 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, foreign []byte) {
		index := &namedIndex{}
		index.position.Store(1)
		searches := cache.NewSearches(index, cache.SearchOptions{Far: bytesUnderEveryKey{bytes: foreign}})
		defer searches.Close()
		before := bytes.Clone(foreign)
		result, err := searches.Search(context.Background(), search.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Refs) > len(foreign) {
			t.Errorf("%d references in %d bytes", len(result.Refs), len(foreign))
		}
		counts, err := searches.Matches(context.Background(), search.Text{}, nil, catalogue.Access{}, 0, 1)
		if err != nil || len(counts) > len(foreign)+1 {
			t.Errorf("%d counts in %d bytes, %v", len(counts), len(foreign), err)
		}
		if found, err := searches.Finds(context.Background(), []search.Text{{Words: "a"}, {}}, catalogue.Access{}, 0); err != nil || len(found) != 2 {
			t.Errorf("found %v, %v", found, err)
		}
		if !slices.Equal(before, foreign) {
			t.Error("the bytes were changed")
		}
	})
}

// encodings returns the encoded answers of an index.
func encodings(tb testing.TB, index *namedIndex) [][]byte {
	far := &farSpy{Cache: memory.New(memory.Options{})}
	index.position.Store(1)
	searches := cache.NewSearches(index, cache.SearchOptions{Far: far})
	_, errSearch := searches.Search(context.Background(), search.Query{})
	_, errMatches := searches.Matches(context.Background(), search.Text{}, nil, catalogue.Access{}, 0, 1)
	if err := errors.Join(errSearch, errMatches, searches.Close()); err != nil {
		tb.Fatal(err)
	}
	var all [][]byte
	for _, item := range far.put {
		all = append(all, item.Value)
	}
	return all
}

// TestCutAnswersAreNone checks that truncated answers and answers with extra bytes are rejected.
func TestCutAnswersAreNone(t *testing.T) {
	result := &search.Result{}
	fill(reflect.ValueOf(result).Elem())
	for _, whole := range encodings(t, &namedIndex{result: result, counts: []int{1, -1}}) {
		longer := append(bytes.Clone(whole), 0)
		for n := range len(longer) + 1 {
			if n == len(whole) {
				continue
			}
			index := &namedIndex{}
			index.position.Store(1)
			searches := cache.NewSearches(index, cache.SearchOptions{Far: bytesUnderEveryKey{bytes: longer[:n]}})
			total(t, searches, search.Query{})
			matches(t, searches)
			if got := index.searches.Load(); got != 2 {
				t.Errorf("%d of %d bytes passed for an answer", n, len(whole))
			}
			_ = searches.Close()
		}
	}
}
