package typesense_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// collectionsOpener returns a function that opens empty indexes of collections on the shared server.
func collectionsOpener(t *testing.T) func(t *testing.T) search.CollectionIndex {
	server := testservers.SharedTypesense(t)
	var opened atomic.Int64
	return func(t *testing.T) search.CollectionIndex {
		t.Helper()
		return openCollections(t, server, server.Prefix+"-s"+strconv.FormatInt(opened.Add(1), 10))
	}
}

// openCollections opens the collection index of a namespace. The namespace is emptied when the test ends.
func openCollections(t testing.TB, server *testservers.Server, namespace string) *typesense.CollectionIndex {
	t.Helper()
	index, err := typesense.OpenCollections(t.Context(), typesense.Options{
		Addresses: []string{server.URL}, Key: server.Key, Namespace: namespace, Guard: guard.Options{Timeout: 10 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	index.SetLinger(testLinger)
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
		if server.Prefix != "" { // A server of its own ends with the test.
			remove(t, server, namespace)
		}
	})
	return index
}

func TestCollectionsConform(t *testing.T) {
	t.Parallel()
	searchtest.RunCollections(t, collectionsOpener(t), oneMoment)
}

func TestCollectionsAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	searchtest.CollectionProperties(t, collectionsOpener(t))
}
