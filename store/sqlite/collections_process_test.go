package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// childCollections is how many collections the other process has: the nth round changes the one of this number.
const childCollections = 10

func childCollection(n int) catalogue.ID {
	return catalogue.DeriveID(store.KindCollection, "child", fmt.Sprint(n%childCollections))
}

// changeChild makes one change of a collection that says of itself how often it was changed: by its title, its
// comments and its videos.
func changeChild(c *collection.Collection) error {
	n := len(c.Assets)
	c.Title = fmt.Sprint(n + 1)
	c.Assets = append(c.Assets, collection.Asset{
		VideoID: catalogue.DeriveID(catalogue.KindVideo, "child", fmt.Sprint(n)), Comments: []collection.Comment{{UserID: "bob", Name: "Bob", Text: c.Title}},
	})
	return nil
}

// runCollections changes one collection after another, and prints the number of each change once it is acknowledged.
// What has grown long is deleted and made anew.
func runCollections(_, file string) error {
	ctx := context.Background()
	shelves, err := sqlite.OpenCollections(ctx, file)
	if err != nil {
		return err
	}
	head, err := shelves.Head(ctx)
	if err != nil {
		return err
	}
	for round := int(head); ; round++ {
		id := childCollection(round)
		changed, err := shelves.Change(ctx, id, changeChild)
		if catalogue.CodeOf(err) == catalogue.NotFound {
			made := &collection.Collection{ID: id, Account: "a", Owner: "ann", Title: "0", Anyone: collection.ViewOnly}
			changed, err = shelves.Create(ctx, made)
		}
		if err == nil && len(changed.Assets) > 30 {
			err = shelves.Delete(ctx, id, func(*collection.Collection) error { return nil })
		}
		if err == nil {
			err = shelves.Save(ctx, "bob", childCollection(round+1), round%3 > 0)
		}
		if err != nil && catalogue.CodeOf(err) != catalogue.NotFound {
			return err
		}
		head, err := shelves.Head(ctx)
		if err != nil {
			return err
		}
		fmt.Println(head)
	}
}

// TestCollectionsKilled kills a process that changes collections, again and again on the same file: what was
// acknowledged is there, each collection is whole and of the version that the log tells, and what it is found by is
// what it holds.
func TestCollectionsKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "collections.db")
	for range 4 {
		acknowledged := killed(t, "collections", file)
		shelves, err := sqlite.OpenCollections(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		head, err := shelves.Head(t.Context())
		if err != nil || head < acknowledged {
			t.Errorf("the head is %d, %d was acknowledged (%v)", head, acknowledged, err)
		}
		wholeCollections(t, shelves)
		if err := shelves.Close(); err != nil {
			t.Error(err)
		}
	}
	shelves, err := sqlite.OpenCollections(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer shelves.Close()
	forgetAllOf(t, shelves)
}

// wholeCollections holds what is stored against the log, and each collection against itself.
func wholeCollections(t *testing.T, shelves store.Collections) {
	t.Helper()
	changes, err := shelves.Changes(t.Context(), 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[catalogue.ID]int64{}
	for i, change := range changes {
		if change.Position != int64(i+1) {
			t.Fatalf("entry %d is at %d", i+1, change.Position)
		}
		versions[change.ID] = change.Position
		if change.Deleted {
			delete(versions, change.ID)
		}
	}
	list, err := shelves.Scan(t.Context(), "", 100)
	if err != nil || len(list) != len(versions) {
		t.Errorf("%d collections, the log tells of %d (%v)", len(list), len(versions), err)
	}
	for _, c := range list {
		if c.Version != versions[c.ID] || c.Title != fmt.Sprint(len(c.Assets)) {
			t.Errorf("%s is of version %d, not %d: %q with %d videos", c.ID, c.Version, versions[c.ID], c.Title, len(c.Assets))
		}
	}
	shelf, err := shelves.Shelf(t.Context(), "ann")
	if err != nil || len(shelf.Own) != len(list) {
		t.Errorf("%d of %d are found by their owner (%v)", len(shelf.Own), len(list), err)
	}
}

// forgetAllOf takes away everything by which collections are found, and wants nothing to be left of it.
func forgetAllOf(t *testing.T, shelves store.Collections) {
	t.Helper()
	for n := range 40 {
		if err := shelves.ForgetVideos(t.Context(), []catalogue.ID{catalogue.DeriveID(catalogue.KindVideo, "child", fmt.Sprint(n))}); err != nil {
			t.Fatal(err)
		}
		if n == 5 {
			if _, err := shelves.ForgetUser(t.Context(), "bob"); err != nil {
				t.Fatal(err)
			}
			list, err := shelves.Scan(t.Context(), "", 100)
			for _, c := range list {
				for _, asset := range c.Assets {
					if asset.Comments[0].Name != "" {
						t.Errorf("%s tells %+v", c.ID, asset.Comments[0])
					}
				}
			}
			if shelf, errShelf := shelves.Shelf(t.Context(), "bob"); err != nil || errShelf != nil || len(shelf.Saved) > 0 {
				t.Errorf("%d are saved (%v, %v)", len(shelf.Saved), err, errShelf)
			}
		}
	}
	list, err := shelves.Scan(t.Context(), "", 100)
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	for _, c := range list {
		if len(c.Assets) > 0 {
			t.Errorf("%s still holds %d videos", c.ID, len(c.Assets))
		}
	}
}
