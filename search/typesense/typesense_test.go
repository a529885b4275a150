package typesense_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/search/typesense"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// opener returns a function that opens empty indexes on the shared server. Each index has its own namespace, which is
// deleted when the test ends.
func opener(t *testing.T) func(t *testing.T) search.Index {
	server := testservers.SharedTypesense(t)
	var opened atomic.Int64
	return func(t *testing.T) search.Index {
		t.Helper()
		return openOn(t, server, server.Prefix+"-"+strconv.FormatInt(opened.Add(1), 10))
	}
}

// openOn opens the index of a namespace. The namespace is emptied when the test ends.
func openOn(t testing.TB, server *testservers.Server, namespace string) *typesense.Index {
	t.Helper()
	return openAt(t, server, namespace, time.Now)
}

// testLinger is how long replaced builds stay. It is far longer than a search in a test. Close of a rebuilt index waits
// for it.
const testLinger = 2 * time.Second

// openAt is openOn with a clock.
func openAt(t testing.TB, server *testservers.Server, namespace string, now func() time.Time) *typesense.Index {
	t.Helper()
	addresses := []string{server.URL}
	for _, node := range server.Nodes {
		if node != server {
			addresses = append(addresses, node.URL)
		}
	}
	index, err := typesense.Open(t.Context(), typesense.Options{
		Addresses: addresses, Key: server.Key, Namespace: namespace, Now: now,
		Guard: guard.Options{Timeout: 10 * time.Second},
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

// remove deletes everything in a namespace.
func remove(t testing.TB, server *testservers.Server, namespace string) {
	t.Helper()
	raw := rawServer{t, server.URL, server.Key}
	for _, c := range raw.list("/collections", "name") {
		if strings.HasPrefix(c, namespace+"-") {
			raw.ask(http.MethodDelete, "/collections/"+c, "", nil)
		}
	}
	var all struct {
		Aliases []struct{ Name string }
	}
	raw.ask(http.MethodGet, "/aliases", "", &all)
	for _, alias := range all.Aliases {
		if strings.HasPrefix(alias.Name, namespace+"-") {
			raw.ask(http.MethodDelete, "/aliases/"+alias.Name, "", nil)
		}
	}
}

var oneMoment = searchtest.Exclusion{
	Gap:    searchtest.OneMoment,
	Reason: "Typesense replaces the documents of an import one after the other, and reads those that it found later",
}

func TestConforms(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, opener(t), oneMoment)
}

var longForgiving = searchtest.Exclusion{
	Gap:    searchtest.LongForgiving,
	Reason: "a filter of Typesense 0.24 has budget for a hundred operands, so only the six rarest words are counted",
}

func TestAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	searchtest.Properties(t, opener(t), longForgiving)
}

func TestSize(t *testing.T) {
	t.Parallel()
	index := opener(t)(t).(*typesense.Index)
	if err := index.Apply(t.Context(), search.Batch{Put: []search.Document{{State: catalogue.State{Ref: catalogue.Ref{ID: "aaaaaaaaaaaaaaaaaaaaaaaa", Version: 1}}, Title: "Rivers"}}, Position: 1}); err != nil {
		t.Fatal(err)
	}
	if bytes, documents, err := index.Size(t.Context()); err != nil || bytes < 1000 || documents != 1 {
		t.Errorf("%d bytes with %d documents, %v", bytes, documents, err)
	}
}
