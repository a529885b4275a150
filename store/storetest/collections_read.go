package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

var collectionReadTests = map[string]func(l *collectionsFixture){
	"nothing yet":             testNoCollections,
	"every field":             testEveryField,
	"in the requested order":  testCollectionsInOrder,
	"with their parts":        testCollectionsWithParts,
	"values belong to caller": testCollectionsApart,
	"the lists of a user":     testUserCollections,
	"all of them":             testScanCollections,
	"they outlive a process":  testCollectionsReopen,
	"ended contexts":          testCollectionsEnded,
}

func testNoCollections(l *collectionsFixture) {
	list, err := l.Collections.Collections(l.ctx, collectionIDs(1, 2))
	saved, errSaved := l.Saved(l.ctx, "ann", collectionIDs(1))
	userLists := l.userLists("ann")
	n, errForget := l.ForgetUser(l.ctx, "ann")
	if err := errors.Join(err, errSaved, errForget, l.ForgetVideos(l.ctx, videoIDs(1)), l.Trim(l.ctx, 0)); err != nil {
		l.Error(err)
	}
	if len(list)+len(saved)+len(userLists.Own)+len(userLists.Saved)+n+len(l.all())+len(l.changes(0)) > 0 || l.head() != 0 {
		l.Errorf("%v, %v, %v, the head is %d", list, saved, userLists, l.head())
	}
}

func testEveryField(l *collectionsFixture) {
	given := fullList(1, "ann")
	at := l.clock.tick()
	stored := l.create(given)[0]
	l.wantEqual("the argument of Create", given, fullList(1, "ann"))
	want := fullList(1, "ann")
	want.Version, want.CreatedAt, want.UpdatedAt = l.head(), at, at
	l.wantEqual("the result of Create", stored, want)
	l.wantEqual("Collections", l.get(want.ID), want)
	l.wantEqual("Scan", l.all(), []*collection.Collection{want})
	l.wantEqual("UserCollections", l.userLists("ann"), store.UserCollections{Own: []*collection.Collection{want}, Saved: []*collection.Collection{}})
	l.wantEqual("the result of Change", l.change(want.ID, func(c *collection.Collection) { l.wantEqual("within Change", c, want) }), want)
	if stored.Version < 1 || stored.CreatedAt.Location() != time.UTC {
		l.Errorf("got version %d, made %v", stored.Version, stored.CreatedAt)
	}
}

func testCollectionsInOrder(l *collectionsFixture) {
	l.create(list(1, "ann"), list(2, "bob"), list(3, ""))
	asked := []catalogue.ID{collectionID(3), collectionID(9), "", "no id '", collectionID(1), collectionID(2), collectionID(3)}
	got, err := l.Collections.Collections(l.ctx, asked)
	l.must(err)
	l.wantEqual("the order", idsOf(got), collectionIDs(3, 1, 2, 3))
	if none, err := l.Collections.Collections(l.ctx, nil); err != nil || len(none) > 0 {
		l.Errorf("nothing asked for: %v (%v)", none, err)
	}
}

// testCollectionsWithParts checks that the sub-collections of a list of collections are returned with it, each once,
// without their own sub-collections.
func testCollectionsWithParts(l *collectionsFixture) {
	holder := func(n int, parts ...int) *collection.Collection {
		c := list(n, "ann")
		c.SubCollections = collectionIDs(parts...)
		return c
	}
	quoting := list(5, "ann")
	quoting.Title = `"subCollections":["` + string(collectionID(8)) + `"]`
	l.create(holder(1, 2, 3, 404), holder(2, 6), list(3, "bob"), holder(4, 3), quoting, list(6, "ann"), holder(7, 7, 1), list(8, "ann"))
	ask := func(most int, asked ...int) (whole []catalogue.ID, parts []catalogue.ID) {
		l.Helper()
		found, with, err := l.WithParts(l.ctx, collectionIDs(asked...), most)
		l.must(err)
		for _, one := range with {
			l.wantEqual("a part", one, l.get(one.ID))
		}
		for _, one := range found {
			l.wantEqual("one of the list", one, l.get(one.ID))
		}
		parts = idsOf(with)
		slices.Sort(parts)
		return idsOf(found), parts
	}
	sorted := func(numbers ...int) []catalogue.ID {
		ids := collectionIDs(numbers...)
		slices.Sort(ids)
		return ids
	}
	for _, step := range []struct{ asked, list, parts []int }{
		{[]int{4, 1, 9, 5, 1}, []int{4, 1, 5, 1}, []int{2, 3}},
		{[]int{2, 1}, []int{2, 1}, []int{2, 3, 6}},
		{[]int{7}, []int{7}, []int{1, 7}},
		{[]int{5, 3}, []int{5, 3}, nil},
		{nil, nil, nil},
	} {
		whole, parts := ask(100, step.asked...)
		if !slices.Equal(whole, collectionIDs(step.list...)) || !slices.Equal(parts, sorted(step.parts...)) {
			l.Errorf("of %v: %v with %v, want %v with %v", step.asked, whole, parts, collectionIDs(step.list...), sorted(step.parts...))
		}
	}
	for _, most := range []int{2, 0, -1} {
		if whole, parts := ask(most, 2, 1); len(whole) != 2 || len(parts) != max(0, most) {
			l.Errorf("at most %d: %v with %v", most, whole, parts)
		}
	}
	l.change(collectionID(1), func(c *collection.Collection) { c.SubCollections = nil })
	l.must(l.Delete(l.ctx, collectionID(6), allow))
	if whole, parts := ask(100, 1, 2); len(whole) != 2 || len(parts) > 0 {
		l.Errorf("after changes: %v with %v", whole, parts)
	}
}

// testCollectionsApart checks that a caller's changes to a returned value are invisible to other callers.
func testCollectionsApart(l *collectionsFixture) {
	given := fullList(1, "ann")
	stored := l.create(given)[0]
	want := l.get(given.ID)
	spoil := func(c *collection.Collection) {
		c.Title, c.Assets[0].Note, c.Assets[0].Comments[0].Text, *c.AgeRange.Min = "spoilt", "spoilt", "spoilt", 3
	}
	spoil(given)
	spoil(stored)
	spoil(l.get(given.ID))
	spoil(l.userLists("ann").Own[0])
	_, err := l.Change(l.ctx, given.ID, func(c *collection.Collection) error { spoil(c); return errPlanned })
	if !errors.Is(err, errPlanned) {
		l.Error(err)
	}
	spoil(l.change(given.ID, func(*collection.Collection) {}))
	l.wantEqual("the stored collection", l.get(given.ID), want)
}

// testUserCollections checks that a user's collections, owned and saved, are ordered from newest to oldest, then by ID.
func testUserCollections(l *collectionsFixture) {
	l.create(watchLater(1, "ann"), list(2, "ann"), list(3, "ann")) // with the same time
	l.clock.tick()
	l.create(list(4, "ann"), list(5, "bob"), list(6, "bob"), list(7, ""))
	l.clock.tick()
	l.change(collectionID(2), func(c *collection.Collection) { c.Title = "Newest" })
	l.save("ann", collectionIDs(7, 6, 5)...)
	l.save("eve", collectionIDs(1)...)
	sorted := func(numbers ...int) []catalogue.ID {
		ids := collectionIDs(numbers...)
		slices.Sort(ids)
		return ids
	}
	userLists := l.userLists("ann")
	l.wantEqual("own", idsOf(userLists.Own), append(collectionIDs(2, 4), sorted(1, 3)...))
	l.wantEqual("saved", idsOf(userLists.Saved), sorted(5, 6, 7))
	l.clock.tick()
	l.change(collectionID(7), func(c *collection.Collection) { c.Title = "Newest" })
	l.wantEqual("saved, one of them changed", idsOf(l.userLists("ann").Saved), append(collectionIDs(7), sorted(5, 6)...))
	l.wantEqual("another's own", idsOf(l.userLists("bob").Own), sorted(5, 6))
	l.wantEqual("another's saved", idsOf(l.userLists("eve").Saved), collectionIDs(1))
	if nobody := l.userLists(""); len(nobody.Own)+len(nobody.Saved) > 0 {
		l.Errorf("nobody has %v", nobody)
	}
}

func testScanCollections(l *collectionsFixture) {
	var want []catalogue.ID
	for n := range 20 {
		l.create(list(n, "ann"))
		want = append(want, collectionID(n))
	}
	slices.Sort(want)
	l.wantEqual("all", idsOf(l.all()), want)
	part, err := l.Scan(l.ctx, want[4], 3)
	l.must(err)
	l.wantEqual("three behind the fifth", idsOf(part), want[5:8])
	for after, limit := range map[catalogue.ID]int{"": 0, want[0]: -1, want[19]: 5} {
		if part, err := l.Scan(l.ctx, after, limit); err != nil || len(part) > 0 {
			l.Errorf("%d behind %q: %v (%v)", limit, after, idsOf(part), err)
		}
	}
}

func testCollectionsReopen(l *collectionsFixture) {
	l.create(fullList(1, "ann"), list(2, "bob"))
	l.save("bob", collectionID(1))
	before, userLists, log := l.all(), l.userLists("bob"), l.changes(0)
	l.must(l.Close())
	if _, err := l.Head(l.ctx); err == nil {
		l.Error("a closed store can be read")
	}
	l.Collections = l.openAnother()
	l.wantEqual("all", l.all(), before)
	l.wantEqual("the lists of a user", l.userLists("bob"), userLists)
	l.wantEqual("the log", l.changes(0), log)
	if next := l.create(list(3, ""))[0]; next.Version != log[1].Position+1 {
		l.Errorf("the next change is at %d", next.Version)
	}
}

func testCollectionsEnded(l *collectionsFixture) {
	ended, cancel := context.WithCancel(l.ctx)
	cancel()
	l.create(holding(1, "ann", 1))
	ids := collectionIDs(1)
	l.wantUnchanged("an ended context", func() {
		for name, call := range map[string]func() error{
			"Collections":     func() error { _, err := l.Collections.Collections(ended, ids); return err },
			"WithParts":       func() error { _, _, err := l.WithParts(ended, ids, 1); return err },
			"UserCollections": func() error { _, err := l.UserCollections(ended, "ann"); return err },
			"Saved":           func() error { _, err := l.Saved(ended, "ann", ids); return err },
			"Create":          func() error { _, err := l.Create(ended, list(2, "ann")); return err },
			"Change":          func() error { _, err := l.Change(ended, ids[0], rename("x")); return err },
			"Delete":          func() error { return l.Delete(ended, ids[0], allow) },
			"Save":            func() error { return l.Save(ended, "bob", ids[0], true) },
			"ForgetVideos":    func() error { return l.ForgetVideos(ended, videoIDs(1)) },
			"ForgetUser":      func() error { _, err := l.ForgetUser(ended, "ann"); return err },
			"Head":            func() error { _, err := l.Head(ended); return err },
			"Changes":         func() error { _, err := l.Changes(ended, 0, 1); return err },
			"Trim":            func() error { return l.Trim(ended, 0) },
			"Scan":            func() error { _, err := l.Scan(ended, "", 1); return err },
		} {
			if err := call(); !errors.Is(err, context.Canceled) {
				l.Errorf("%s: got %v", name, err)
			}
		}
	})
}

func rename(title string) func(*collection.Collection) error {
	return func(c *collection.Collection) error { c.Title = title; return nil }
}

func allow(*collection.Collection) error { return nil }
