package storetest

import (
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

var collectionChangeTests = map[string]func(l *collectionsFixture){
	"an ID is unique":                    testCreateConflict,
	"faults":                             testCreateInvalid,
	"one default for each":               testDefault,
	"too many":                           testTooMany,
	"a change":                           testChange,
	"a change that changes nothing":      testChangeNothing,
	"a change that fails":                testChangeFails,
	"fields that changes preserve":       testFixedFields,
	"changes within one microsecond":     testUpdatedAtGrows,
	"a deletion":                         testDeleteCollection,
	"a deletion that is not allowed":     testDeleteRefused,
	"a deleted id can be used again":     testCreateAgain,
	"a collection as large as it may be": testLargestCollection,
}

func testCreateConflict(l *collectionsFixture) {
	l.create(list(1, "ann"))
	l.wantUnchanged("a second one", func() {
		for _, again := range []*collection.Collection{list(1, "ann"), list(1, "bob"), list(1, ""), watchLater(1, "ann")} {
			_, err := l.Create(l.ctx, again)
			l.wantError("Create", err, fault.Conflict)
		}
	})
}

// testCreateInvalid checks that the error contains every fault that Validate finds.
func testCreateInvalid(l *collectionsFixture) {
	l.wantUnchanged("invalid collections", func() {
		bad := list(1, "ann")
		bad.Account, bad.Title, bad.Anyone = "", strings.Repeat("x", collection.MaxTitle+1), "EVERYTHING"
		bad.Assets = []collection.Asset{{VideoID: "x"}}
		_, err := l.Create(l.ctx, bad)
		l.wantError("Create", err, fault.Invalid)
		var problem *fault.Error
		if faults := bad.Validate(); !errors.As(err, &problem) || len(problem.Reasons) != len(faults) || problem.Reasons[0] != faults[0].Reason() {
			l.Errorf("the reasons are %q, not %v", problem.Reasons, faults)
		}
		_, err = l.Create(l.ctx, watchLater(1, ""))
		l.wantError("a default one of nobody", err, fault.Invalid)
	})
}

func testDefault(l *collectionsFixture) {
	first := l.create(list(9, "ann"), watchLater(1, "ann"), watchLater(2, "bob"))[1]
	l.wantUnchanged("a second default one", func() {
		for _, other := range []*collection.Collection{watchLater(3, "ann"), watchLater(1, "ann")} {
			other.Description = "another"
			got, err := l.Create(l.ctx, other)
			l.must(err)
			l.wantEqual("the one in its place", got, first)
		}
	})
	changed := l.change(first.ID, func(c *collection.Collection) { c.Add(collection.Asset{VideoID: videoIDs(1)[0]}) })
	l.wantEqual("after it was changed", l.create(watchLater(3, "ann"))[0], changed)
	_, err := l.Create(l.ctx, watchLater(2, "eve"))
	l.wantError("one with the id of another", err, fault.Conflict)
	l.must(l.Delete(l.ctx, first.ID, allow))
	if next := l.create(watchLater(4, "ann"))[0]; next.ID != collectionID(4) {
		l.Errorf("after it was deleted: %v", next)
	}
}

// testTooMany gives one user the maximum number of owned collections and another the maximum number of saved ones. If
// several processes compete for the last free place, one succeeds.
func testTooMany(l *collectionsFixture) {
	for n := range collection.MaxOwned - 1 {
		l.create(list(n, "ann"))
		l.save("bob", collectionID(n))
	}
	l.create(list(-1, ""), list(-2, "bob"), list(-3, "eve"))
	processes := l.openSeveral(2)
	var made, refused atomic.Int64
	note := func(err error) {
		switch fault.CodeOf(err) {
		case "":
			made.Add(1)
		case fault.Invalid:
			refused.Add(1)
		default:
			l.Error(err)
		}
	}
	together(4, func(i int) {
		_, err := processes[i%2].Create(l.ctx, list(10_000+i, "ann"))
		note(err)
		note(processes[i%2].Save(l.ctx, "bob", collectionID([]int{-1, -3}[i/2]), true))
	})
	if made.Load() != 3 || refused.Load() != 5 { // the last collection is saved twice
		l.Errorf("%d got the last place, %d did not", made.Load(), refused.Load())
	}
	_, err := l.Create(l.ctx, watchLater(-4, "ann"))
	l.wantError("one more, by default", err, fault.Invalid)
	_, err = l.Create(l.ctx, list(1, "ann"))
	l.wantError("one of those", err, fault.Conflict)
	l.save("bob", collectionID(1)) // already saved
	if userLists := l.userLists("bob"); len(userLists.Saved) != collection.MaxSaved || len(l.userLists("ann").Own) != collection.MaxOwned {
		l.Errorf("%d are saved", len(userLists.Saved))
	}
	l.must(l.Delete(l.ctx, collectionID(1), allow))
	l.create(list(-4, "ann"))
	l.save("bob", collectionID(-4))
}

func testChange(l *collectionsFixture) {
	before := l.create(fullList(1, "ann"))[0]
	want := fullList(1, "ann")
	change := func(c *collection.Collection) {
		c.Title, c.Description, c.OwnerName = "Title", "", "Another name"
		c.Remove(collection.Key{Video: videoIDs(2)[0]})
		c.Add(collection.Asset{VideoID: videoIDs(3)[0]})
		c.Assets[0].Comments = append(c.Assets[0].Comments, remark(3, "eve"))
		c.SubjectIDs, c.AgeRange, c.Attachments = nil, catalogue.AgeRange{}, []catalogue.Attachment{}
		c.Discoverable, c.Promoted, c.PromotedFor = false, false, []account.Product{"LTI"}
		c.Anyone, c.SubCollections = collection.ViewOnly, nil
	}
	change(want)
	at := l.clock.tick()
	got := l.change(before.ID, change)
	want.Version, want.CreatedAt, want.UpdatedAt = before.Version+1, before.CreatedAt, at
	l.wantEqual("the result of Change", got, want)
	l.wantEqual("the stored collection", l.get(want.ID), want)
	if l.head() != want.Version {
		l.Errorf("the head is %d", l.head())
	}
}

func testChangeNothing(l *collectionsFixture) {
	stored := l.create(fullList(1, "ann"))[0]
	l.wantUnchanged("a change of nothing", func() {
		l.wantEqual("nothing at all", l.change(stored.ID, func(*collection.Collection) {}), stored)
		l.wantEqual("there and back", l.change(stored.ID, func(c *collection.Collection) {
			c.Add(collection.Asset{VideoID: videoIDs(5)[0]})
			c.Remove(collection.Key{Video: videoIDs(5)[0]})
			c.Title = strings.Clone(c.Title)
		}), stored)
	})
}

func testChangeFails(l *collectionsFixture) {
	stored := l.create(fullList(1, "ann"))[0]
	l.wantUnchanged("a change that fails", func() {
		_, err := l.Change(l.ctx, stored.ID, func(c *collection.Collection) error { c.Title = "x"; return errPlanned })
		if !errors.Is(err, errPlanned) {
			l.Errorf("got %v", err)
		}
		_, err = l.Change(l.ctx, stored.ID, rename(""))
		l.wantError("no title", err, fault.Invalid)
		var problem *fault.Error
		if !errors.As(err, &problem) || len(problem.Reasons) != 1 || problem.Reasons[0] != "title: is required" {
			l.Errorf("got %v", problem)
		}
		called := false
		_, err = l.Change(l.ctx, collectionID(2), func(*collection.Collection) error { called = true; return nil })
		l.wantError("an unknown collection", err, fault.NotFound)
		_, err = l.Change(l.ctx, "no id", func(*collection.Collection) error { called = true; return nil })
		l.wantError("no id", err, fault.NotFound)
		if called {
			l.Error("the change of an unknown collection ran")
		}
	})
	l.wantUnchanged("a change that panics", func() {
		defer func() {
			if recover() == nil {
				l.Error("Change did not panic")
			}
		}()
		_, _ = l.Change(l.ctx, stored.ID, func(c *collection.Collection) error { c.Title = "x"; panic("planned") })
	})
}

// testFixedFields checks that fields that a change must not modify keep their values, whether or not the change
// modifies other fields.
func testFixedFields(l *collectionsFixture) {
	tamper := func(c *collection.Collection) {
		c.ID, c.Account, c.Owner, c.Service, c.Default = collectionID(9), "other", "eve", !c.Service, !c.Default
		c.Version, c.CreatedAt, c.UpdatedAt = 99, time.Time{}, time.Time{}
	}
	for _, stored := range l.create(fullList(1, "ann"), watchLater(2, "ann"), list(3, "")) {
		l.wantUnchanged("tampering", func() { l.wantEqual("tampered with", l.change(stored.ID, tamper), stored) })
		at := l.clock.tick()
		got := l.change(stored.ID, func(c *collection.Collection) { tamper(c); c.OwnerName = "Other" })
		stored.OwnerName, stored.Version, stored.UpdatedAt = "Other", l.head(), at
		l.wantEqual("tampered with and changed", got, stored)
		l.wantEqual("stored", l.get(stored.ID), stored)
	}
	if userLists := l.userLists("eve"); len(userLists.Own) > 0 {
		l.Errorf("eve owns %v", idsOf(userLists.Own))
	}
}

// testUpdatedAtGrows checks that each change has a later time than the previous one even if the clock stops or moves
// back, and that the text form preserves a time.
func testUpdatedAtGrows(l *collectionsFixture) {
	last := l.create(list(1, "ann"))[0]
	for n := range 5 {
		if n == 3 {
			l.clock.set(l.clock.Now().Add(-time.Hour))
		}
		next := l.change(last.ID, func(c *collection.Collection) { c.Description += "x" })
		if !next.UpdatedAt.After(last.UpdatedAt) || next.Version <= last.Version || !next.CreatedAt.Equal(last.CreatedAt) {
			l.Errorf("after %v at %d comes %v at %d", last.UpdatedAt, last.Version, next.UpdatedAt, next.Version)
		}
		text := next.UpdatedAt.Format(catalogue.TimestampFormat)
		if read, err := time.Parse(catalogue.TimestampFormat, text); err != nil || !read.Equal(next.UpdatedAt) || !l.get(last.ID).UpdatedAt.Equal(read) {
			l.Errorf("%v is written %s", next.UpdatedAt, text)
		}
		last = next
	}
}

func testDeleteCollection(l *collectionsFixture) {
	kept := l.create(holding(1, "ann", 1), holding(2, "ann", 1), list(3, "bob"))[1]
	l.save("bob", collectionIDs(1, 2)...)
	head := l.head()
	var seen *collection.Collection
	want := l.get(collectionID(1))
	l.must(l.Delete(l.ctx, collectionID(1), func(c *collection.Collection) error { seen = c; return nil }))
	l.wantEqual("the argument of check", seen, want)
	l.wantEqual("the remaining collections", idsOf(l.userLists("ann").Own), []catalogue.ID{kept.ID})
	l.wantEqual("the saved collections", idsOf(l.userLists("bob").Saved), []catalogue.ID{kept.ID})
	if saved, err := l.Saved(l.ctx, "bob", collectionIDs(1, 2)); err != nil || saved[collectionID(1)] || !saved[kept.ID] {
		l.Errorf("saved: %v (%v)", saved, err)
	}
	if log := l.changes(head); len(log) != 1 || !log[0].Deleted || log[0].ID != collectionID(1) || log[0].Position != head+1 {
		l.Errorf("the log continues with %v", log)
	}
}

func testDeleteRefused(l *collectionsFixture) {
	l.create(list(1, "ann"))
	l.save("bob", collectionID(1))
	l.wantUnchanged("a deletion that is not allowed", func() {
		if err := l.Delete(l.ctx, collectionID(1), func(*collection.Collection) error { return errPlanned }); !errors.Is(err, errPlanned) {
			l.Errorf("got %v", err)
		}
		called := false
		check := func(*collection.Collection) error { called = true; return nil }
		l.wantError("an unknown collection", l.Delete(l.ctx, collectionID(2), check), fault.NotFound)
		l.wantError("no id", l.Delete(l.ctx, "", check), fault.NotFound)
		if called {
			l.Error("check ran for an unknown collection")
		}
	})
	l.wantEqual("the saved collections", idsOf(l.userLists("bob").Saved), collectionIDs(1))
}

// testCreateAgain checks that a collection with the ID of a deleted collection inherits nothing from it.
func testCreateAgain(l *collectionsFixture) {
	first := l.create(fullList(1, "ann"))[0]
	l.save("bob", first.ID)
	l.must(l.Delete(l.ctx, first.ID, allow))
	again := l.create(list(1, "ann"))[0]
	if again.Version <= first.Version+1 || len(l.userLists("bob").Saved) > 0 {
		l.Errorf("got version %d after %d, saved: %v", again.Version, first.Version, l.userLists("bob").Saved)
	}
	l.wantUnchanged("forgetting videos of the first one", func() {
		l.must(l.ForgetVideos(l.ctx, videoIDs(1, 2)))
		_, err := l.ForgetUser(l.ctx, "bob")
		l.must(err)
	})
}

// testLargestCollection checks that a collection with the maximum number of videos can be found by each of them.
func testLargestCollection(l *collectionsFixture) {
	large := list(1, "ann")
	for n := range collection.MaxAssets {
		large.Add(collection.Asset{VideoID: videoIDs(n)[0], Note: strings.Repeat("語", 100)})
	}
	l.create(large)
	l.must(l.ForgetVideos(l.ctx, videoIDs(0, collection.MaxAssets-1, 500)))
	if got := l.get(large.ID); len(got.Assets) != collection.MaxAssets-3 || got.Assets[0].VideoID != videoIDs(1)[0] {
		l.Errorf("%d videos are left", len(got.Assets))
	}
	l.change(large.ID, func(c *collection.Collection) { c.Assets = c.Assets[:1] })
	l.wantUnchanged("forgetting removed videos", func() { l.must(l.ForgetVideos(l.ctx, videoIDs(2, 3))) })
}
