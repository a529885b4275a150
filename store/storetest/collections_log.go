package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

var collectionLogTests = map[string]func(l *collectionsFixture){
	"an entry for each change": testCollectionEntries,
	"the log is trimmed":       testCollectionsTrim,
}

func testCollectionEntries(l *collectionsFixture) {
	l.create(list(1, "ann"), list(2, "bob"))
	l.change(collectionID(1), func(c *collection.Collection) { c.Title = "Another" })
	l.must(l.Delete(l.ctx, collectionID(2), allow))
	entry := func(position store.Position, n int, deleted bool) store.Change {
		return store.Change{Position: position, Kind: store.KindCollection, ID: collectionID(n), Deleted: deleted}
	}
	want := []store.Change{entry(1, 1, false), entry(2, 2, false), entry(3, 1, false), entry(4, 2, true)}
	l.wantEqual("the log", l.changes(0), want)
	if l.head() != 4 || l.get(collectionID(1)).Version != 3 {
		l.Errorf("the head is %d, the version %d", l.head(), l.get(collectionID(1)).Version)
	}
	for after := range want {
		part, err := l.Changes(l.ctx, store.Position(after), 2)
		l.must(err)
		l.wantEqual(fmt.Sprint("two behind ", after), part, want[after:min(4, after+2)])
	}
	if part := l.changes(4); len(part) > 0 {
		l.Errorf("behind the head there are %v", part)
	}
	if _, err := l.Changes(l.ctx, 5, 10); !errors.Is(err, store.ErrTrimmed) {
		l.Errorf("beyond the head: %v", err)
	}
}

// testCollectionsTrim checks that the log is complete after trimming. An engine may keep more entries than it is asked
// to.
func testCollectionsTrim(l *collectionsFixture) {
	for n := range 20 {
		l.create(list(n, "ann"))
	}
	whole := l.changes(0)
	for _, keep := range []int{100, 20, 7, 1, 0, -1} {
		l.must(l.Trim(l.ctx, keep))
		if l.head() != 20 {
			l.Fatalf("keep %d: the head moved to %d", keep, l.head())
		}
		for i := range whole {
			got, err := l.Changes(l.ctx, whole[i].Position, 100)
			switch rest := whole[i+1:]; {
			case err == nil && slices.Equal(got, rest):
			case errors.Is(err, store.ErrTrimmed) && len(rest) > keep && len(got) == 0:
			default:
				l.Errorf("keep %d: %d entries (%v) instead of %d", keep, len(got), err, len(rest))
			}
		}
	}
	if _, err := l.Changes(l.ctx, 0, 100); !errors.Is(err, store.ErrTrimmed) {
		l.Errorf("nothing was trimmed: %v", err)
	}
	l.must(l.Close())
	l.Collections = l.openAnother()
	if next := l.create(list(20, "ann"))[0]; next.Version != 21 || len(l.changes(20)) != 1 {
		l.Errorf("the next one is at %d, behind it are %v", next.Version, l.changes(20))
	}
}
