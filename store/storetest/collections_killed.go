package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// changedCollections is the number of collections that ChangeCollections maintains at a time.
const changedCollections = 10

func changedCollection(n int) catalogue.ID {
	return catalogue.DeriveID(store.KindCollection, "changed", fmt.Sprint(n%changedCollections))
}

func changedVideo(n int) catalogue.ID {
	return catalogue.DeriveID(catalogue.KindVideo, "changed", fmt.Sprint(n))
}

// changeOnce makes one change to a collection. The title, the comments and the videos of the collection record the
// number of changes.
func changeOnce(c *collection.Collection) error {
	n := len(c.Assets)
	c.Title = fmt.Sprint(n + 1)
	c.Assets = append(c.Assets, collection.Asset{
		VideoID: changedVideo(n), Comments: []collection.Comment{{UserID: "bob", Name: "Bob", Text: c.Title}},
	})
	return nil
}

// ChangeCollections is the work of a process that a test kills. It creates, changes, saves and deletes collections, one
// after another, and passes the head of the log to report after each operation. It continues from the existing
// collections.
func ChangeCollections(ctx context.Context, stored store.Collections, report func(head store.Position)) error {
	head, err := stored.Head(ctx)
	if err != nil {
		return err
	}
	for round := int(head); ; round++ {
		id := changedCollection(round)
		changed, err := stored.Change(ctx, id, changeOnce)
		if fault.CodeOf(err) == fault.NotFound {
			made := &collection.Collection{ID: id, Account: "a", Owner: "ann", Title: "0", Anyone: collection.ViewOnly}
			changed, err = stored.Create(ctx, made)
		}
		if err == nil && len(changed.Assets) > 20+round%changedCollections { // never all of them at once
			err = stored.Delete(ctx, id, allow)
		}
		if err == nil {
			err = stored.Save(ctx, "bob", changedCollection(round+1), round%3 > 0)
		}
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			return err
		}
		head, err := stored.Head(ctx)
		if err != nil {
			return err
		}
		report(head)
	}
}

// WholeCollections compares the collections that ChangeCollections left with the log, whose last reported position is
// reported. Each collection must be consistent and have the version of its last log entry.
func WholeCollections(t *testing.T, stored store.Collections, reported store.Position) {
	t.Helper()
	if head, err := stored.Head(t.Context()); err != nil || head < reported {
		t.Errorf("the head is %d, the process reported %d (%v)", head, reported, err)
	}
	changes, err := stored.Changes(t.Context(), 0, 1_000_000)
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
	list, err := stored.Scan(t.Context(), "", 100)
	if err != nil || len(list) != len(versions) {
		t.Errorf("%d collections, the log has %d (%v)", len(list), len(versions), err)
	}
	for _, c := range list {
		if c.Version != versions[c.ID] || c.Title != fmt.Sprint(len(c.Assets)) {
			t.Errorf("%s is of version %d, not %d: %q with %d videos", c.ID, c.Version, versions[c.ID], c.Title, len(c.Assets))
		}
	}
	userLists, err := stored.UserCollections(t.Context(), "ann")
	if err != nil || len(userLists.Own) != len(list) {
		t.Errorf("%d of %d are found by their owner (%v)", len(userLists.Own), len(list), err)
	}
}

// ForgetChangedCollections removes everything by which the collections of ChangeCollections can be found, their videos
// and a user, and checks that nothing of it remains. The indexes must match the contents of the collections.
func ForgetChangedCollections(t *testing.T, stored store.Collections) {
	t.Helper()
	for n := range 40 {
		if err := stored.ForgetVideos(t.Context(), []catalogue.ID{changedVideo(n)}); err != nil {
			t.Fatal(err)
		}
		if n == 5 {
			if _, err := stored.ForgetUser(t.Context(), "bob"); err != nil {
				t.Fatal(err)
			}
			list, err := stored.Scan(t.Context(), "", 100)
			for _, c := range list {
				for _, asset := range c.Assets {
					if asset.Comments[0].Name != "" {
						t.Errorf("%s contains the comment %+v", c.ID, asset.Comments[0])
					}
				}
			}
			if userLists, errCollections := stored.UserCollections(t.Context(), "bob"); err != nil || errCollections != nil || len(userLists.Saved) > 0 {
				t.Errorf("%d are saved (%v, %v)", len(userLists.Saved), err, errCollections)
			}
		}
	}
	list, err := stored.Scan(t.Context(), "", 100)
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	for _, c := range list {
		if len(c.Assets) > 0 {
			t.Errorf("%s still holds %d videos", c.ID, len(c.Assets))
		}
	}
}
