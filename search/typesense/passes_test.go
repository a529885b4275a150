package typesense_test

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// arranging is an index that gives a pass to every access before it is asked by it.
type arranging struct {
	*typesense.Index
	t *testing.T

	// steps is how often Arrange is called for each question; below 0: until there is no more to do.
	steps   int
	elapsed *atomic.Int64 // on the clock of the index

	writes   sync.RWMutex // what waits for searches cannot be waited for by them
	mu       sync.Mutex
	accesses []catalogue.Access // the last first
	arranged int                // how many questions went by a pass
}

// arrangingOpener is opener for arranging indexes. It checks in the end that passes were used.
func arrangingOpener(t *testing.T, steps int) func(t *testing.T) search.Index {
	server := testservers.SharedTypesense(t)
	var opened atomic.Int64
	var all []*arranging
	t.Cleanup(func() {
		used := 0
		for _, a := range all {
			used += a.arranged
		}
		if !t.Skipped() && used == 0 {
			t.Error("no search went by a pass")
		}
	})
	return func(t *testing.T) search.Index {
		t.Helper()
		a := &arranging{t: t, steps: steps, elapsed: new(atomic.Int64)}
		a.Index = openAt(t, server, server.Prefix+"-"+strconv.FormatInt(opened.Add(1), 10), func() time.Time {
			return time.Now().Add(time.Duration(a.elapsed.Load()))
		})
		all = append(all, a)
		return a
	}
}

// know gives an access its pass, as far as that goes.
func (a *arranging) know(access catalogue.Access) {
	if !a.writes.TryLock() {
		return
	}
	defer a.writes.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	name := access.Fingerprint()
	a.accesses = slices.DeleteFunc(a.accesses, func(known catalogue.Access) bool { return known.Fingerprint() == name })
	a.accesses = slices.Insert(a.accesses, 0, access)
	a.accesses = a.accesses[:min(len(a.accesses), 40)]
	a.elapsed.Add(int64(5 * time.Second))
	a.PrepareAll(a.accesses...)
	for step := 0; step != a.steps; step++ {
		more, err := a.Arrange(context.Background())
		if err != nil {
			a.t.Errorf("arrange: %v", err)
		}
		if err != nil || !more {
			break
		}
	}
	byPass := a.GoesByPass(access)
	if byPass {
		a.arranged++
	}
	if a.steps < 0 && !byPass && a.Generation() != "" {
		a.t.Errorf("no pass for %s: %s", name, a.Passes())
	}
}

func (a *arranging) Apply(ctx context.Context, batch search.Batch) error {
	a.writes.RLock()
	defer a.writes.RUnlock()
	return a.Index.Apply(ctx, batch)
}

func (a *arranging) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	a.writes.RLock()
	defer a.writes.RUnlock()
	return a.Index.Rebuild(ctx, position, documents)
}

func (a *arranging) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	a.know(query.Access)
	return a.Index.Search(ctx, query)
}

func (a *arranging) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	a.know(access)
	return a.Index.Finds(ctx, texts, access, today)
}

func (a *arranging) Matches(
	ctx context.Context, text search.Text, steps []search.Step, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	a.know(access)
	return a.Index.Matches(ctx, text, steps, access, today, enough)
}

func (a *arranging) Phrases(ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int) ([]search.Phrase, error) {
	a.know(access)
	return a.Index.Phrases(ctx, text, access, today, limit)
}

// With passes for every access, complete or coming and going, answers are what they are without.
func TestConformsWithPasses(t *testing.T) {
	t.Parallel() // with its like: they wait for the server
	searchtest.Run(t, arrangingOpener(t, -1), oneMoment)
}

func TestAgreesWithTheModelWithPasses(t *testing.T) {
	t.Parallel() // with its like: they wait for the server
	searchtest.Properties(t, arrangingOpener(t, -1), longForgiving)
}

func TestAgreesWithTheModelWithHalfOfThePasses(t *testing.T) {
	t.Parallel() // with its like: they wait for the server
	searchtest.Properties(t, arrangingOpener(t, 1), longForgiving)
}
