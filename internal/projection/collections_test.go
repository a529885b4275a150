package projection_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// collections is a store of collections on disk. The follower's process uses store; other is the same store, as another
// process opens it.
type collections struct {
	testing.TB
	store, other store.Collections
	index        *embedded.CollectionIndex
	options      projection.Options
}

func openCollections(tb testing.TB) *collections {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "collections.db")
	handle := func() store.Collections {
		c, err := sqlite.OpenCollections(context.Background(), file)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			if err := c.Close(); err != nil {
				tb.Error(err)
			}
		})
		return c
	}
	return &collections{
		TB: tb, store: handle(), other: handle(), index: embedded.OpenCollections(nil),
		options: projection.Options{
			Poll: 5 * time.Millisecond, Batch: 7, BackOff: time.Millisecond, MaxBackOff: 4 * time.Millisecond,
		},
	}
}

// create adds a collection as another process does.
func (s *collections) create(n int) catalogue.ID {
	s.Helper()
	made, err := s.other.Create(context.Background(), &collection.Collection{
		ID: catalogue.ID(fmt.Sprintf("%024x", n)), Account: "account", Owner: "owner", Title: fmt.Sprint("Collection ", n),
		Assets:       []collection.Asset{{VideoID: id(catalogue.KindVideo, "shared")}},
		Discoverable: true, Anyone: collection.ViewOnly,
	})
	if err != nil {
		s.Fatal(err)
	}
	return made.ID
}

func (s *collections) rename(collectionID catalogue.ID, title string) {
	s.Helper()
	_, err := s.other.Change(context.Background(), collectionID, func(c *collection.Collection) error {
		c.Title = title
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *collections) delete(collectionID catalogue.ID) {
	s.Helper()
	if err := s.other.Delete(context.Background(), collectionID, func(*collection.Collection) error { return nil }); err != nil {
		s.Fatal(err)
	}
}

// run starts a follower of an index. The follower runs until stop is called or the test ends.
func (s *collections) run(index search.CollectionIndex, options projection.Options) (f *projection.Follower, stop func()) {
	f = projection.NewCollections(s.store, index, options)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	s.Cleanup(stop)
	return f, stop
}

// await waits until an index contains the stored collections in their current versions and has the position of the
// log's end.
func (s *collections) await(index search.CollectionIndex) {
	s.Helper()
	diff := "it is behind"
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		head, err := s.other.Head(context.Background())
		if err != nil {
			s.Fatal(err)
		}
		if position, err := index.Position(context.Background()); err != nil || position != head {
			continue
		}
		if diff = cmp.Diff(s.stored(), found(s, index, "collection")); diff == "" {
			return
		}
	}
	s.Fatalf("not in step after %s (-stored +indexed):\n%.2000s", patience, diff)
}

func (s *collections) stored() []catalogue.Ref {
	s.Helper()
	all, err := s.other.Scan(context.Background(), "", 10_000)
	if err != nil {
		s.Fatal(err)
	}
	refs := make([]catalogue.Ref, len(all))
	for i, c := range all {
		refs[i] = catalogue.Ref{ID: c.ID, Version: c.Version}
	}
	return refs
}

// found lists the collections that an index finds by a text, in the order of their IDs.
func found(tb testing.TB, index search.CollectionIndex, text string) []catalogue.Ref {
	tb.Helper()
	result, err := index.Find(context.Background(), search.CollectionQuery{
		Audience: search.CollectionAudience{Account: "account"}, Text: text, Size: 5_000,
	})
	if err != nil {
		tb.Fatal(err)
	}
	refs := slices.Clone(result.Refs)
	slices.SortFunc(refs, func(a, b catalogue.Ref) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return append([]catalogue.Ref{}, refs...)
}

func TestCollectionsAreFollowed(t *testing.T) {
	s := openCollections(t)
	ids := make([]catalogue.ID, 40)
	for n := range ids {
		ids[n] = s.create(n)
	}
	f, stop := s.run(s.index, s.options)
	s.await(s.index)
	for deadline := time.Now().Add(patience); !f.Ready() && time.Now().Before(deadline); { // The follower is ready a moment after the index.
		time.Sleep(time.Millisecond)
	}
	if !f.Ready() || f.Lag() != 0 || f.Err() != nil {
		t.Errorf("ready %t, %d behind, %v", f.Ready(), f.Lag(), f.Err())
	}
	s.create(40)
	s.rename(ids[3], "A renamed collection")
	s.delete(ids[4])
	s.await(s.index)
	if got := found(t, s.index, "renamed"); len(got) != 1 || got[0].ID != ids[3] {
		t.Errorf("%v found by the new title, want %s", got, ids[3])
	}
	if err := s.other.ForgetVideos(context.Background(), []catalogue.ID{id(catalogue.KindVideo, "shared")}); err != nil {
		t.Fatal(err)
	}
	s.await(s.index)
	stop()
	if _, err := s.other.ForgetUser(context.Background(), "owner"); err != nil {
		t.Fatal(err)
	}
	s.run(s.index, s.options) // The follower continues at its last position.
	s.await(s.index)
	if n, _ := s.index.Count(context.Background()); n != 0 {
		t.Errorf("%d left of a user who was forgotten", n)
	}
}

// TestCollectionsAreFoundSoon checks that a follower needs no poll when it is woken.
func TestCollectionsAreFoundSoon(t *testing.T) {
	s := openCollections(t)
	s.options.Poll = time.Hour
	f, _ := s.run(s.index, s.options)
	for deadline := time.Now().Add(patience); !f.Ready() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	s.create(1)
	f.Wake()
	s.await(s.index)
}

func TestCollectionsAreRebuiltWhereTheLogWasTrimmed(t *testing.T) {
	s := openCollections(t)
	kept := s.create(1)
	gone := s.create(2)
	_, stop := s.run(s.index, s.options)
	s.await(s.index)
	stop()
	s.delete(gone)
	for range 30 {
		s.rename(kept, "A collection")
		s.rename(kept, "The collection")
	}
	if err := s.other.Trim(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	s.run(s.index, s.options)
	s.await(s.index)
}

func TestCollectionsLogIsTrimmed(t *testing.T) {
	s := openCollections(t)
	s.options.KeepLog, s.options.TrimEvery = 2, 5*time.Millisecond
	made := s.create(1)
	for n := range 10 {
		s.rename(made, fmt.Sprint("Collection ", n))
	}
	s.run(s.index, s.options)
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := s.other.Changes(context.Background(), 1, 100); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the log is as long as before")
		}
	}
	s.await(s.index)
}

// TestCollectionsRebuildWhileOthersWrite checks that a finished rebuild contains the collections that were written
// meanwhile.
func TestCollectionsRebuildWhileOthersWrite(t *testing.T) {
	s := openCollections(t)
	for n := range 60 {
		s.create(n)
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := range 40 {
			s.rename(catalogue.ID(fmt.Sprintf("%024x", n)), fmt.Sprint("Another collection ", n))
			s.create(100 + n)
		}
	})
	f := projection.NewCollections(s.store, s.index, s.options)
	for range 5 {
		if err := f.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	writing.Wait()
	if err := f.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.stored(), found(s, s.index, "collection")); diff != "" {
		t.Errorf("(-stored +indexed):\n%s", diff)
	}
}

// writes counts the writes to an index.
type writes struct {
	search.CollectionIndex
	mu sync.Mutex
	n  int
}

func (w *writes) Apply(ctx context.Context, batch search.CollectionBatch) error {
	w.mu.Lock()
	w.n++
	w.mu.Unlock()
	return w.CollectionIndex.Apply(ctx, batch)
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// TestOneWritesCollections checks that only one of two processes writes a shared index, and that the other takes over
// when the first stops.
func TestOneWritesCollections(t *testing.T) {
	s := openCollections(t)
	shared := &leases{}
	s.options.Lease = &lease.Options{Store: shared, Name: "collections", For: 300 * time.Millisecond}
	first, second := &writes{CollectionIndex: s.index}, &writes{CollectionIndex: s.index}
	_, stopFirst := s.run(first, s.options)
	s.create(1)
	s.await(s.index)
	f, _ := s.run(second, s.options)
	before := first.count()
	s.create(2)
	s.await(s.index)
	if first.count() == before || second.count() > 0 {
		t.Errorf("the first wrote %d times more, the second %d times", first.count()-before, second.count())
	}
	stopFirst()
	s.create(3)
	s.await(s.index)
	if second.count() == 0 || !f.Ready() {
		t.Errorf("the second wrote %d times, ready %t", second.count(), f.Ready())
	}
}
