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

// shelfOpener opens empty indexes of collections on the shared server.
func shelfOpener(t *testing.T) func(t *testing.T) search.Collections {
	server := testservers.SharedTypesense(t)
	var opened atomic.Int64
	return func(t *testing.T) search.Collections {
		t.Helper()
		return openShelf(t, server, server.Prefix+"-s"+strconv.FormatInt(opened.Add(1), 10))
	}
}

// openShelf opens the index of collections of a namespace, which is emptied when the test ends.
func openShelf(t testing.TB, server *testservers.Server, namespace string) *typesense.Shelf {
	t.Helper()
	shelf, err := typesense.OpenShelf(t.Context(), typesense.Options{
		Addresses: []string{server.URL}, Key: server.Key, Namespace: namespace, Guard: guard.Options{Timeout: 10 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shelf.Close(); err != nil {
			t.Error(err)
		}
		if server.Prefix != "" { // else the server ends with the test
			remove(t, server, namespace)
		}
	})
	return shelf
}

func TestShelfConforms(t *testing.T) { searchtest.RunCollections(t, shelfOpener(t), oneMoment) }

func TestShelfAgreesWithTheModel(t *testing.T) { searchtest.CollectionProperties(t, shelfOpener(t)) }
