package storetest

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// EmptyCollections creates new, empty collections and returns a function that opens them. Each opening represents a
// separate process, whose changes have the time that now returns.
type EmptyCollections func(t *testing.T, now func() time.Time) (open func() store.Collections)

// Collections runs the suite of store.Collections.
func Collections(t *testing.T, empty EmptyCollections) {
	tests := map[string]func(l *collectionsFixture){}
	for _, more := range []map[string]func(l *collectionsFixture){
		collectionReadTests, collectionChangeTests, collectionSaveTests, collectionForgetTests, collectionLogTests, collectionRaceTests,
	} {
		maps.Copy(tests, more)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			test(newCollectionsFixture(t, empty))
		})
	}
	t.Run("agree with a list", func(t *testing.T) {
		t.Parallel()
		checkCollections(t, empty)
	})
}

// set sets the clock to any time.
func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// collectionsFixture is one empty store of collections with its clock.
type collectionsFixture struct {
	testingT
	store.Collections
	t     *testing.T
	ctx   context.Context
	clock *clock
	open  func() store.Collections
}

func newCollectionsFixture(t *testing.T, empty EmptyCollections) *collectionsFixture {
	t.Helper()
	l := &collectionsFixture{testingT: t, t: t, ctx: t.Context(), clock: newClock()}
	l.open = empty(t, l.clock.Now)
	l.Collections = l.openAnother()
	return l
}

// openAnother opens the same collections once more, as another process does.
func (l *collectionsFixture) openAnother() store.Collections {
	other := l.open()
	l.t.Cleanup(func() { _ = other.Close() })
	return other
}

// openSeveral opens the collections for n processes.
func (l *collectionsFixture) openSeveral(n int) []store.Collections {
	all := []store.Collections{l.Collections}
	for len(all) < n {
		all = append(all, l.openAnother())
	}
	return all
}

func (l *collectionsFixture) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// wantError checks that err has the code want.
func (l *collectionsFixture) wantError(what string, err error, want fault.Code) {
	l.Helper()
	if fault.CodeOf(err) != want {
		l.Errorf("%s: got error %v, want code %s", what, err, want)
	}
}

// create stores collections and returns them in stored form.
func (l *collectionsFixture) create(given ...*collection.Collection) (stored []*collection.Collection) {
	l.Helper()
	for _, c := range given {
		one, err := l.Create(l.ctx, c)
		l.must(err)
		stored = append(stored, one)
	}
	return stored
}

func (l *collectionsFixture) change(id catalogue.ID, fn func(c *collection.Collection)) *collection.Collection {
	l.Helper()
	stored, err := l.Change(l.ctx, id, func(c *collection.Collection) error { fn(c); return nil })
	l.must(err)
	return stored
}

func (l *collectionsFixture) save(user string, ids ...catalogue.ID) {
	l.Helper()
	for _, id := range ids {
		l.must(l.Save(l.ctx, user, id, true))
	}
}

// get reads one collection, which must exist.
func (l *collectionsFixture) get(id catalogue.ID) *collection.Collection {
	l.Helper()
	list, err := l.Collections.Collections(l.ctx, []catalogue.ID{id})
	l.must(err)
	if len(list) != 1 {
		l.Fatalf("collection %s is missing", id)
	}
	return list[0]
}

func (l *collectionsFixture) userLists(user string) store.UserCollections {
	l.Helper()
	userLists, err := l.UserCollections(l.ctx, user)
	l.must(err)
	return userLists
}

func (l *collectionsFixture) head() store.Position {
	l.Helper()
	head, err := l.Head(l.ctx)
	l.must(err)
	return head
}

func (l *collectionsFixture) changes(after store.Position) []store.Change {
	l.Helper()
	changes, err := l.Changes(l.ctx, after, 1_000_000)
	l.must(err)
	return changes
}

// all reads every collection in batches.
func (l *collectionsFixture) all() (list []*collection.Collection) {
	l.Helper()
	for after := catalogue.ID(""); ; {
		part, err := l.Scan(l.ctx, after, 7)
		l.must(err)
		if len(part) == 0 {
			return list
		}
		list, after = append(list, part...), part[len(part)-1].ID
	}
}

// wantUnchanged runs fn and checks that it writes nothing.
func (l *collectionsFixture) wantUnchanged(what string, fn func()) {
	l.Helper()
	before, head := l.all(), l.head()
	l.clock.tick()
	fn()
	if diff := cmp.Diff(before, l.all()); diff != "" || l.head() != head {
		l.Errorf("%s changes the collections; the head was %d and is %d (-before +after):\n%s", what, head, l.head(), diff)
	}
}

// wantEqual checks that got and want are equal in every field.
func (l *collectionsFixture) wantEqual(what string, got, want any) {
	l.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
