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

// TestCollectionsKilled kills a process that changes collections, again and again on the same database. It checks that
// acknowledged changes are stored, that each collection is complete, and that the lookup rows match its content.
func TestCollectionsKilled(t *testing.T) {
	url := emptyDatabase(t)
	stored := open(t, url).Collections()
	for range 3 {
		cmd, lines := child(t, "collections", url)
		reported := store.Position(0)
		var timer *time.Timer
		for lines.Scan() {
			if timer == nil { // the process has done something, however long its start took
				timer = time.AfterFunc(time.Duration(rand.IntN(600))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
			head, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Fatalf("the other process says %q", lines.Text())
			}
			reported = head
		}
		_ = cmd.Wait()
		// Trim waits until the server has processed the killed process's last statements.
		must(t, stored.Trim(t.Context(), 1_000_000))
		storetest.WholeCollections(t, stored, reported)
	}
	storetest.ForgetChangedCollections(t, stored)
}

// held returns the collection that another process locks.
func held() *collection.Collection {
	return &collection.Collection{
		ID: catalogue.DeriveID(store.KindCollection, "held", "1"), Account: "a", Title: "Before", Anyone: collection.ViewOnly,
	}
}

// holdCollection begins a change, reports it, and does not end it.
func holdCollection(ctx context.Context, stored store.Collections) error {
	_, err := stored.Change(ctx, held().ID, func(c *collection.Collection) error {
		c.Title = "Within"
		fmt.Println("changed")
		select {}
	})
	return err
}

// TestCollectionsKilledInChange checks that the uncommitted changes of a killed process are gone, and its lock with
// them.
func TestCollectionsKilledInChange(t *testing.T) {
	url := emptyDatabase(t)
	stored := open(t, url).Collections()
	_, err := stored.Create(t.Context(), held())
	must(t, err)
	cmd, lines := child(t, "one collection", url)
	if !lines.Scan() || lines.Text() != "changed" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	must(t, cmd.Process.Kill())
	got, err := stored.Change(t.Context(), held().ID, func(c *collection.Collection) error { c.Title += " and after"; return nil })
	must(t, err)
	if got.Title != "Before and after" || got.Version != 2 {
		t.Errorf("got %+v", got)
	}
}
