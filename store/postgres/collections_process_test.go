package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestCollectionsKilled kills a process that changes collections, again and again on the same database: what was
// acknowledged is there, each collection is whole, and what it is found by is what it holds.
func TestCollectionsKilled(t *testing.T) {
	url := emptyDatabase(t)
	shelves := open(t, url).Collections()
	for range 3 {
		cmd, lines := child(t, "collections", url)
		told := store.Position(0)
		var timer *time.Timer
		for lines.Scan() {
			if timer == nil { // however long it took to start, it has done something
				timer = time.AfterFunc(time.Duration(rand.IntN(600))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
			head, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Fatalf("the other process says %q", lines.Text())
			}
			told = head
		}
		_ = cmd.Wait()
		// Behind what the server still makes of the last words of the dead.
		must(t, shelves.Trim(t.Context(), 1_000_000))
		storetest.WholeCollections(t, shelves, told)
	}
	storetest.ForgetChangedCollections(t, shelves)
}

// held is the collection that another process holds.
func held() *collection.Collection {
	return &collection.Collection{
		ID: catalogue.DeriveID(store.KindCollection, "held", "1"), Account: "a", Title: "Before", Anyone: collection.ViewOnly,
	}
}

// holdCollection begins a change, says so, and does not end it.
func holdCollection(ctx context.Context, shelves store.Collections) error {
	_, err := shelves.Change(ctx, held().ID, func(c *collection.Collection) error {
		c.Title = "Within"
		fmt.Println("changed")
		select {}
	})
	return err
}

// TestCollectionsKilledInChange: what a killed process had not committed is gone, and its lock with it.
func TestCollectionsKilledInChange(t *testing.T) {
	url := emptyDatabase(t)
	shelves := open(t, url).Collections()
	_, err := shelves.Create(t.Context(), held())
	must(t, err)
	cmd, lines := child(t, "one collection", url)
	if !lines.Scan() || lines.Text() != "changed" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	must(t, cmd.Process.Kill())
	got, err := shelves.Change(t.Context(), held().ID, func(c *collection.Collection) error { c.Title += " and after"; return nil })
	must(t, err)
	if got.Title != "Before and after" || got.Version != 2 {
		t.Errorf("got %+v", got)
	}
}
