package telemetry_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestMain shortens the property tests of the suites. The engines' own tests run them in full, and the decorators only
// pass calls on.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// world is a service over measured embedded engines.
type world struct {
	*telemetry.Telemetry
	testing.TB
	handler  http.Handler
	store    store.Catalogue
	index    search.Index
	follower *projection.Follower
	video    catalogue.ID
	timeout  time.Duration // of a request

	documents, pages, queries cache.Cache
}

func newWorld(tb testing.TB, options telemetry.Options) *world {
	tb.Helper()
	watch, err := telemetry.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{TB: tb, Telemetry: watch, timeout: time.Minute}
	documents := memory.New(memory.Options{})
	w.documents, w.queries = w.Cache(documents, "memory", "documents"), w.Cache(documents, "memory", "persisted queries")
	w.pages = w.Cache(memory.New(memory.Options{}), "memory", "pages")
	w.openEngines()
	w.follow()
	w.wire()
	return w
}

func (w *world) openEngines() {
	primary, err := sqlite.OpenCatalogue(w.Context(), filepath.Join(w.TempDir(), "catalogue.db"))
	if err != nil {
		w.Fatal(err)
	}
	index, err := embedded.Open(embedded.Options{})
	if err != nil {
		w.Fatal(err)
	}
	w.store, w.index = w.Catalogue(primary, "sqlite"), searchtest.Join(w.IndexReader(index, "embedded"), w.IndexWriter(index, "embedded"), index)
	w.Cleanup(func() {
		if w.store.Close() != nil || w.index.Close() != nil {
			w.Error("the engines were not closed")
		}
	})
	items := slices.Collect(generate.Items(generate.Options{Videos: 40, Seed: 1}))
	if err := w.store.Write(w.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, items)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) follow() {
	w.follower = projection.New(projection.Options{Store: w.store, Index: w.index, Poll: time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { w.follower.Run(ctx); close(ended) }()
	w.Cleanup(func() { cancel(); <-ended })
	w.eventually("the index is ready", func() bool { return w.follower.Ready() && w.follower.Lag() == 0 })
	found, err := w.index.Search(w.Context(), search.Query{Access: everything, Size: 1})
	if err != nil || len(found.Refs) == 0 {
		w.Fatal(found, err)
	}
	w.video = found.Refs[0].ID
}

// proxies contains the networks that the world trusts. Its requests come from elsewhere (httptest) unless stated
// otherwise.
var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}

var everything = catalogue.Access{PrivateChannels: true}

func (w *world) wire() {
	schema := resolvers.NewSchema(resolvers.Config{
		Catalogue: w.store, Index: w.index, Analyzer: analysis.New(analysis.Synonyms{}),
		CursorKeys: [][]byte{bytes.Repeat([]byte{7}, 32)},
	})
	signer, err := media.NewSigner([]account.Key{{ID: "1", Secret: bytes.Repeat([]byte{9}, 32)}}, 0)
	if err != nil {
		w.Fatal(err)
	}
	base := &httpserver.Base{Fixed: "https://catalogue.example", Proxies: proxies}
	mounts, err := rest.New(rest.Config{
		Schema: schema, Streams: signer, Base: base, Logger: quiet,
		Documents: w.documents, Pages: w.pages,
	})
	if err != nil {
		w.Fatal(err)
	}
	w.handler = httpserver.New(httpserver.Config{
		Base: base, Authenticate: letIn, Timeout: w.timeout, Logger: quiet, Observer: w.Telemetry,
		Mounts: append(mounts,
			httpserver.Mount{Path: "/graphql", Methods: []string{"POST"}, Handler: endpoint.New(endpoint.Config{
				Schema: schema, Queries: w.queries, Logger: quiet,
			})},
			httpserver.Mount{Path: "/broken/", Prefix: true, Methods: []string{"GET"}, Handler: http.HandlerFunc(broken)}),
	})
}

// letIn accepts every token.
func letIn(next http.Handler) http.Handler {
	caller := &account.Caller{ClientID: "all", Permissions: account.OperatorPermissions(), Access: everything}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(rw, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
}

// broken is a handler that fails in each of the ways in which handlers fail.
func broken(rw http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/broken/panic":
		panic("broken")
	case "/broken/abort":
		_, _ = io.WriteString(rw, "half of")
		panic(http.ErrAbortHandler)
	case "/broken/early":
		rw.WriteHeader(http.StatusEarlyHints)
		rw.WriteHeader(http.StatusTeapot)
	}
}

// remoteAddress is a pseudo-header of send for the request's remote address.
const remoteAddress = ":remote-address"

// send sends a request. header contains names and values in pairs.
func (w *world) send(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "any")
	for pair := range slices.Chunk(header, 2) {
		if pair[0] == remoteAddress {
			r.RemoteAddr = pair[1]
			continue
		}
		r.Header.Set(pair[0], pair[1])
	}
	recorder := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }() // net/http recovers when a handler aborts
		w.handler.ServeHTTP(recorder, r)
	}()
	return recorder
}

// scraped returns the metrics as a scrape returns them.
func (w *world) scraped() string {
	recorder := httptest.NewRecorder()
	w.Server().Handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	if recorder.Code != http.StatusOK {
		w.Fatalf("metrics: %d %s", recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}

// expect checks that a series of the exported metrics has a value.
func (w *world) expect(series, value string) {
	w.Helper()
	text := w.scraped()
	if !strings.Contains(text, "\n"+series+" "+value+"\n") {
		name, _, _ := strings.Cut(series, "{")
		var near []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, name) {
				near = append(near, line)
			}
		}
		w.Errorf("there is no %s %s among\n%s", series, value, strings.Join(near, ""))
	}
}

func (w *world) eventually(what string, is func() bool) {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("timeout waiting for: %s", what)
		}
	}
}
