package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

func openTestCollections(t *testing.T) (c *Collections, d *database, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "collections.db")
	d, err := openErasing(t.Context(), path, "collections", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return sqlstore.NewCollections(shared{d}), d, path
}

// bulkyCollection returns a collection that occupies several pages.
func bulkyCollection(n int, owner string) *collection.Collection {
	c := &collection.Collection{
		ID: catalogue.DeriveID("collection", "test", fmt.Sprint(n)), Account: "a", Owner: owner, Title: "T", Anyone: collection.ViewOnly,
	}
	for i := range 50 {
		c.Add(collection.Asset{
			VideoID: catalogue.DeriveID(catalogue.KindVideo, "test", fmt.Sprint(n, i)), Note: strings.Repeat("n", 400),
			Comments: []collection.Comment{{UserID: owner + "-friend", Name: "Name of " + owner + "-friend", Email: owner + "-friend@example.org", Text: "Text"}},
		})
	}
	return c
}

// TestCollectionsDiskFull checks that a change on a full disk fails with Unavailable and leaves the collection and its
// lookup rows unchanged, and that the change succeeds once there is space.
func TestCollectionsDiskFull(t *testing.T) {
	c, d, _ := openTestCollections(t)
	first, err := c.Create(t.Context(), bulkyCollection(1, "ann"))
	if err != nil {
		t.Fatal(err)
	}
	large := bulkyCollection(2, "ann")
	grow := func(c *collection.Collection) error { c.Assets = append(c.Assets, large.Assets...); return nil }
	confine(t, d, 2)
	for range 3 {
		if _, err := c.Change(t.Context(), first.ID, grow); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
		if _, err := c.Create(t.Context(), large); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
	}
	lists, err := c.UserCollections(t.Context(), "ann")
	head, errHead := c.Head(t.Context())
	if err != nil || errHead != nil || head != 1 || len(lists.Own) != 1 || len(lists.Own[0].Assets) != 50 || lists.Own[0].Version != 1 {
		t.Errorf("%d collections, the head is %d (%v, %v)", len(lists.Own), head, err, errHead)
	}
	confine(t, d, -1)
	changed, err := c.Change(t.Context(), first.ID, grow)
	if err != nil || len(changed.Assets) != 100 || changed.Version != 2 {
		t.Error(changed, err)
	}
	if _, err := c.Create(t.Context(), large); err != nil {
		t.Error(err)
	}
}

// TestCollectionsForgottenForGood checks that the file contains nothing of a forgotten user after a checkpoint of the
// write-ahead log: neither the collections that the user owned nor the user's name and email in comments. The texts of
// the comments remain.
func TestCollectionsForgottenForGood(t *testing.T) {
	c, d, path := openTestCollections(t)
	const secret = "pupil-of-whom-nothing-may-be-left"
	for n := range 20 {
		own := bulkyCollection(n, secret)
		own.Title = "Of " + secret
		others := bulkyCollection(100+n, "bob")
		for i := range others.Assets {
			others.Assets[i].Comments[0] = collection.Comment{UserID: "id", Name: "N " + secret, Email: secret + "@example.org", Text: "Text"}
		}
		for _, one := range []*collection.Collection{own, others} {
			if _, err := c.Create(t.Context(), one); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Save(t.Context(), secret, others.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	if timesLeft(t, d, path, secret) < 1000 {
		t.Fatal("the files do not contain the text in plain form")
	}
	for user, want := range map[string]int{secret: 20, "id": 0, secret + "-friend": 0} {
		if n, err := c.ForgetUser(t.Context(), user); err != nil || n != want {
			t.Fatal(user, n, err)
		}
	}
	if n := timesLeft(t, d, path, secret); n > 0 {
		t.Errorf("the files still contain it %d times", n)
	}
	if n := timesLeft(t, d, path, "Text"); n < 1000 {
		t.Errorf("the files contain the comments %d times", n)
	}
}
