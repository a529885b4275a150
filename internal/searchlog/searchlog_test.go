package searchlog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var (
	today    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	one      = &account.Account{ID: "one", Environment: account.Live}
	two      = &account.Account{ID: "two", Environment: account.Live}
	three    = &account.Account{ID: "three", Environment: account.Live}
	trying   = &account.Account{ID: "trying", Environment: account.Sandbox}
	operator = &account.Account{ID: "operator", Operator: true, Environment: account.Live}
)

// fickle is a store that can be down.
type fickle struct {
	store.SearchLog
	mu    sync.Mutex
	fault error
	adds  int
}

func (f *fickle) Add(ctx context.Context, batch store.SearchLogBatch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.adds++; f.fault != nil {
		return f.fault
	}
	return f.SearchLog.Add(ctx, batch)
}

func (f *fickle) away(problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = problem
}

func newStore(t testing.TB) *fickle {
	t.Helper()
	queries, err := sqlite.OpenSearchLog(t.Context(), filepath.Join(t.TempDir(), "searchlog.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queries.Close() })
	return &fickle{SearchLog: queries}
}

func newRecorder(queries store.SearchLog, change func(*searchlog.Options)) *searchlog.Recorder {
	options := searchlog.Options{Queries: queries, Fold: analysis.New(analysis.Synonyms{}).Fold, Now: func() time.Time { return today }}
	if change != nil {
		change(&options)
	}
	return searchlog.New(options)
}

func rows(t testing.TB, queries store.SearchLog, sandbox bool) []store.SearchLogRow {
	t.Helper()
	day := catalogue.DateOf(today)
	list, err := queries.Report(t.Context(), store.SearchLogQuery{From: day, To: day, Limit: store.MaxQueryRows, Sandbox: sandbox})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func write(t testing.TB, g *searchlog.Recorder) {
	t.Helper()
	if err := g.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func number(n int64) *int64 { return &n }

func TestSearchesAreNoted(t *testing.T) {
	queries := newStore(t)
	now := today
	g := newRecorder(queries, func(o *searchlog.Options) { o.Now = func() time.Time { return now } })
	tick := func() { now = now.Add(time.Second) }
	g.Searched(one, "Wasser\tund  Eis", false, 0)
	tick()
	g.Searched(one, "wasser und eis!", false, 7)
	tick()
	g.Searched(two, "WASSER UND EIS", true, 0)
	g.Searched(trying, "wasser und eis", false, 3)
	g.Clicked(one, "Wasser und Eis", "v1")
	g.Clicked(one, "wasser und eis", "v1")
	// The log ignores all of these.
	g.Searched(operator, "of the operator", false, 1)
	g.Searched(nil, "of nobody", false, 1)
	g.Searched(one, "", false, 1)
	g.Searched(one, "?!", false, 1)
	g.Searched(one, strings.Repeat("x", searchlog.MaxText+1), false, 1)
	g.Clicked(operator, "of the operator", "v1")
	g.Clicked(one, "wasser und eis", "")
	if got := rows(t, queries, true); got != nil {
		t.Errorf("before it is written there is %+v", got)
	}
	write(t, g)
	want := []store.SearchLogRow{{
		Text: "wasser und eis", Spelling: "wasser und eis!", Searches: 3, Unfiltered: 2, Empty: 1, Accounts: 2, Found: number(7),
		Clicks: 2, Videos: []store.SearchLogVideo{{Video: "v1", Clicks: 2}},
	}}
	if diff := cmp.Diff(want, rows(t, queries, false)); diff != "" {
		t.Errorf("the noted searches (-want +got):\n%s", diff)
	}
	if got := rows(t, queries, true); len(got) != 1 || got[0].Searches != 4 {
		t.Errorf("with sandboxes there is %+v", got)
	}
	long := strings.Repeat("ü", searchlog.MaxText)
	g.Searched(one, long, false, 1)
	write(t, g)
	if got := rows(t, queries, false); len(got) != 2 {
		t.Errorf("a text as long as may be is not noted: %+v", got)
	}
	write(t, g)
	if got := rows(t, queries, false); len(got) != 2 || got[0].Searches != 3 {
		t.Errorf("an entry is written twice: %+v", got)
	}
}

// TestStoreAway checks that searches during an outage of the store are written once when the store recovers.
func TestStoreAway(t *testing.T) {
	queries := newStore(t)
	g := newRecorder(queries, func(o *searchlog.Options) { o.Entries = 3 })
	queries.away(fault.Errorf(fault.Unavailable, "away"))
	g.Searched(one, "water", false, 0)
	g.Searched(two, "water", false, 4)
	if err := g.Write(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Fatalf("a store that is away gives %v", err)
	}
	g.Searched(one, "water", false, 9)
	g.Searched(one, "ice", false, 1)
	if g.Dropped() != 0 {
		t.Errorf("%d are dropped below the bound", g.Dropped())
	}
	g.Searched(one, "steam", false, 1)
	g.Clicked(one, "water", "v1")
	g.Searched(one, "ice", false, 1) // The log still has capacity for known searches.
	if g.Dropped() != 2 {
		t.Errorf("%d are dropped, want 2", g.Dropped())
	}
	queries.away(nil)
	write(t, g)
	got := rows(t, queries, false)
	if len(got) != 2 || got[0].Text != "water" || got[0].Searches != 3 || got[0].Empty != 1 || got[1].Searches != 2 {
		t.Errorf("there is %+v", got)
	}
	g.Searched(one, "steam", false, 1)
	if g.Dropped() != 2 {
		t.Error("written entries still take room")
	}
}

// TestBoundWhileWriting checks that new searches during a write count against the bound together with the searches that
// are being written.
func TestBoundWhileWriting(t *testing.T) {
	queries := newStore(t)
	reached, goOn := make(chan struct{}), make(chan struct{})
	g := newRecorder(slow{queries, reached, goOn}, func(o *searchlog.Options) { o.Entries = 2 })
	g.Searched(one, "a", false, 1)
	g.Searched(one, "b", false, 1)
	failed := make(chan error, 1)
	go func() { failed <- g.Write(t.Context()) }()
	within(t, reached)
	g.Searched(one, "c", false, 1)
	if g.Dropped() != 1 {
		t.Errorf("%d are dropped, want 1", g.Dropped())
	}
	close(goOn)
	select {
	case err := <-failed:
		if err == nil {
			t.Error("the write succeeded")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the write does not end")
	}
}

// slow is a store that signals each call, waits and fails.
type slow struct {
	store.SearchLog
	reached, goOn chan struct{}
}

func (s slow) Add(context.Context, store.SearchLogBatch) error {
	close(s.reached)
	select {
	case <-s.goOn:
	case <-time.After(10 * time.Second):
	}
	return errors.New("away")
}

func within(t *testing.T, happened <-chan struct{}) {
	t.Helper()
	select {
	case <-happened:
	case <-time.After(10 * time.Second):
		t.Fatal("timeout")
	}
}

// TestRun checks that Run writes on its own, and once more when it ends.
func TestRun(t *testing.T) {
	for name, every := range map[string]time.Duration{"by itself": 10 * time.Millisecond, "at its end": time.Hour} {
		queries := newStore(t)
		g := newRecorder(queries, func(o *searchlog.Options) { o.Every = every })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan struct{})
		go func() { defer close(ended); g.Run(ctx) }()
		g.Searched(one, "water", false, 1)
		for give := time.Now().Add(10 * time.Second); every < time.Hour && len(rows(t, queries, false)) == 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(give) {
				t.Fatal("nothing is written")
			}
		}
		cancel()
		within(t, ended)
		if got := rows(t, queries, false); len(got) != 1 || got[0].Searches != 1 {
			t.Errorf("%s there is %+v", name, got)
		}
	}
}

func TestSharedByThreeAccounts(t *testing.T) {
	queries := newStore(t)
	g := newRecorder(queries, nil)
	shares := func(what string, want ...store.SharedSearch) {
		t.Helper()
		write(t, g)
		if err := g.ReadShared(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, append([]store.SharedSearch(nil), g.Shared()...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	for range 1000 {
		g.Searched(one, "Mia Muster", false, 2)
		g.Searched(two, "Mia Muster", false, 2)
		g.Searched(trying, "Mia Muster", false, 2)
		g.Searched(operator, "Mia Muster", false, 2)
	}
	g.Searched(three, "Mia Muster", true, 2)
	shares("two accounts, a thousand times")
	g.Searched(three, "mia muster", false, 2)
	shares("three accounts", store.SharedSearch{Text: "mia muster", Spelling: "mia muster", Accounts: 3, Searches: 2001})
}

// TestSharedOfThirtyDays checks that searches from thirty days ago are no longer shared.
func TestSharedOfThirtyDays(t *testing.T) {
	queries := newStore(t)
	now := today
	g := newRecorder(queries, func(o *searchlog.Options) { o.Now = func() time.Time { return now } })
	for _, by := range []*account.Account{one, two, three} {
		g.Searched(by, "water", false, 2)
	}
	write(t, g)
	for after, want := range map[int]int{0: 1, 29: 1, 30: 0} {
		now = today.AddDate(0, 0, after)
		if err := g.ReadShared(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(g.Shared()); got != want {
			t.Errorf("after %d days %d are shared", after, got)
		}
	}
}

// TestLookFails checks that known searches stay available while the store is down.
func TestLookFails(t *testing.T) {
	queries := newStore(t)
	g := newRecorder(queries, nil)
	for _, by := range []*account.Account{one, two, three} {
		g.Searched(by, "water", false, 2)
	}
	write(t, g)
	if err := g.ReadShared(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := queries.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.ReadShared(t.Context()); err == nil {
		t.Error("a store that is closed answers")
	}
	if len(g.Shared()) != 1 {
		t.Errorf("%d are known", len(g.Shared()))
	}
}

func TestManyAtOnce(t *testing.T) {
	queries := newStore(t)
	g := newRecorder(queries, nil)
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() {
			for i := range 500 {
				g.Searched(one, fmt.Sprint("text ", i%5), false, i)
				if i%100 == 0 {
					if err := g.Write(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	together.Wait()
	write(t, g)
	for _, row := range rows(t, queries, false) {
		if row.Searches != 400 {
			t.Errorf("%s was searched for %d times, want 400", row.Text, row.Searches)
		}
	}
	if n := len(rows(t, queries, false)); n != 5 {
		t.Errorf("there are %d texts", n)
	}
}

// TestSearchedAllocatesNothing checks that recording a known search allocates no memory.
func TestSearchedAllocatesNothing(t *testing.T) {
	g := newRecorder(newStore(t), nil)
	g.Searched(one, "water", false, 1)
	if allocated := testing.AllocsPerRun(100, func() { g.Searched(one, "water", false, 1) }); allocated > 0 {
		t.Errorf("a search allocates %v times", allocated)
	}
}
