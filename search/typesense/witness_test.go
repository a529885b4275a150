package typesense_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// lagging is a node that has the current states and aliases of a server, but old documents.
type lagging struct {
	address            string
	raw                rawServer
	collection, copied string
	behind             atomic.Bool
}

func newLagging(t *testing.T, server *testservers.Server, collection string) *lagging {
	t.Helper()
	l := &lagging{raw: rawServer{t, server.URL, server.Key}, collection: collection, copied: collection + "-copy"}
	l.address = proxyOf(t, server, func(_ http.ResponseWriter, _ *http.Request, body []byte) []byte {
		if l.behind.Load() {
			body = bytes.ReplaceAll(body, []byte(`"`+l.collection+`"`), []byte(`"`+l.copied+`"`))
		}
		return body
	})
	return l
}

// fallBehind makes the node answer with the current documents from now on, whatever changes follow.
func (l *lagging) fallBehind() {
	l.raw.t.Helper()
	_, schema := l.raw.send(http.MethodGet, "/collections/"+l.collection, "")
	_, documents := l.raw.send(http.MethodGet, "/collections/"+l.collection+"/documents/export", "")
	schema = bytes.Replace(schema, []byte(`"`+l.collection+`"`), []byte(`"`+l.copied+`"`), 1)
	if got := l.raw.ask(http.MethodPost, "/collections", string(schema), nil); got != http.StatusCreated {
		l.raw.t.Fatalf("the copy: status %d", got)
	}
	l.raw.ask(http.MethodPost, "/collections/"+l.copied+"/documents/import", string(documents), nil)
	l.behind.Store(true)
}

// renamed returns a batch that changes the title of a video and has position 2.
func renamed() search.Batch {
	changed := video(1, 2)
	changed.Title = "Renamed"
	return search.Batch{Put: []search.Document{changed}, Position: 2}
}

func openedAt(t *testing.T, server *testservers.Server, namespace string, addresses ...string) *typesense.Index {
	t.Helper()
	index, err := typesense.Open(t.Context(), typesense.Options{Addresses: addresses, Key: server.Key, Namespace: namespace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}

// TestAPositionIsNotSeenBeforeItsDocuments checks that a node with a new state but old documents is not trusted.
// Otherwise its old answers would be cached for the new position.
func TestAPositionIsNotSeenBeforeItsDocuments(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-witness"
	writer := testIndex{t, openOn(t, server, namespace)}
	writer.apply(search.Batch{Put: videos(1, 1), Position: 1})
	node := newLagging(t, server, writer.index.Generation())
	reader := testIndex{t, openedAt(t, server, namespace, node.address)}
	reader.stands(1, 1)

	for _, batch := range []struct {
		name string
		next search.Batch
	}{{"changed", renamed()}, {"deleted", search.Batch{Delete: []catalogue.ID{id(1)}, Position: 3}}} {
		t.Run(batch.name, func(t *testing.T) {
			next := batch.next
			before, _ := reader.index.Position(t.Context())
			node.fallBehind()
			writer.apply(next)
			for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				if at, err := reader.index.Position(t.Context()); err != nil || at != before {
					t.Fatalf("position %d (%v) of what is not there", at, err)
				}
			}
			node.behind.Store(false)
			eventually(t, "the new position", func() bool {
				at, err := reader.index.Position(t.Context())
				return err == nil && at == next.Position
			})
			node.raw.ask(http.MethodDelete, "/collections/"+node.copied, "", nil)
		})
	}
}

// TestAnotherNodeMustShowThePositionToo checks that, after one node has shown a position, another node must show it too
// before its answers count.
func TestAnotherNodeMustShowThePositionToo(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-elsewhere"
	writer := testIndex{t, openOn(t, server, namespace)}
	writer.apply(search.Batch{Put: videos(1, 1), Position: 1})
	link := testservers.NewLink(t, server.Addr)
	node := newLagging(t, server, writer.index.Generation())
	reader := testIndex{t, openedAt(t, server, namespace, "http://"+link.Addr, node.address)}
	node.fallBehind()
	writer.apply(renamed())
	eventually(t, "the new position", func() bool {
		at, err := reader.index.Position(t.Context())
		return err == nil && at == 2
	})
	link.Sever()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		if found, err := reader.total("number1"); err == nil && found != 0 {
			t.Fatal("found what was replaced before this position")
		}
	}
	node.behind.Store(false)
	eventually(t, "an answer", func() bool {
		found, err := reader.total("renamed")
		return err == nil && found == 1
	})
}

// TestALostWitnessIsWaitedForOnlySoLong checks that the index stops waiting for a document that is missing for other
// reasons.
func TestALostWitnessIsWaitedForOnlySoLong(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-lost"
	writer := testIndex{t, openOn(t, server, namespace)}
	writer.apply(search.Batch{Put: videos(1, 2), Delete: []catalogue.ID{id(2)}, Position: 1})
	writer.apply(search.Batch{Put: videos(3, 4), Position: 2})
	raw := rawServer{t, server.URL, server.Key}
	lost := fmt.Sprintf("/collections/%s/documents/0%s", writer.index.Generation(), id(4))
	if got := raw.ask(http.MethodDelete, lost, "", nil); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	reader := testIndex{t, openedAt(t, server, namespace, server.URL)}
	eventually(t, "the index", func() bool {
		found, err := reader.total("")
		return err == nil && found == 2
	})
	reader.apply(search.Batch{Put: videos(5, 5), Position: 3})
	writer.apply(search.Batch{Put: videos(6, 6), Position: 4})
	writer.finds("", 4)
}

// TestWritesWaitForTheCollection checks that a write fails only for the moment if a node has not received the new collection
// yet.
func TestWritesWaitForTheCollection(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	var lacking atomic.Int64
	lacking.Store(4)
	witnessed := regexp.MustCompile(`"per_page":1[,}]`) // a node is asked for the document that was written last
	node := proxyOf(t, server, func(w http.ResponseWriter, _ *http.Request, body []byte) []byte {
		if witnessed.Match(body) && lacking.Add(-1) >= 0 {
			_, _ = io.WriteString(w, `{"results":[{"code":404,"error":"Not found."}]}`)
			return nil
		}
		return body
	})
	s := testIndex{t, openedAt(t, server, server.Prefix+"-young", node)}
	batch := search.Batch{Put: videos(1, 1), Position: 1}
	eventually(t, "a write", func() bool {
		err := s.index.Apply(t.Context(), batch)
		if err != nil && fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("without the collection: got %v", err)
		}
		return err == nil
	})
	s.finds("", 1)
}
