package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func newTelemetry(tb testing.TB, options telemetry.Options) *telemetry.Telemetry {
	tb.Helper()
	watch, err := telemetry.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = watch.Close() })
	return watch
}

// The following tests check that measured engines meet the contracts of their ports.

func TestWatchedCatalogueConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the whole suite of the store")
	}
	watch := newTelemetry(t, telemetry.Options{})
	storetest.Catalogue(t, func(t *testing.T, now func() time.Time) func() store.Catalogue {
		path := filepath.Join(t.TempDir(), "catalogue.db")
		return func() store.Catalogue {
			c, err := sqlite.OpenCatalogue(t.Context(), path, sqlite.WithClock(now))
			if err != nil {
				t.Fatal(err)
			}
			return watch.Catalogue(c, "sqlite")
		}
	})
}

func TestWatchedIndexConforms(t *testing.T) {
	watch := newTelemetry(t, telemetry.Options{})
	searchtest.Run(t, func(t *testing.T) search.Index {
		index, err := embedded.Open(embedded.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return searchtest.Join(watch.IndexReader(index, "embedded"), watch.IndexWriter(index, "embedded"), index)
	})
}

func TestWatchedCacheConforms(t *testing.T) {
	cachetest.Run(t, func(t *testing.T) cache.Cache {
		return newTelemetry(t, telemetry.Options{}).Cache(memory.New(memory.Options{}), "memory", "documents")
	}, cachetest.Options{})
}

// failingCatalogue and the types below are engines whose calls fail with a given error.
type failingCatalogue struct {
	store.Catalogue
	err error
}

func (f failingCatalogue) Videos(context.Context, []catalogue.ID) ([]*catalogue.Video, error) {
	return nil, f.err
}
func (f failingCatalogue) States(context.Context, []catalogue.ID) ([]catalogue.State, error) {
	return nil, f.err
}
func (f failingCatalogue) Transcripts(context.Context, []catalogue.ID) (map[catalogue.ID]string, error) {
	return nil, f.err
}
func (f failingCatalogue) Aliases(context.Context, []string) (map[string]catalogue.ID, error) {
	return nil, f.err
}
func (f failingCatalogue) Directory(context.Context, store.Position) (*catalogue.Directory, error) {
	return nil, f.err
}
func (f failingCatalogue) OwnedItems(context.Context, catalogue.Kind, []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return nil, f.err
}
func (f failingCatalogue) OwnedItemsOf(context.Context, catalogue.Kind, []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return nil, f.err
}
func (f failingCatalogue) OwnedItemsSince(context.Context, catalogue.Kind, store.Position, int) ([]catalogue.OwnedItem, error) {
	return nil, f.err
}
func (f failingCatalogue) CountOwnedItems(context.Context, catalogue.Kind) (int, store.Position, error) {
	return 0, 0, f.err
}
func (f failingCatalogue) Removals(context.Context, store.RemovalQuery) (store.RemovalPage, error) {
	return store.RemovalPage{}, f.err
}

func (f failingCatalogue) Audit(context.Context, store.CatalogueAuditQuery) ([]store.CatalogueAuditEntry, error) {
	return nil, f.err
}

func (f failingCatalogue) Feed(context.Context, store.FeedQuery) (store.FeedPage, error) {
	return store.FeedPage{}, f.err
}
func (f failingCatalogue) Scan(context.Context, int64, int) ([]*catalogue.Video, error) {
	return nil, f.err
}
func (f failingCatalogue) CountVideos(context.Context) (int, error)     { return 0, f.err }
func (f failingCatalogue) Head(context.Context) (store.Position, error) { return 0, f.err }
func (f failingCatalogue) Changes(context.Context, store.Position, int) ([]store.Change, error) {
	return nil, f.err
}
func (f failingCatalogue) Trim(context.Context, int) error                      { return f.err }
func (f failingCatalogue) Attest(context.Context, string, store.Position) error { return f.err }
func (f failingCatalogue) Attested(context.Context, string, store.Position) (bool, error) {
	return false, f.err
}
func (f failingCatalogue) Write(context.Context, func(context.Context, store.Tx) error) error {
	return f.err
}
func (f failingCatalogue) FanOut(context.Context, int) (bool, error) { return false, f.err }

type failingIndex struct {
	search.Index
	err error
}

func (f failingIndex) Search(context.Context, search.Query) (*search.Result, error) {
	return nil, f.err
}
func (f failingIndex) Matches(context.Context, search.Text, []search.MatchLevel, catalogue.Access, catalogue.Date, int) ([]int, error) {
	return nil, f.err
}
func (f failingIndex) Finds(context.Context, []search.Text, catalogue.Access, catalogue.Date) ([]bool, error) {
	return nil, f.err
}
func (f failingIndex) Phrases(context.Context, string, catalogue.Access, catalogue.Date, int) ([]search.Phrase, error) {
	return nil, f.err
}
func (f failingIndex) Apply(context.Context, search.Batch) error { return f.err }
func (f failingIndex) Rebuild(context.Context, int64, iter.Seq2[search.Document, error]) error {
	return f.err
}
func (f failingIndex) Count(context.Context) (int, error) { return 0, f.err }

type failingCache struct {
	cache.Cache
	err error
}

func (f failingCache) Get(context.Context, []cache.Ask, []cache.Entry) error { return f.err }
func (f failingCache) Put(context.Context, []cache.Item) error               { return f.err }

// TestOutcomes checks that each operation of each port counts its outcome and returns the error unchanged.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		err     error
		outcome string
	}{
		{nil, "ok"},
		{fault.Errorf(fault.Unavailable, "away"), "unavailable"},
		{fmt.Errorf("wrapped: %w", fault.Errorf(fault.Unavailable, "away")), "unavailable"},
		{&fault.Error{Code: fault.Unavailable, Cause: context.DeadlineExceeded}, "unavailable"},
		{errors.New("broken"), "error"},
		{fault.Errorf(fault.Internal, "broken"), "error"},
		{context.Canceled, "cancelled"},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), "cancelled"},
		{fault.Errorf(fault.Conflict, "an answer"), "ok"},
		{store.ErrTrimmed, "ok"},
	} {
		t.Run(fmt.Sprint(test.err), func(t *testing.T) {
			w := &world{TB: t, Telemetry: newTelemetry(t, telemetry.Options{})}
			calls := allCalls(t.Context(),
				w.Catalogue(failingCatalogue{err: test.err}, "s"), w.IndexReader(failingIndex{err: test.err}, "i"), w.IndexWriter(failingIndex{err: test.err}, "i"), w.Cache(failingCache{err: test.err}, "c", "k"))
			calls = append(calls, collectionCalls(t.Context(), w.Telemetry, test.err)...)
			for _, call := range calls {
				if err := call.do(); !errors.Is(err, test.err) {
					t.Errorf("%s %s: got %v", call.port, call.operation, err)
				}
				series := fmt.Sprintf(`engine=%q,operation=%q,`, call.engine, call.operation)
				w.expect(`filmstrip_engine_calls_total{`+series+fmt.Sprintf(`outcome=%q,port=%q}`, test.outcome, call.port), "1")
				w.expect(`filmstrip_engine_call_duration_seconds_count{`+series+fmt.Sprintf(`port=%q}`, call.port), "1")
			}
		})
	}
}

type engineCall struct {
	port, engine, operation string
	do                      func() error
}

func allCalls(ctx context.Context, c store.Catalogue, i search.Reader, w search.Writer, k cache.Cache) []engineCall {
	var none catalogue.Access
	var today catalogue.Date
	return []engineCall{
		{"store", "s", "videos", func() error { _, err := c.Videos(ctx, nil); return err }},
		{"store", "s", "states", func() error { _, err := c.States(ctx, nil); return err }},
		{"store", "s", "transcripts", func() error { _, err := c.Transcripts(ctx, nil); return err }},
		{"store", "s", "aliases", func() error { _, err := c.Aliases(ctx, nil); return err }},
		{"store", "s", "directory", func() error { _, err := c.Directory(ctx, 0); return err }},
		{"store", "s", "owned items", func() error { _, err := c.OwnedItems(ctx, catalogue.KindTheme, nil); return err }},
		{"store", "s", "owned items of", func() error { _, err := c.OwnedItemsOf(ctx, catalogue.KindTheme, nil); return err }},
		{"store", "s", "owned items since", func() error { _, err := c.OwnedItemsSince(ctx, catalogue.KindTheme, 0, 1); return err }},
		{"store", "s", "count owned items", func() error { _, _, err := c.CountOwnedItems(ctx, catalogue.KindTheme); return err }},
		{"store", "s", "feed", func() error { _, err := c.Feed(ctx, store.FeedQuery{}); return err }},
		{"store", "s", "removals", func() error { _, err := c.Removals(ctx, store.RemovalQuery{}); return err }},
		{"store", "s", "audit", func() error { _, err := c.Audit(ctx, store.CatalogueAuditQuery{}); return err }},
		{"store", "s", "scan", func() error { _, err := c.Scan(ctx, 0, 1); return err }},
		{"store", "s", "count", func() error { _, err := c.CountVideos(ctx); return err }},
		{"store", "s", "head", func() error { _, err := c.Head(ctx); return err }},
		{"store", "s", "changes", func() error { _, err := c.Changes(ctx, 0, 1); return err }},
		{"store", "s", "trim", func() error { return c.Trim(ctx, 1) }},
		{"store", "s", "attest", func() error { return c.Attest(ctx, "", 0) }},
		{"store", "s", "attested", func() error { _, err := c.Attested(ctx, "", 0); return err }},
		{"store", "s", "write", func() error { return c.Write(ctx, nil) }},
		{"store", "s", "fan out", func() error { _, err := c.FanOut(ctx, 1); return err }},
		{"search", "i", "search", func() error { _, err := i.Search(ctx, search.Query{}); return err }},
		{"search", "i", "matches", func() error { _, err := i.Matches(ctx, search.Text{}, nil, none, today, 1); return err }},
		{"search", "i", "finds", func() error { _, err := i.Finds(ctx, nil, none, today); return err }},
		{"search", "i", "phrases", func() error { _, err := i.Phrases(ctx, "", none, today, 1); return err }},
		{"search", "i", "apply", func() error { return w.Apply(ctx, search.Batch{}) }},
		{"search", "i", "rebuild", func() error { return w.Rebuild(ctx, 0, nil) }},
		{"search", "i", "count", func() error { _, err := w.Count(ctx); return err }},
		{"cache", "c", "get", func() error { return k.Get(ctx, nil, nil) }},
		{"cache", "c", "put", func() error { return k.Put(ctx, nil) }},
	}
}

func TestLookupsAreCountedByKind(t *testing.T) {
	w := &world{TB: t, Telemetry: newTelemetry(t, telemetry.Options{})}
	inner := memory.New(memory.Options{})
	pages, others := w.Cache(inner, "memory", "pages"), w.Cache(inner, "memory", "others")
	if err := pages.Put(t.Context(), []cache.Item{{Key: "a", Entry: cache.Entry{Version: 2}}, {Key: "b", Entry: cache.Entry{Version: 3}}}); err != nil {
		t.Fatal(err)
	}
	asks := []cache.Ask{{Key: "a", AtLeast: 2}, {Key: "b"}, {Key: "a", AtLeast: 3}, {Key: "c"}, {Key: "d"}}
	if err := pages.Get(t.Context(), asks, make([]cache.Entry, len(asks))); err != nil {
		t.Fatal(err)
	}
	if err := others.Get(t.Context(), asks[:1], make([]cache.Entry, 1)); err != nil {
		t.Fatal(err)
	}
	away := w.Cache(failingCache{err: errors.New("away")}, "away", "documents")
	if err := away.Get(t.Context(), asks, make([]cache.Entry, len(asks))); err == nil {
		t.Fatal("the error was lost")
	}
	uncounted := w.Cache(inner, "memory", "")
	if err := uncounted.Get(t.Context(), asks, make([]cache.Entry, len(asks))); err != nil {
		t.Fatal(err)
	}
	w.Lookups("states", func() (hits, misses int64) { return 5, 4 })
	for _, want := range []struct{ kind, result, n string }{
		{"pages", "hit", "2"}, {"pages", "miss", "3"}, {"others", "hit", "1"}, {"others", "miss", "0"},
		{"documents", "hit", "0"}, {"documents", "miss", "5"},
		{"states", "hit", "5"}, {"states", "miss", "4"},
	} {
		w.expect(fmt.Sprintf(`filmstrip_cache_lookups_total{kind=%q,result=%q}`, want.kind, want.result), want.n)
	}
}

// TestWatchingTakesNoMemory checks that a call that is not recorded causes no allocation.
func TestWatchingTakesNoMemory(t *testing.T) {
	watch := newTelemetry(t, telemetry.Options{Traces: "http://127.0.0.1:9"})
	calls := allCalls(context.Background(),
		watch.Catalogue(failingCatalogue{}, "s"), watch.IndexReader(failingIndex{}, "i"), watch.IndexWriter(failingIndex{}, "i"), watch.Cache(failingCache{}, "c", "k"))
	calls = append(calls, collectionCalls(context.Background(), watch, nil)...)
	for _, call := range calls {
		if n := testing.AllocsPerRun(100, func() { _ = call.do() }); n > 0 {
			t.Errorf("%s %s: %v allocations", call.port, call.operation, n)
		}
	}
}

func BenchmarkEngineCall(b *testing.B) {
	watch := newTelemetry(b, telemetry.Options{})
	ctx := context.Background()
	watched := watch.Catalogue(failingCatalogue{}, "s")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = watched.Head(ctx)
	}
}
