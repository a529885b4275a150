package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

var collectionSaveTests = map[string]func(l *collectionsFixture){
	"saved or not":       testSave,
	"saving is rejected": testSaveRefused,
}

func testSave(l *collectionsFixture) {
	l.create(list(1, "ann"), list(2, "ann"), list(3, ""))
	l.wantUnchanged("saving", func() {
		for range 2 {
			l.save("bob", collectionIDs(1, 3)...)
			l.save("eve", collectionIDs(2)...)
			l.must(l.Save(l.ctx, "eve", collectionID(3), false))
		}
	})
	asked := append(collectionIDs(3, 2, 1, 9), "no id")
	for user, want := range map[string]map[catalogue.ID]bool{
		"bob": {collectionID(1): true, collectionID(3): true}, "eve": {collectionID(2): true}, "ann": {}, "": {},
	} {
		saved, err := l.Saved(l.ctx, user, asked)
		l.must(err)
		for _, id := range asked {
			if saved[id] != want[id] {
				l.Errorf("%q has saved %s: %t", user, id, saved[id])
			}
		}
		if userLists := l.userLists(user); len(userLists.Saved) != len(want) {
			l.Errorf("%q has %v", user, idsOf(userLists.Saved))
		}
	}
	if saved, err := l.Saved(l.ctx, "bob", collectionIDs(2)); err != nil || saved[collectionID(1)] {
		l.Errorf("a collection that was not requested: %v (%v)", saved, err)
	}
	l.wantUnchanged("saving no longer", func() {
		for range 2 {
			l.must(l.Save(l.ctx, "bob", collectionID(1), false))
		}
	})
	l.wantEqual("the remaining collections", idsOf(l.userLists("bob").Saved), collectionIDs(3))
	l.wantEqual("another's", idsOf(l.userLists("eve").Saved), collectionIDs(2))
}

func testSaveRefused(l *collectionsFixture) {
	l.create(list(1, "ann"))
	for _, saved := range []bool{true, false} {
		l.wantError("an unknown collection", l.Save(l.ctx, "bob", collectionID(2), saved), fault.NotFound)
	}
	l.wantError("one's own", l.Save(l.ctx, "ann", collectionID(1), true), fault.Invalid)
	l.wantError("nobody saves", l.Save(l.ctx, "", collectionID(1), true), fault.Invalid)
	if userLists := l.userLists("ann"); len(userLists.Saved) > 0 {
		l.Errorf("saved: %v", idsOf(userLists.Saved))
	}
}

var collectionForgetTests = map[string]func(l *collectionsFixture){
	"videos are forgotten":                      testForgetVideos,
	"a video of many is forgotten":              testForgetVideoOfMany,
	"a user is forgotten":                       testForgetUser,
	"a user with many collections is forgotten": testForgetUserOfMuch,
	"forgetting is cut short":                   testForgetCutShort,
}

// testForgetVideos checks that whole videos and their segments are removed, and that the remaining assets, their order
// and the times stay unchanged.
func testForgetVideos(l *collectionsFixture) {
	ids := videoIDs(1, 2, 3, 4)
	piece := collection.Asset{VideoID: ids[0], HighlightID: ids[3]}
	mixed := holding(1, "ann", 3, 1, 2, 4)
	mixed.Add(piece)
	stored := l.create(mixed, holding(2, "", 1), holding(3, "bob", 3, 4), list(4, "bob"))
	l.save("bob", collectionID(1))
	head := l.head()
	l.clock.tick()
	l.must(l.ForgetVideos(l.ctx, []catalogue.ID{ids[0], ids[1], videoIDs(99)[0], "no id"}))
	for i, left := range [][]catalogue.ID{{ids[2], ids[3]}, {}, {ids[2], ids[3]}, {}} {
		got := l.get(stored[i].ID)
		if i < 2 && (got.Version <= head || !got.UpdatedAt.Equal(stored[i].UpdatedAt)) {
			l.Errorf("%d: version %d, updated at %v", i, got.Version, got.UpdatedAt)
		}
		if !slices.Equal(got.VideoIDs(), left) || len(got.Assets) != len(left) {
			l.Errorf("%d: %v are left of %v", i, got.VideoIDs(), stored[i].VideoIDs())
		}
		if i >= 2 {
			l.wantEqual("a collection without these videos", got, stored[i])
		}
	}
	if log := l.changes(head); len(log) != 2 || log[0].Deleted || log[1].Deleted || log[0].ID == log[1].ID {
		l.Errorf("the log continues with %v", log)
	}
	l.wantEqual("the saved collections", idsOf(l.userLists("bob").Saved), collectionIDs(1))
	l.wantUnchanged("doing it again", func() {
		l.must(l.ForgetVideos(l.ctx, ids[:2]))
		l.must(l.ForgetVideos(l.ctx, nil))
	})
}

func testForgetVideoOfMany(l *collectionsFixture) {
	const many = 230
	for n := range many {
		l.create(holding(n, fmt.Sprint("user ", n%3), 1, 2+n%4))
	}
	head := l.head()
	l.must(l.ForgetVideos(l.ctx, videoIDs(1, 2)))
	for _, c := range l.all() {
		if slices.ContainsFunc(videoIDs(1, 2), func(id catalogue.ID) bool { return slices.Contains(c.VideoIDs(), id) }) {
			l.Errorf("%s holds %v", c.ID, c.VideoIDs())
		}
	}
	if log := l.changes(head); len(log) != many {
		l.Errorf("%d changes of %d", len(log), many)
	}
}

// commented returns list with comments of users on two videos.
func commented(n int, owner string, users ...string) *collection.Collection {
	c := holding(n, owner, 1, 2)
	for i, user := range users {
		asset := &c.Assets[i%2]
		asset.Comments = append(asset.Comments, remark(i, user))
	}
	return c
}

func testForgetUser(l *collectionsFixture) {
	l.create(watchLater(1, "ann"), commented(2, "ann", "bob"), list(3, "ann"), watchLater(4, "bob"))
	others := l.create(commented(5, "bob", "bob", "ann", "ann", "eve"), commented(6, "", "ann"), commented(7, "eve", "eve"))
	l.save("bob", collectionIDs(2, 6)...)
	l.save("ann", collectionIDs(5, 6)...)
	l.save("eve", collectionIDs(3, 5)...)
	head := l.head()
	l.clock.tick()
	if n, err := l.ForgetUser(l.ctx, "ann"); err != nil || n != 3 {
		l.Errorf("%d collections are deleted (%v)", n, err)
	}
	if userLists := l.userLists("ann"); len(userLists.Own)+len(userLists.Saved) > 0 {
		l.Errorf("ann still has %v", userLists)
	}
	l.wantEqual("another user's saved collections", idsOf(l.userLists("bob").Saved), collectionIDs(6))
	l.wantEqual("a third user's saved collections", idsOf(l.userLists("eve").Saved), collectionIDs(5))
	l.wantEqual("another user's own collections", len(l.userLists("bob").Own), 2)
	for _, want := range others {
		for a := range want.Assets {
			for c := range want.Assets[a].Comments {
				if comment := &want.Assets[a].Comments[c]; comment.UserID == "ann" {
					comment.Name, comment.Email = "", ""
					want.Version = 0
				}
			}
		}
		got := l.get(want.ID)
		if want.Version == 0 {
			if got.Version <= head {
				l.Errorf("the version of %s is %d", got.ID, got.Version)
			}
			want.Version = got.Version
		}
		l.wantEqual("another's, with comments", got, want)
	}
	if log := l.changes(head); len(log) != 5 {
		l.Errorf("the log continues with %v", log)
	}
	l.wantUnchanged("doing it again", func() {
		for _, user := range []string{"ann", "nobody", ""} {
			if n, err := l.ForgetUser(l.ctx, user); err != nil || n != 0 {
				l.Errorf("%q: %d (%v)", user, n, err)
			}
		}
	})
	l.create(watchLater(8, "ann")) // a user who returns is a new user
}

func testForgetUserOfMuch(l *collectionsFixture) {
	const many = 215
	for n := range many {
		l.create(list(n, "ann"), commented(1000+n, "bob", "ann", "eve"))
		l.save("ann", collectionID(1000+n))
	}
	if n, err := l.ForgetUser(l.ctx, "ann"); err != nil || n != many {
		l.Errorf("%d collections are deleted (%v)", n, err)
	}
	userLists := l.userLists("ann")
	if len(userLists.Own)+len(userLists.Saved) > 0 {
		l.Errorf("%d and %d are left", len(userLists.Own), len(userLists.Saved))
	}
	for _, c := range l.all() {
		for _, asset := range c.Assets {
			for _, comment := range asset.Comments {
				if (comment.UserID == "ann") != (comment.Name == "") || (comment.Email == "") != (comment.Name == "") {
					l.Errorf("%s contains the comment %+v", c.ID, comment)
				}
			}
		}
	}
}

// untilChecked is a context that ends after it has been checked a given number of times.
type untilChecked struct {
	context.Context
	left int
}

func (c *untilChecked) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

// testForgetCutShort checks that each collection is consistent wherever forgetting is interrupted, and that a second
// run completes it.
func testForgetCutShort(l *collectionsFixture) {
	const many = 110
	for n := range many {
		l.create(holding(n, "ann", 1, 2), commented(1000+n, "bob", "eve", "ann"))
	}
	for checks := 10; ; checks += 700 {
		err := l.ForgetVideos(&untilChecked{l.ctx, checks}, videoIDs(1))
		for _, c := range l.all() {
			if n := len(c.Assets); n != 1 && n != 2 || err == nil && n != 1 {
				l.Fatalf("%s holds %d videos (%v)", c.ID, n, err)
			}
		}
		if err == nil {
			break
		}
	}
	for checks := 10; ; checks += 700 {
		_, err := l.ForgetUser(&untilChecked{l.ctx, checks}, "ann")
		if left := len(l.all()); left < many || err == nil && left > many {
			l.Fatalf("%d are left (%v)", left, err)
		}
		if err == nil {
			break
		}
	}
	for _, c := range l.all() {
		if c.Assets[0].Comments[0].Name != "" {
			l.Fatalf("%s contains the comment %+v", c.ID, c.Assets[0].Comments[0])
		}
	}
}
