//go:build system

package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
)

// createCollection creates a collection as a request does.
func createCollection(t *testing.T, s *App, n int, title string) catalogue.ID {
	t.Helper()
	made, err := s.collectionStore().Create(t.Context(), &collection.Collection{
		ID: catalogue.ID(fmt.Sprintf("%024x", n)), Account: "account", Owner: "user", Title: title,
		Discoverable: true, Anyone: collection.ViewOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// findsCollections waits until a search of a service finds the wanted number of collections.
func findsCollections(t *testing.T, s *App, text string, want int) {
	t.Helper()
	began := time.Now()
	for {
		result, err := s.collectionIndex().Find(t.Context(), search.CollectionQuery{
			Audience: search.CollectionAudience{Account: "account"}, Text: text, Size: 10,
		})
		switch {
		case err != nil && fault.CodeOf(err) != fault.Unavailable:
			t.Fatal(err)
		case err == nil && result.Total == want:
			return
		case time.Since(began) > time.Minute:
			t.Fatalf("%+v, %v; want %d", result, err, want)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestCollectionsAreFoundAfterTheirAnswer verifies that searches find a collection as soon as its write is
// acknowledged, and after a restart.
func TestCollectionsAreFoundAfterTheirAnswer(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { testFoundAfterTheirAnswer(t, "--data", t.TempDir()) })
	t.Run("Typesense", func(t *testing.T) {
		behind := searchingIn(t, testservers.SharedTypesense(t))
		apptest.Succeed(t, append([]string{"migrate"}, behind.store...)...)
		testFoundAfterTheirAnswer(t, behind.settings...)
	})
}

func testFoundAfterTheirAnswer(t *testing.T, args ...string) {
	s := openWith(t, args...)
	first := createCollection(t, s, 1, "Running waters")
	createCollection(t, s, 2, "Water")
	findsCollections(t, s, "water", 2)
	if _, err := s.collectionStore().Change(t.Context(), first, func(c *collection.Collection) error {
		c.Title = "Winds"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	findsCollections(t, s, "wind", 1)
	if err := s.indexes.rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	findsCollections(t, s, "water", 1)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = openWith(t, args...)
	findsCollections(t, s, "wind", 1)
	if err := s.collectionStore().Delete(t.Context(), first, func(*collection.Collection) error { return nil }); err != nil {
		t.Fatal(err)
	}
	findsCollections(t, s, "wind", 0)
	if _, err := s.collectionStore().ForgetUser(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	findsCollections(t, s, "water", 0)
}

// TestCollectionsOfSeveralProcesses verifies that every process finds the collections that one process writes. While
// Typesense is unavailable, no search returns an empty result. After Typesense lost its data, the index is rebuilt,
// also by the command.
func TestCollectionsOfSeveralProcesses(t *testing.T) {
	behind := searchingIn(t, testservers.SharedTypesense(t))
	apptest.Succeed(t, append([]string{"migrate"}, behind.store...)...)
	one, other := openWith(t, behind.settings...), openWith(t, behind.settings...)
	createCollection(t, one, 1, "Running waters")
	findsCollections(t, other, "water", 1)
	createCollection(t, other, 2, "Water")
	findsCollections(t, one, "water", 2)
	behind.link.Sever()
	began := time.Now()
	for {
		result, err := one.collectionIndex().Find(t.Context(), search.CollectionQuery{Audience: search.CollectionAudience{All: true}, Size: 10})
		if fault.CodeOf(err) == fault.Unavailable {
			break
		}
		if err != nil || result.Total != 2 || time.Since(began) > time.Minute {
			t.Fatalf("without Typesense: %+v, %v", result, err)
		}
	}
	behind.lose(t, one.indexes.namespace)
	behind.link.Restore()
	for _, s := range []*App{one, other} {
		findsCollections(t, s, "water", 2)
	}
	if got := apptest.Succeed(t, append([]string{"reindex"}, behind.settings...)...); !strings.Contains(got, "2 collections indexed") {
		t.Errorf("reindex says %q", got)
	}
	findsCollections(t, one, "water", 2)
}
