package cache_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
)

// countingIndex answers each search with the number of searches before it.
type countingIndex struct {
	position atomic.Int64
	searches atomic.Int64
	onSearch func(context.Context) error
	size     int
}

func (x *countingIndex) Corrections(context.Context, search.Text) ([][]string, error) {
	return nil, nil
}

func (x *countingIndex) Search(ctx context.Context, _ search.Query) (*search.Result, error) {
	total := int(x.searches.Add(1))
	if x.onSearch != nil {
		if err := x.onSearch(ctx); err != nil {
			return nil, err
		}
	}
	return &search.Result{Total: total, Refs: make([]catalogue.Ref, x.size)}, nil
}

func (x *countingIndex) Matches(context.Context, search.Text, []search.MatchLevel, catalogue.Access, catalogue.Date, int) ([]int, error) {
	return []int{int(x.searches.Add(1))}, nil
}

func (x *countingIndex) Finds(_ context.Context, texts []search.Text, _ catalogue.Access, _ catalogue.Date) ([]bool, error) {
	x.searches.Add(1)
	finds := make([]bool, len(texts))
	for i := range texts {
		finds[i] = texts[i].Words == "a"
	}
	return finds, nil
}

func (x *countingIndex) Phrases(context.Context, string, catalogue.Access, catalogue.Date, int) ([]search.Phrase, error) {
	return []search.Phrase{{Text: "a phrase", Videos: 1}}, nil
}

func (x *countingIndex) Apply(_ context.Context, batch search.Batch) error {
	x.position.Store(batch.Position)
	return nil
}

func (x *countingIndex) Rebuild(_ context.Context, position int64, _ iter.Seq2[search.Document, error]) error {
	x.position.Store(position)
	return nil
}

func (x *countingIndex) Position(context.Context) (int64, error) { return x.position.Load(), nil }
func (x *countingIndex) Generation() string                      { return "counting" }
func (x *countingIndex) Count(context.Context) (int, error)      { return 7, nil }
func (x *countingIndex) Close() error                            { return nil }

func openSearches(t *testing.T, options cache.SearchOptions) (*countingIndex, *cache.Searches) {
	t.Helper()
	index := &countingIndex{}
	searches := cache.NewSearches(index, options)
	t.Cleanup(func() { _ = searches.Close() })
	return index, searches
}

func total(t *testing.T, searches *cache.Searches, query search.Query) int {
	t.Helper()
	result, err := searches.Search(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	return result.Total
}

func TestSearchIsRemembered(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	index, searches := openSearches(t, cache.SearchOptions{TTL: time.Minute, Clock: func() time.Time { return now }})
	writer := searches.Writer(index)
	query := search.Query{Text: search.Text{Words: "volcano"}, Size: 10}
	steps := []struct {
		name string
		do   func()
		want int
	}{
		{"the first time", func() {}, 1},
		{"again", func() {}, 1},
		{"after a batch", func() { _ = writer.Apply(context.Background(), search.Batch{Position: 5}) }, 2},
		{"again", func() {}, 2},
		{"after a batch that leaves the position", func() { _ = writer.Apply(context.Background(), search.Batch{Position: 5}) }, 3},
		{"after a rebuild at the same position", func() { _ = writer.Rebuild(context.Background(), 5, nil) }, 4},
		{"after another process moved the index", func() { index.position.Store(6) }, 5},
		{"just before the end of its time", func() { now = now.Add(time.Minute - 1) }, 5},
		{"at the end of its time", func() { now = now.Add(1) }, 6},
	}
	for _, step := range steps {
		step.do()
		if got := total(t, searches, query); got != step.want {
			t.Errorf("%s: answered by search %d, want %d", step.name, got, step.want)
		}
	}
}

func TestFoundTextsAreRemembered(t *testing.T) {
	index, searches := openSearches(t, cache.SearchOptions{})
	private := catalogue.Access{PrivateChannels: true}
	for _, step := range []struct {
		name   string
		words  []string
		access catalogue.Access
		today  catalogue.Date
		asked  int64
	}{
		{"the first time", []string{"a", "b"}, catalogue.Access{}, 1, 1},
		{"again", []string{"a", "b"}, catalogue.Access{}, 1, 1},
		{"in another order", []string{"b", "a"}, catalogue.Access{}, 1, 2},
		{"as one text", []string{"a b"}, catalogue.Access{}, 1, 3},
		{"none of them", []string{"b"}, catalogue.Access{}, 1, 4},
		{"of none", nil, catalogue.Access{}, 1, 5},
		{"by another caller", []string{"a", "b"}, private, 1, 6},
		{"on another day", []string{"a", "b"}, catalogue.Access{}, 2, 7},
		{"at last", []string{"b", "a"}, catalogue.Access{}, 1, 7},
	} {
		texts, want := []search.Text{}, []bool{}
		for _, words := range step.words {
			texts, want = append(texts, search.Text{Words: words}), append(want, words == "a")
		}
		found, err := searches.Finds(t.Context(), texts, step.access, step.today)
		if err != nil || !slices.Equal(found, want) || index.searches.Load() != step.asked {
			t.Errorf("%s: %v (%v), want %v; the index was asked %d times, want %d", step.name, found, err, want, index.searches.Load(), step.asked)
		}
	}
}

func TestMatchesAreRemembered(t *testing.T) {
	_, searches := openSearches(t, cache.SearchOptions{})
	type call struct {
		text   search.Text
		levels []search.MatchLevel
		access catalogue.Access
		today  catalogue.Date
		enough int
	}
	base := call{text: search.Text{Words: "a b"}, levels: []search.MatchLevel{{}, {Typos: true}}, enough: 10}
	ask := func(c call) int {
		counts, err := searches.Matches(context.Background(), c.text, c.levels, c.access, c.today, c.enough)
		if err != nil || len(counts) != 1 {
			t.Fatal(counts, err)
		}
		return counts[0]
	}
	if first, again := ask(base), ask(base); first != again {
		t.Errorf("asked twice, counted twice")
	}
	seen := map[int]bool{ask(base): true}
	for name, change := range map[string]func(*call){
		"words":   func(c *call) { c.text.Words = "a c" },
		"phrases": func(c *call) { c.text.Phrases = []string{"a b"} },
		"levels":  func(c *call) { c.levels = []search.MatchLevel{{}, {Typos: true, OptionalWords: 1}} },
		"access":  func(c *call) { c.access.PrivateChannels = true },
		"rules":   func(c *call) { c.access.Rules = compiled(sampleRules()) },
		"values":  func(c *call) { c.access.Rules = rulesWithout(0, 1) },
		"today":   func(c *call) { c.today++ },
		"enough":  func(c *call) { c.enough++ },
	} {
		other := base
		change(&other)
		if got := ask(other); seen[got] {
			t.Errorf("another %s got an answer that is not its own", name)
		} else {
			seen[got] = true
		}
	}
}

// TestEveryPartOfAQueryCounts changes each field of a query, down to the last element of each list. A field that is
// added to the port and forgotten in the key fails the test.
func TestEveryPartOfAQueryCounts(t *testing.T) {
	_, searches := openSearches(t, cache.SearchOptions{})
	seen := map[int]string{}
	ask := func(name string, query search.Query) {
		got := total(t, searches, query)
		if other, known := seen[got]; known {
			t.Errorf("%s gets the answer of %s", name, other)
		}
		seen[got] = name
	}
	query := &search.Query{}
	fill(reflect.ValueOf(query).Elem())
	ask("the query itself", *query)
	if got := total(t, searches, *query); seen[got] == "" {
		t.Fatal("the query itself is not remembered")
	}
	changes := 0
	mutate(reflect.ValueOf(query).Elem(), "query", func(name string) {
		changes++
		ask(name, *query)
	})
	if changes < 100 {
		t.Errorf("%d changes were tried, there are more fields than that", changes)
	}
}

// fill gives every field a value other than zero, and each list two different elements.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*catalogue.Rules]() {
			v.Set(reflect.ValueOf(compiled(sampleRules())))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
		mutateOnce(v.Index(1))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1_000_000, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		mutateOnce(v)
	}
}

func mutateOnce(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float32:
		v.SetFloat(v.Float() + 1)
	case reflect.Struct:
		mutateOnce(v.Field(0))
	case reflect.Slice:
		mutateOnce(v.Index(0))
	default:
		panic("no way to change a " + v.Type().String())
	}
}

// mutate changes one part at a time, calls try, and reverts the change.
func mutate(v reflect.Value, name string, try func(name string)) {
	restore := reflect.New(v.Type()).Elem()
	restore.Set(v)
	defer v.Set(restore)
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(v.Interface().(time.Time).Add(1)))
		try(name)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			mutate(v.Field(i), name+"."+v.Type().Field(i).Name, try)
		}
	case v.Type() == reflect.TypeFor[*catalogue.Rules]():
		for place, rule := range sampleRules() {
			for kept := range rule.Values {
				v.Set(reflect.ValueOf(rulesWithout(place, kept)))
				try(fmt.Sprintf("%s.%s cut to %d", name, rule.Type, kept))
			}
		}
		v.SetZero()
		try(name + "=nil")
	case v.Kind() == reflect.Pointer:
		mutate(v.Elem(), name+"*", try)
		v.SetZero()
		try(name + "=nil")
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			mutate(v.Index(i), fmt.Sprintf("%s[%d]", name, i), try)
		}
		v.SetLen(1)
		try(name + " cut")
		v.SetLen(0)
		try(name + " emptied")
		v.SetZero()
		try(name + "=nil")
	default:
		mutateOnce(v)
		try(name)
	}
}

// TestPartsOfAQueryDoNotRunTogether checks pairs of queries that a key of joined strings would confuse.
func TestPartsOfAQueryDoNotRunTogether(t *testing.T) {
	_, searches := openSearches(t, cache.SearchOptions{})
	queries := []search.Query{
		{Text: search.Text{Words: "ab"}},
		{Text: search.Text{Words: "a", Phrases: []string{"b"}}},
		{Text: search.Text{Phrases: []string{"a", "b"}}},
		{Text: search.Text{Phrases: []string{"ab"}}},
		{Text: search.Text{Phrases: []string{"ab", ""}}},
		{Filter: search.Filter{Subjects: []catalogue.ID{"a"}}},
		{Filter: search.Filter{Channels: []catalogue.ID{"a"}}},
		{Filter: search.Filter{Subjects: []catalogue.ID{"a", "b"}}},
		{Filter: search.Filter{Subjects: []catalogue.ID{"a"}, Channels: []catalogue.ID{"b"}}},
		{Filter: search.Filter{IDs: []catalogue.ID{}}},
		{Filter: search.Filter{Topics: []catalogue.ID{}}},
		{Facets: &search.FacetRequest{}},
	}
	for i, query := range queries {
		if got := total(t, searches, query); got != i+1 {
			t.Errorf("query %d got the answer of query %d", i, got-1)
		}
	}
}

func TestAnswerOfAMovingIndexIsNotRemembered(t *testing.T) {
	index, searches := openSearches(t, cache.SearchOptions{})
	index.onSearch = func(context.Context) error {
		index.position.Add(1)
		return nil
	}
	total(t, searches, search.Query{})
	index.onSearch = nil
	index.position.Store(0) // A restored index has the position of before.
	if got := total(t, searches, search.Query{}); got != 2 {
		t.Errorf("an answer found while the index moved was remembered")
	}
}

func TestFaultsAreNotRemembered(t *testing.T) {
	index, searches := openSearches(t, cache.SearchOptions{})
	problem := errors.New("out of order")
	index.onSearch = func(context.Context) error { return problem }
	if _, err := searches.Search(context.Background(), search.Query{}); !errors.Is(err, problem) {
		t.Errorf("error %v, want %v", err, problem)
	}
	index.onSearch = func(context.Context) error { panic("a bug") }
	if _, err := searches.Search(context.Background(), search.Query{}); err == nil || !strings.Contains(err.Error(), "a bug") {
		t.Errorf("error %v, want the panic", err)
	}
	index.onSearch = nil
	if got := total(t, searches, search.Query{}); got != 3 {
		t.Errorf("answered by search %d, want 3", got)
	}
}

func TestOneSearchForManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, searches := openSearches(t, cache.SearchOptions{})
		index.onSearch = func(ctx context.Context) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		first, cancel := context.WithCancel(context.Background())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := searches.Search(first, search.Query{}); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller who went away: %v", err)
			}
		})
		synctest.Wait() // The first caller has begun the search for which the others wait.
		for range 10 {
			callers.Go(func() {
				if result, err := searches.Search(context.Background(), search.Query{}); err != nil || result.Total != 1 {
					t.Errorf("a caller who stayed: %v, %v", result, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		callers.Wait()
		if got := index.searches.Load(); got != 1 {
			t.Errorf("%d searches, want 1", got)
		}
	})
}

func TestASearchWithoutEndIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, searches := openSearches(t, cache.SearchOptions{})
		index.onSearch = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		_, err := searches.Search(context.Background(), search.Query{})
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("error %v, want one of code %s", err, fault.Unavailable)
		}
	})
}

func TestAnswersAreBounded(t *testing.T) {
	const bound, page = 1 << 20, 1000 // A page weighs 56 kB.
	index := &countingIndex{size: page}
	searches := cache.NewSearches(index, cache.SearchOptions{MaxBytes: bound})
	defer searches.Close()
	const pages = 200
	for i := range pages {
		total(t, searches, search.Query{Offset: i})
	}
	// The cache evicts entries over the bound in the background. Pages of newer searches may evict others meanwhile.
	for attempt := 0; ; attempt++ {
		before := index.searches.Load()
		for i := range pages {
			total(t, searches, search.Query{Offset: i})
		}
		if kept := pages - int(index.searches.Load()-before); kept <= bound/(page*48) {
			return
		} else if attempt == 100 {
			t.Fatalf("%d pages are remembered in %d bytes", kept, bound)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestSearchesPassesOnTheRest(t *testing.T) {
	index, searches := openSearches(t, cache.SearchOptions{})
	index.position.Store(3)
	ctx := context.Background()
	position, errPosition := searches.Position(ctx)
	phrases, errPhrases := searches.Phrases(ctx, "a", catalogue.Access{}, 0, 1)
	if err := errors.Join(errPosition, errPhrases); err != nil {
		t.Fatal(err)
	}
	if position != 3 || !slices.Equal(phrases, []search.Phrase{{Text: "a phrase", Videos: 1}}) {
		t.Errorf("position %d, phrases %v", position, phrases)
	}
}

func BenchmarkSearchHit(b *testing.B) {
	index := &countingIndex{size: 100}
	searches := cache.NewSearches(index, cache.SearchOptions{})
	defer searches.Close()
	from := catalogue.Date(20_000)
	query := search.Query{
		Text:   search.ParseText(`how do volcanoes "erupt" under water`),
		Filter: search.Filter{Subjects: []catalogue.ID{"5f0000000000000000000001"}, ReleasedFrom: &from},
		Today:  20_500, Size: 100,
		Facets: &search.FacetRequest{Durations: catalogue.DefaultDurationBuckets(), Ages: catalogue.DefaultAgeBuckets()},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := searches.Search(context.Background(), query); err != nil {
			b.Fatal(err)
		}
	}
	if index.searches.Load() != 1 {
		b.Fatal("not remembered")
	}
}
