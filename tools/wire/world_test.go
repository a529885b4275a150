package wire_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// world contains a catalogue in PostgreSQL and Typesense, the same catalogue in SQLite, and a Redis.
type world struct {
	*testing.B
	binary     string
	folder     string // of SQLite and the embedded index
	postgres   *testservers.Server
	typesense  *testservers.Server
	redis      *testservers.Server
	collection string // of the videos in Typesense
	warming    []*question
	direct     *http.Client // for Typesense alone
}

// newWorld starts the engines, builds the program and fills both catalogues.
func newWorld(b *testing.B, warming []*question) *world {
	b.Helper()
	w := &world{
		B: b, warming: warming, folder: filepath.Join(b.TempDir(), "data"), binary: filepath.Join(b.TempDir(), "filmstrip"),
		typesense: testservers.Typesense(b), redis: testservers.Redis(b), postgres: testservers.PostgreSQL(b),
		direct: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}, // as the service connects
	}
	b.Cleanup(w.direct.CloseIdleConnections)
	if err := program.Build(w.binary); err != nil {
		b.Fatal(err)
	}
	w.fill("--store", w.postgres.URL)
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		b.Fatal(err)
	}
	w.fill("--data", w.folder)
	w.serve(w.shared()...) // builds the index, and holds the lease; nothing is written afterwards
	w.collection = w.findCollection()
	return w
}

// fill imports the catalogue into new stores.
func (w *world) fill(store ...string) {
	w.Helper()
	w.run(nil, append([]string{"migrate"}, store...)...)
	lines, writer := io.Pipe()
	go func() {
		writer.CloseWithError(generate.Write(writer, generate.Options{Videos: *videos, Seed: catalogueSeed}))
	}()
	w.run(lines, append(append([]string{"import"}, store...), "-")...)
}

// shared returns the settings of PostgreSQL and Typesense.
func (w *world) shared() []string { return w.settingsOver(w.typesense.URL) }

func (w *world) settingsOver(typesense string) []string {
	return []string{"--store", w.postgres.URL, "--search", "typesense+" + typesense, "--search-key", w.typesense.Key}
}

func (w *world) findCollection() string {
	w.Helper()
	request, err := http.NewRequest(http.MethodGet, w.typesense.URL+"/aliases", nil)
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("X-Typesense-Api-Key", w.typesense.Key)
	var answer struct {
		Aliases []struct {
			Collection string `json:"collection_name"`
		} `json:"aliases"`
	}
	if err := json.Unmarshal(send(w.B, w.direct, request), &answer); err != nil || len(answer.Aliases) != 1 {
		w.Fatalf("%v: %+v", err, answer)
	}
	return answer.Aliases[0].Collection
}

// warm sends questions that are not measured, until a new process has its connections and a typical heap.
func (w *world) warm(p *process) {
	w.Helper()
	for _, q := range w.warming {
		p.get(q.path)
	}
}

// record records, for each question, the requests to Typesense and the videos found.
func (w *world) record(list []*question) {
	w.Helper()
	seen := &recorder{collection: w.collection}
	target, err := url.Parse(w.typesense.URL)
	if err != nil {
		w.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	between := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if err := seen.note(r); err != nil {
			http.Error(rw, err.Error(), http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(rw, r)
	}))
	defer between.Close()
	p := w.serve(w.settingsOver(between.URL)...)
	defer p.shutDown()
	w.warm(p)
	seen.take()
	for _, q := range list {
		q.found = videosOf(w.B, p.get(q.path))
		q.asked = seen.take()
		if err := q.join(); err != nil {
			w.Fatal(err)
		}
		if q.search == nil {
			w.Fatalf("%s: none of %d requests is the search", q.path, len(q.asked))
		}
	}
}

// recorder keeps the multi-searches for videos; the others are how a process polls for changes.
type recorder struct {
	collection string
	mu         sync.Mutex
	bodies     [][]byte
}

func (r *recorder) note(request *http.Request) error {
	if request.URL.Path != "/multi_search" {
		return nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	var sent struct {
		Searches []struct {
			Collection string `json:"collection"`
		} `json:"searches"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || len(sent.Searches) == 0 || sent.Searches[0].Collection != r.collection {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, body)
	return nil
}

// take returns the requests recorded since the last call.
func (r *recorder) take() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	bodies := r.bodies
	r.bodies = nil
	return bodies
}

func videosOf(b *testing.B, body []byte) []string {
	b.Helper()
	ids, err := program.VideosOf(body)
	if err != nil {
		b.Fatal(err)
	}
	return ids
}
