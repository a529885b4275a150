package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// runCollections changes collections and prints the head of their log after each change.
func runCollections(_, file string) error {
	ctx := context.Background()
	stored, err := sqlite.OpenCollections(ctx, file)
	if err != nil {
		return err
	}
	return storetest.ChangeCollections(ctx, stored, func(head store.Position) { fmt.Println(head) })
}

// TestCollectionsKilled kills a process that changes collections, again and again on the same file. It checks that
// acknowledged changes are stored, that each collection is complete, and that the lookup rows match its content.
func TestCollectionsKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "collections.db")
	for round := range 4 {
		reported := killed(t, "collections", file)
		stored, err := sqlite.OpenCollections(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		storetest.WholeCollections(t, stored, reported)
		if round == 3 {
			storetest.ForgetChangedCollections(t, stored)
		}
		if err := stored.Close(); err != nil {
			t.Error(err)
		}
	}
}
