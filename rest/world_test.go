package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/limit"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/internal/places"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// base is the public base address of every world.
const base = "https://catalogue.example"

// begin is the time at which every world begins. Its clock only moves when a test sets it.
var begin = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// world is a complete service with embedded engines, wired as in production but without a listener.
type world struct {
	handler          http.Handler
	catalogue        *cache.Catalogue
	accounts         *sqlite.Accounts
	collections      store.Collections
	collectionIndex  search.CollectionIndex
	auth             *auth.Service
	index            search.Index
	follower         *projection.Follower
	documents, pages *cacheCounter
	reported         *eventSink
	tokensMutex      sync.Mutex
	tokens           map[string]string
	clock            *clock
	closers          []func() error
}

// places returns places that follow the catalogue until the world closes.
func (w *world) places() *places.Places {
	found := places.New(w.catalogue, quiet)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { found.Run(ctx) })
	w.closers = append(w.closers, func() error { stop(); running.Wait(); return nil })
	return found
}

// clock is a clock that tests set.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) now() time.Time  { return *c.at.Load() }
func (c *clock) set(t time.Time) { c.at.Store(&t) }

// options change the wiring of a world; the zero value is that of production.
type options struct {
	index     func(search.Index) search.Index
	catalogue func(store.Catalogue) store.Catalogue
	registry  func(store.Registry) store.Registry
	config    func(*wiring)
	asked     resolvers.SearchRecorder
	// empty leaves the catalogue empty.
	empty bool
}

// newWorld opens a world for one test, which may change it.
func newWorld(t testing.TB, o options) *world {
	t.Helper()
	w := openWorld(t.TempDir(), o)
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func openWorld(directory string, o options) *world {
	w := &world{tokens: map[string]string{}, clock: &clock{}, reported: &eventSink{}}
	ctx := context.Background()
	w.openCatalogue(ctx, directory, o)
	w.openCollections(ctx, directory)
	w.openAccounts(ctx, directory)
	w.handler = w.wire(ctx, o)
	return w
}

func (w *world) openCatalogue(ctx context.Context, directory string, o options) {
	w.clock.set(begin)
	primary := must(sqlite.OpenCatalogue(ctx, filepath.Join(directory, "catalogue.db"), sqlite.WithClock(w.clock.now)))
	wrapped := store.Catalogue(primary)
	if o.catalogue != nil {
		wrapped = o.catalogue(primary)
	}
	w.catalogue = cache.NewCatalogue(wrapped, cache.CatalogueOptions{AfterWrite: func() {
		if w.follower != nil {
			w.follower.Wake()
		}
	}})
	w.closers = append(w.closers, w.catalogue.Close)
	w.index = must(embedded.Open(embedded.Options{Analyzer: analyzer}))
	w.closers = append(w.closers, w.index.Close)
	if !o.empty {
		w.clock.set(begin.AddDate(0, 0, -10))
		w.put(earlier()...)
		w.clock.set(begin)
		w.put(later()...)
	}
	w.follower = projection.New(projection.Options{Store: w.catalogue, Index: w.index, Subscribers: []projection.Subscriber{w.catalogue}})
	check(w.follower.Rebuild(ctx))
	following, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { w.follower.Run(following); close(ended) }()
	w.closers = append(w.closers, func() error { stop(); <-ended; return nil })
	for !w.caughtUp(ctx) {
		time.Sleep(time.Millisecond)
	}
	if o.index != nil {
		w.index = o.index(w.index)
	}
}

var analyzer = analysis.New(analysis.Synonyms{})

var quiet = slog.New(slog.DiscardHandler)

func (w *world) wire(ctx context.Context, o options) http.Handler {
	authentication := w.authentication(ctx, w.clock.now)
	w.auth = authentication
	w.documents = &cacheCounter{Cache: memory.New(memory.Options{})}
	w.pages = &cacheCounter{Cache: memory.New(memory.Options{})}
	w.closers = append(w.closers, w.documents.Close, w.pages.Close)
	searches := cache.NewSearches(w.index, cache.SearchOptions{})
	registry := store.Registry(w.accounts)
	if o.registry != nil {
		registry = o.registry(registry)
	}
	schema := resolvers.NewSchema(resolvers.Config{
		SearchRecorder: o.asked, Collections: w.collections, CollectionIndex: w.collectionIndex, Roster: authentication.Roster, Events: w.reported, Registry: registry, SignIns: w.accounts, Catalogue: w.catalogue, Index: searches, Analyzer: analyzer, Deprecations: w.accounts,
		CursorKeys: [][]byte{bytes.Repeat([]byte{7}, 32)}, Now: w.clock.now, Places: w.places(),
		Embeds: embed.NewSigner(func() []account.Key { return []account.Key{{ID: "1", Secret: bytes.Repeat([]byte{3}, 32)}} }),
	})
	signer := must(media.NewSigner([]account.Key{{ID: "1", Secret: bytes.Repeat([]byte{9}, 32)}}, 0))
	streams := media.Handler(media.Options{Signer: signer, Find: w.findPlayback, Now: w.clock.now})
	get, post := []string{"GET"}, []string{"POST"}
	config := wiring{
		Config: httpserver.Config{
			Authenticate: authentication.Verifier().Require, AddressOf: limit.New(limit.Config{}).AddressOf,
			Base: &httpserver.Base{Fixed: base}, Timeout: time.Minute, Logger: quiet,
			Origins: httpserver.Origins{List: []string{"https://school.example"}, Loopback: true, OfAccounts: authentication.AllowsOrigin},
			Mounts: []httpserver.Mount{
				{Path: "/v1/token", Methods: post, Handler: authentication.TokenHandler(), Public: true},
				{Path: "/.well-known/jwks.json", Methods: get, Handler: authentication.KeysHandler(), Public: true},
				{Path: media.StreamsPath, Prefix: true, Methods: []string{"GET", "OPTIONS"}, Handler: streams, Public: true, AnyOrigin: true},
				{Path: media.ImagesPath, Prefix: true, Methods: []string{"GET", "OPTIONS"}, Handler: streams, Public: true, AnyOrigin: true},
				{Path: "/graphql", Methods: post, Handler: endpoint.New(endpoint.Config{
					Schema: schema, Queries: w.documents, Introspection: true, Logger: quiet, MaxComplexity: 1_000_000,
				})},
			},
		},
		Schema: schema, Documents: w.documents, Pages: w.pages, Streams: signer, Now: w.clock.now,
	}
	if o.config != nil {
		o.config(&config)
	}
	return config.handler()
}

// wiring configures a world's handler. The settings that the server and the API share are in the server's Config.
type wiring struct {
	httpserver.Config
	Schema           graphql.ExecutableSchema
	Documents, Pages cache.Cache
	Streams          hal.Streams
	Anonymous        bool
	Now              func() time.Time
}

func (c wiring) handler() http.Handler {
	mounts := must(rest.New(rest.Config{
		Schema: c.Schema, Documents: c.Documents, Pages: c.Pages, Streams: c.Streams, Anonymous: c.Anonymous,
		AddressOf: c.AddressOf, Base: c.Base, NoCompression: c.NoCompression, Logger: c.Logger, Now: c.Now,
	}))
	c.Mounts = append(mounts, c.Mounts...)
	return httpserver.New(c.Config)
}

func (w *world) findPlayback(ctx context.Context, id catalogue.ID) (catalogue.Playback, catalogue.State, error) {
	videos, err := w.catalogue.Videos(ctx, []catalogue.ID{id})
	if err != nil || len(videos) == 0 {
		return catalogue.Playback{}, catalogue.State{}, fault.Errorf(fault.NotFound, "there is no video %q", id)
	}
	directory, err := w.catalogue.Directory(ctx, videos[0].Version)
	if err != nil {
		return catalogue.Playback{}, catalogue.State{}, err
	}
	return videos[0].Playback, directory.StateOf(videos[0]), nil
}

func (w *world) close() error {
	var first error
	for i := len(w.closers) - 1; i >= 0; i-- {
		if err := w.closers[i](); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// put writes items, all of which must be accepted.
func (w *world) put(items ...catalogue.Item) {
	check(w.catalogue.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("%s: %w", items[i].Head().Reference, outcome.Faults)
			}
		}
		return err
	}))
}

// caughtUp reports whether searches show every change, and every change has been propagated to videos.
func (w *world) caughtUp(ctx context.Context) bool {
	position := must(w.index.Position(ctx))
	return w.follower.Ready() && position >= must(w.catalogue.Head(ctx))
}

// awaitSearch waits until searches show every change.
func (w *world) awaitSearch(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !w.caughtUp(t.Context()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the index does not catch up")
		}
	}
}

// cacheCounter counts the misses and puts of a cache.
type cacheCounter struct {
	cache.Cache
	missed, put atomic.Int64
}

func (c *cacheCounter) Get(ctx context.Context, asks []cache.Ask, into []cache.Entry) error {
	err := c.Cache.Get(ctx, asks, into)
	for i := range into {
		if into[i].Version == 0 {
			c.missed.Add(1)
		}
	}
	return err
}

func (c *cacheCounter) Put(ctx context.Context, items []cache.Item) error {
	c.put.Add(int64(len(items)))
	return c.Cache.Put(ctx, items)
}

// Requests.

// answer is an answer as a client reads it.
type answer struct {
	*http.Response
	path string
	body []byte
}

// apiRequest is a request of a test. Zero fields have default values.
type apiRequest struct {
	as      string // the client
	method  string // GET by default
	path    string // with its query
	body    string
	header  map[string]string // an empty value removes a header
	address string            // the client's network address
	host    string
}

// send sends a request and checks the invariants of every answer.
func (w *world) send(t testing.TB, a apiRequest) *answer {
	t.Helper()
	response := w.sendUnchecked(t, a)
	checkAnswer(t, a, response)
	return response
}

func (w *world) sendUnchecked(t testing.TB, a apiRequest) *answer {
	t.Helper()
	if a.method == "" {
		a.method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(t.Context(), a.method, "http://127.0.0.1:8080/", strings.NewReader(a.body))
	if a.body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	// Clients may send paths that url.Parse refuses.
	address, err := url.ParseRequestURI(a.path)
	if err != nil {
		t.Fatal(err)
	}
	r.URL, r.RequestURI = address, a.path
	if a.host != "" {
		r.Host = a.host
	}
	if a.address != "" {
		r.RemoteAddr = a.address
	}
	if a.as != nobody {
		r.Header.Set("Authorization", "Bearer "+w.token(t, a.as))
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	response := recorder.Result()
	return &answer{Response: response, path: a.path, body: must(io.ReadAll(response.Body))}
}

// get sends a GET request without further options.
func (w *world) get(t testing.TB, as, path string) *answer {
	t.Helper()
	return w.send(t, apiRequest{as: as, path: path})
}

// ok sends a GET request, expects 200, and returns the JSON document.
func (w *world) ok(t testing.TB, as, path string) map[string]any {
	t.Helper()
	response := w.get(t, as, path)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s as %s: got %d %s", path, as, response.StatusCode, response.body)
	}
	return response.json(t)
}

func (a *answer) json(t testing.TB) (document map[string]any) {
	t.Helper()
	if err := json.Unmarshal(a.body, &document); err != nil {
		t.Fatalf("%v in %.300s", err, a.body)
	}
	return document
}

func (w *world) token(t testing.TB, client string) string {
	t.Helper()
	w.tokensMutex.Lock()
	defer w.tokensMutex.Unlock()
	if w.tokens[client] == "" {
		if behind := actors[client]; behind != "" {
			w.tokens[client] = logInAs(t, w.handler, behind, client)
		} else {
			w.tokens[client] = logIn(t, w.handler, client)
		}
	}
	return w.tokens[client]
}

// logIn requests a token for a client.
func logIn(t testing.TB, handler http.Handler, client string) string {
	t.Helper()
	return logInAs(t, handler, client, "")
}

// logInAs requests a token for a user, by the client's name for the user; "" requests one without a user.
func logInAs(t testing.TB, handler http.Handler, client, user string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if user != "" {
		r.Header.Set("Service-User-Id", user)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.Token == "" {
		t.Fatalf("no token for %s: %s", client, recorder.Body)
	}
	return answer.Token
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// check ends the test binary. It is for errors that only a wrong test can cause.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
