package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var collectionRaceTests = map[string]func(l *collectionsFixture){
	"a default is made once":                testDefaultRace,
	"an ID is unique, in a race":            testCreateRace,
	"no change is lost":                     testChangeRace,
	"followers skip no entry":               testCollectionFollower,
	"the lists of a user are of one moment": testUserCollectionsMoment,
	"a deletion among saves":                testDeleteRace,
	"saving at once":                        testSaveRace,
	"a user is forgotten among others":      testForgetRace,
}

// testDefaultRace checks that many concurrent callers in two processes receive the same default collection.
func testDefaultRace(l *collectionsFixture) {
	processes := l.openSeveral(2)
	for round := range 3 {
		user := fmt.Sprint("user ", round)
		got := make([]*collection.Collection, 20)
		together(len(got), func(i int) {
			var err error
			if got[i], err = processes[i%2].Create(l.ctx, watchLater(100*round+i, user)); err != nil {
				l.Error(err)
			}
		})
		for _, c := range got {
			l.wantEqual("the result of Create", c, got[0])
		}
		l.wantEqual("the stored collections", l.userLists(user).Own, got[:1])
	}
}

func testCreateRace(l *collectionsFixture) {
	processes := l.openSeveral(2)
	var made, refused atomic.Int64
	together(12, func(i int) {
		switch _, err := processes[i%2].Create(l.ctx, list(1, fmt.Sprint("user ", i))); fault.CodeOf(err) {
		case "":
			made.Add(1)
		case fault.Conflict:
			refused.Add(1)
		default:
			l.Error(err)
		}
	})
	if made.Load() != 1 || refused.Load() != 11 || l.head() != 1 {
		l.Errorf("%d were made, %d refused, the head is %d", made.Load(), refused.Load(), l.head())
	}
}

// testChangeRace checks that changes of one collection are serialized: each starts from the result of the previous one.
func testChangeRace(l *collectionsFixture) {
	const writers, changes = 8, 10
	processes := l.openSeveral(2)
	l.create(list(1, "ann"))
	var (
		mu    sync.Mutex
		times = map[int64]bool{}
	)
	together(writers, func(w int) {
		for i := range changes {
			stored, err := processes[w%2].Change(l.ctx, collectionID(1), func(c *collection.Collection) error {
				c.Add(collection.Asset{VideoID: videoIDs(w*changes + i)[0]})
				return nil
			})
			if err != nil {
				l.Error(err)
				return
			}
			mu.Lock()
			times[stored.UpdatedAt.UnixMicro()] = true
			mu.Unlock()
		}
	})
	if got := l.get(collectionID(1)); len(got.Assets) != writers*changes || len(times) != writers*changes || got.Version != 1+writers*changes {
		l.Errorf("%d videos, %d times, version %d", len(got.Assets), len(times), got.Version)
	}
}

// testCollectionFollower checks that a follower of the log sees every entry, in the order of positions, while others
// write.
func testCollectionFollower(l *collectionsFixture) {
	const writers, writes = 4, 25
	processes := l.openSeveral(3)
	var ended atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		together(writers, func(w int) {
			for i := range writes {
				if _, err := processes[w%2].Create(l.ctx, list(w*writes+i, fmt.Sprint(w))); err != nil {
					l.Error(err)
				}
			}
		})
		ended.Store(true)
	})
	after := store.Position(0)
	for last := false; ; {
		part, err := processes[2].Changes(l.ctx, after, 3)
		l.must(err)
		for _, change := range part {
			if change.Position != after+1 {
				l.Fatalf("%d follows %d", change.Position, after)
			}
			after = change.Position
			if found, err := processes[2].Collections(l.ctx, []catalogue.ID{change.ID}); err != nil || len(found) != 1 {
				l.Fatalf("the collection of entry %d is missing (%v)", change.Position, err)
			}
		}
		if len(part) == 0 {
			if last {
				break
			}
			last = ended.Load()
		}
	}
	all.Wait()
	if after != writers*writes || l.head() != after {
		l.Errorf("met entries up to %d of %d", after, l.head())
	}
}

// testUserCollectionsMoment changes two collections in turn. One is among a user's own collections and the other among the saved
// ones. The user's collections must never differ by more than one change.
func testUserCollectionsMoment(l *collectionsFixture) {
	l.create(list(1, "ann"), list(2, "bob"))
	l.save("ann", collectionID(2))
	other := l.openAnother()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 60 {
			for _, id := range collectionIDs(2, 1) {
				_, err := other.Change(l.ctx, id, func(c *collection.Collection) error { c.Description += "x"; return nil })
				if err != nil {
					l.Error(err)
				}
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		userLists := l.userLists("ann")
		own, saved := len(userLists.Own[0].Description), len(userLists.Saved[0].Description)
		if saved != own && saved != own+1 {
			l.Fatalf("%d changes of one were seen with %d of the other", own, saved)
		}
	}
}

// testDeleteRace checks that no user has saved a collection that does not exist.
func testDeleteRace(l *collectionsFixture) {
	processes := l.openSeveral(2)
	for round := range 10 {
		l.create(list(round, "ann"))
		together(6, func(i int) {
			if i == 0 {
				if err := processes[0].Delete(l.ctx, collectionID(round), allow); err != nil {
					l.Error(err)
				}
				return
			}
			err := processes[i%2].Save(l.ctx, fmt.Sprint("user ", i), collectionID(round), true)
			if code := fault.CodeOf(err); code != "" && code != fault.NotFound {
				l.Error(err)
			}
		})
		l.create(list(round, "ann")) // no user has saved it
	}
	for i := range 6 {
		if userLists := l.userLists(fmt.Sprint("user ", i)); len(userLists.Saved) > 0 {
			l.Errorf("user %d has saved %v", i, idsOf(userLists.Saved))
		}
	}
}

// testSaveRace checks that concurrent saves have the effect of one save, and that no collection created meanwhile is
// lost.
func testSaveRace(l *collectionsFixture) {
	processes := l.openSeveral(2)
	l.create(list(1, "ann"))
	together(12, func(i int) {
		if err := processes[i%2].Save(l.ctx, "bob", collectionID(1), true); err != nil {
			l.Error(err)
		}
		if _, err := processes[i%2].Create(l.ctx, list(10+i, "bob")); err != nil {
			l.Error(err)
		}
	})
	if userLists := l.userLists("bob"); len(userLists.Saved) != 1 || len(userLists.Own) != 12 {
		l.Errorf("%d saved and %d own", len(userLists.Saved), len(userLists.Own))
	}
}

// testForgetRace checks that concurrent changes are not lost while forgetting runs.
func testForgetRace(l *collectionsFixture) {
	const many = 40
	processes := l.openSeveral(3)
	for n := range many {
		l.create(commented(n, "bob", "ann"))
	}
	together(3, func(i int) {
		switch i {
		case 0:
			if _, err := processes[0].ForgetUser(l.ctx, "ann"); err != nil {
				l.Error(err)
			}
		case 1:
			if err := processes[1].ForgetVideos(l.ctx, videoIDs(2)); err != nil {
				l.Error(err)
			}
		case 2:
			for n := range many {
				if _, err := processes[2].Change(l.ctx, collectionID(n), rename("Renamed")); err != nil {
					l.Error(err)
				}
			}
		}
	})
	for _, c := range l.all() {
		if c.Title != "Renamed" || len(c.Assets) != 1 || c.Assets[0].Comments[0].Name != "" || c.Version < 1 {
			l.Errorf("%+v", c)
		}
	}
	if l.head() != 4*many {
		l.Errorf("the head is %d", l.head())
	}
}
