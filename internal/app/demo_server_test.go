package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
)

// play reports one event.
func (p *demoServer) play() apptest.Answer {
	return p.request("POST", "/v1/events/playback", `{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9}`,
		"Authorization", "Bearer "+p.token, "Content-Type", "application/json")
}

// findsCollections searches for collections by a word, and returns their number, or -1 without a response.
func (p *demoServer) findsCollections(word string) (apptest.Answer, int) {
	a := p.get("/v1/collections?size=10&query=" + word)
	var page struct{ Page struct{ TotalElements int } }
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &page) != nil {
		return a, -1
	}
	return a, page.Page.TotalElements
}

// awaitCollection waits until a search finds the collection with a word in its title.
func (p *demoServer) awaitCollection(word string) {
	p.Helper()
	apptest.Await(p, "a search finds the collection of "+word, func() bool { _, n := p.findsCollections(word); return n == 1 })
}

// makeCollection adds a collection of the operator and returns its ID.
func (p *demoServer) makeCollection(n int, word string) catalogue.ID {
	p.Helper()
	made, err := p.collectionStore().Create(p.Context(), operatorsCollection(n, word))
	if err != nil {
		p.Fatal(err)
	}
	return made.ID
}

// wantWarm verifies that videos and searches that were read before are still served.
func (p *demoServer) wantWarm(ids []string, search string) {
	p.Helper()
	for _, address := range addresses(ids) {
		a := p.want(http.StatusOK, p.get(address))
		if a.Took > 5*time.Second {
			p.Errorf("%s: too slow", a)
		}
	}
	p.wantAll(http.StatusOK, search, "/v1/", "/v1/channels", "/v1/subjects", "/healthz")
}

// wantPostponedSoon verifies that requests that need the store are refused with 503 soon, for several clients at once.
// Until the circuit breaker opens, some requests wait for the connection timeout; afterwards, none waits.
func (p *demoServer) wantPostponedSoon(ids []string) {
	p.Helper()
	const clients, each = 10, 4
	var slow atomic.Int64
	var asking sync.WaitGroup
	began := time.Now()
	for client := range clients {
		asking.Go(func() {
			for i := range each {
				path := "/v1/videos/" + ids[each*client+i]
				for _, a := range []apptest.Answer{p.get(path), p.get("/v1/feed/videos?size=3"), p.askToken()} {
					p.want(http.StatusServiceUnavailable, a)
					if a.Took > time.Second {
						slow.Add(1)
					}
					if a.Took > 15*time.Second {
						p.Errorf("%s: too long", a)
					}
				}
			}
		})
	}
	asking.Wait()
	const all = 3 * clients * each
	p.Logf("%d requests are postponed in %s, %d of them after more than a second", all, time.Since(began).Round(time.Millisecond), slow.Load())
	if slow.Load() > all/2 {
		p.Errorf("%d of %d requests are postponed after more than a second", slow.Load(), all)
	}
}

// in returns the demoServer for a subtest.
func (p *demoServer) in(t *testing.T) *demoServer {
	part := *p
	part.TB = t
	t.Cleanup(func() { p.fresh = part.fresh })
	return &part
}

// useEverything sends one request of each kind, each of which must succeed, and returns their number.
func (p *demoServer) useEverything() int {
	p.Helper()
	n := 60
	if testing.Short() {
		n = 30
	}
	for i := range n {
		p.want(http.StatusOK, p.get("/v1/videos/"+p.ids[i*len(p.ids)/n]))
		p.want(http.StatusOK, p.get(p.newQuestion()))
		p.wantPersisted(p.newQuestion())
	}
	p.feed()
	p.logIn()
	p.wantAll(http.StatusOK, "/v1/", "/v1/subjects", "/v1/disciplines", "/v1/channels", "/v1/suggestions?query=wat")
	return 3*n + 10
}

// wantPersisted sends an operation with its hash, and then the hash alone. Like clients, it sends the text again if the
// server has forgotten it.
func (p *demoServer) wantPersisted(name string) {
	p.Helper()
	text := "query { index { _x: __typename } # " + name + "\n}"
	hash := sha256.Sum256([]byte(text))
	extensions := fmt.Sprintf(`"extensions":{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hex.EncodeToString(hash[:]))
	whole := fmt.Sprintf(`{"query":%q,%s}`, text, extensions)
	for _, body := range []string{whole, "{" + extensions + "}"} {
		a := p.operate(body)
		if strings.Contains(string(a.Body), "PERSISTED_QUERY_NOT_FOUND") {
			a = p.operate(whole)
		}
		var answered struct{ Data, Errors any }
		if err := json.Unmarshal(a.Body, &answered); err != nil || answered.Data == nil || answered.Errors != nil || a.Status != http.StatusOK {
			p.Errorf("a persisted operation: %s", a)
		}
	}
}

func (p *demoServer) operate(body string) apptest.Answer {
	return p.request("POST", "/graphql", body, "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
}

// awaitHits reads all videos, which exceed the process's own cache, until Redis has some of them.
func (p *demoServer) awaitHits() {
	p.Helper()
	before := p.indexes.far.Stats().Hits
	apptest.Await(p, "Redis is used", func() bool { p.feed(); return p.indexes.far.Stats().Hits > before })
}

// tire makes clients hang up, then makes an engine slow, and repairs it. Each path that ask returns needs the engine.
func (p *demoServer) tire(link *testservers.Link, engine string, delay time.Duration, ask func() string) {
	p.Helper()
	const metric = "filmstrip_engine_breaker_open"
	warm := addresses(p.ids[:20])
	p.wantAll(http.StatusOK, warm...)
	p.wantAll(http.StatusOK, ask())

	began := time.Now()
	reported := func(what string) { p.Logf("%6s %s", time.Since(began).Round(time.Millisecond), what) }
	link.Slow(100 * time.Millisecond)
	for i := range 50 {
		p.hangUp(ask(), 20*time.Millisecond)
		if i%10 > 0 {
			continue
		}
		if open := p.gauge(metric, engine); open != "0" {
			p.Fatalf("callers hang up: %s is %q", metric, open)
		}
	}
	reported("50 callers have hung up")
	apptest.Await(p, "a caller who waits is answered", func() bool { return p.get(ask()).Status == http.StatusOK })

	reported("a caller who waits is answered")
	link.Restore()
	p.wantAll(http.StatusOK, warm...) // on a busy machine, what the process knows of these videos is old by now
	link.Slow(delay)
	var asking sync.WaitGroup
	for range 10 {
		path := ask()
		asking.Go(func() { p.want(http.StatusServiceUnavailable, p.get(path)) })
	}
	for _, path := range warm {
		if a := p.want(http.StatusOK, p.get(path)); a.Took > delay {
			p.Errorf("%s: it waits for %s", a, engine)
		}
	}
	asking.Wait()
	reported("ten questions are postponed")
	apptest.Await(p, "the breaker opens", func() bool {
		p.want(http.StatusServiceUnavailable, p.get(ask()))
		return p.gauge(metric, engine) == "1"
	})
	if a := p.want(http.StatusServiceUnavailable, p.get(ask())); a.Took > delay {
		p.Errorf("%s: %s is tried still", a, engine)
	}
	reported("the breaker is open")
	link.Restore()
	apptest.Await(p, "the breaker closes", func() bool { return p.get(ask()).Status == http.StatusOK && p.gauge(metric, engine) == "0" })
	reported("the breaker is closed")
	p.awaitReadiness(stateUp, nil)
	reported("all is well")
}

// awaitInMemory sends requests until the process answers from its own cache, which is so small in this test that it
// keeps only frequently requested responses.
func (p *demoServer) awaitInMemory(paths ...string) {
	p.Helper()
	asked := func() int64 {
		s := p.indexes.far.Stats()
		return s.Hits + s.Misses
	}
	apptest.Await(p, "the process remembers", func() bool {
		before := asked()
		p.wantAll(http.StatusOK, paths...)
		return asked() == before
	})
}

// demoServer is a demo service in this process, whose engines a test disturbs one after the other.
type demoServer struct {
	testing.TB
	*App
	token string
	ids   []string // the videos in the feed
	log   *logBuffer
	fresh int // the number of the last new query
}

// admit opens a service, fills its catalogue with generated videos if it is empty, and waits until searches cover the whole catalogue. It
// also waits for the fallback, if there is one.
func admit(t *testing.T, args ...string) *demoServer {
	t.Helper()
	p := admitAsItIs(t, args...)
	fillGenerated(t, p.catalogue)
	apptest.Await(p, "everything can be searched for", func() bool { return p.caughtUp(t.Context()) })
	if fallback := p.indexes.fallback; fallback != nil {
		apptest.Await(p, "the fallback is ready", func() bool { return fallback.Ready() && fallback.Lag() == 0 })
	}
	p.logIn()
	p.ids = p.feed()
	if len(p.ids) < 900 {
		t.Fatalf("the feed shows %d videos", len(p.ids))
	}
	return p
}

// admitDemo opens a service on the demo's catalogue and waits until searches cover it.
func admitDemo(t *testing.T, args ...string) *demoServer {
	t.Helper()
	p := admitAsItIs(t, args...)
	if err := p.fillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	apptest.Await(p, "everything can be searched for", func() bool { return p.caughtUp(t.Context()) })
	p.logIn()
	return p
}

// fillGenerated imports 1,000 generated videos into an empty catalogue. Their documents exceed the memory of small caches.
func fillGenerated(t *testing.T, to store.Catalogue) {
	t.Helper()
	if n, err := to.CountVideos(t.Context()); err != nil || n > 0 {
		apptest.Must(n, err)(t)
		return
	}
	lines, writer := io.Pipe()
	go func() {
		writer.CloseWithError(generate.Write(writer, generate.Options{Videos: 1000, Seed: 1, TranscriptWords: 120, Material: true}))
	}()
	input := importer.Input{Name: "generated", Size: -1, Open: func() (io.ReadCloser, error) { return lines, nil }}
	summary, err := importer.Run(t.Context(), to, importer.Options{Inputs: []importer.Input{input}})
	if err != nil || summary.Rejected > 0 {
		t.Fatalf("%d lines are rejected (%v)", summary.Rejected, err)
	}
}

// admitAsItIs opens a service whose engines may be unavailable.
func admitAsItIs(t *testing.T, args ...string) *demoServer {
	t.Helper()
	settings := apptest.Must(parseSettings(t, append([]string{"--demo"}, args...)...))(t)
	cleanUp := apptest.Must(settings.prepare())(t)
	t.Cleanup(cleanUp)
	p := &demoServer{TB: t, log: &logBuffer{}}
	p.App = apptest.Must(Open(t.Context(), settings, settings.logger(p.log)))(t)
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the service wrote:\n%s", apptest.LastLines(p.log.String(), 60))
		}
	})
	return p
}

func (p *demoServer) request(method, path, body string, header ...string) apptest.Answer {
	began := time.Now()
	got := send(p.App, method, path, body, header...)
	return apptest.Answer{Request: method + " " + path, Status: got.Code, RetryAfter: got.Header().Get("Retry-After"), Body: got.Body.Bytes(), Took: time.Since(began)}
}

func (p *demoServer) get(path string) apptest.Answer {
	return p.request("GET", path, "", "Authorization", "Bearer "+p.token)
}

// want verifies the status of a response. A response with status 503 must have the error body and Retry-After.
func (p *demoServer) want(status int, a apptest.Answer) apptest.Answer {
	p.Helper()
	if a.Status != status {
		p.Errorf("%s, want %d", a, status)
	}
	if a.Status == http.StatusServiceUnavailable {
		p.wantPostponed(a)
	}
	return a
}

func (p *demoServer) wantPostponed(a apptest.Answer) {
	p.Helper()
	var body struct {
		Error, Message, Path string
		Status               int
	}
	err := json.Unmarshal(a.Body, &body)
	if err != nil || a.RetryAfter == "" || body.Status != a.Status || body.Error == "" || body.Message == "" || body.Path == "" {
		p.Errorf("%s, Retry-After %q: no error body of 503", a, a.RetryAfter)
	}
}

// wantAll verifies the status of several paths.
func (p *demoServer) wantAll(status int, paths ...string) {
	p.Helper()
	for _, path := range paths {
		p.want(status, p.get(path))
	}
}

// askToken requests a new token.
func (p *demoServer) askToken() apptest.Answer {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.OperatorAccount}, "client_secret": {demo.Secret}}
	return p.request("POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

func (p *demoServer) logIn() {
	p.Helper()
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(p.want(http.StatusOK, p.askToken()).Body, &token); err != nil || token.Access == "" {
		p.Fatalf("no token: %v", err)
	}
	p.token = token.Access
}

// feed reads the whole feed and returns the IDs of its videos.
func (p *demoServer) feed() (ids []string) {
	p.Helper()
	for path := "/v1/feed/videos?size=500"; path != ""; {
		var page struct {
			Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
			Links    struct{ Next struct{ Href string } }   `json:"_links"`
		}
		if err := json.Unmarshal(p.want(http.StatusOK, p.get(path)).Body, &page); err != nil {
			p.Fatal(err)
		}
		for _, video := range page.Embedded.Videos {
			ids = append(ids, video.ID)
		}
		_, path, _ = strings.Cut(page.Links.Next.Href, "/v1/")
		if path != "" {
			path = "/v1/" + path
		}
	}
	return ids
}

// newQuestion returns the path of a search that no client has sent before.
func (p *demoServer) newQuestion() string {
	p.fresh++
	return fmt.Sprintf("/v1/videos?size=3&query=water+%d", p.fresh)
}

// finds reports whether a phrase search for a title finds only the video with that title.
func (p *demoServer) finds(title string) bool {
	titles, _ := found(p.get("/v1/videos?size=5&query=" + url.QueryEscape(`"`+title+`"`)))
	return slices.Equal(titles, []string{title})
}

// shows reports whether a video, read by ID, has a title.
func (p *demoServer) shows(id, title string) bool {
	var video struct{ Title string }
	a := p.get("/v1/videos/" + id)
	return a.Status == http.StatusOK && json.Unmarshal(a.Body, &video) == nil && video.Title == title
}

// readiness compares /readyz with the expected state of the service and of some of its engines.
func (p *demoServer) readiness(status string, engines map[string]string) error {
	a := p.request("GET", "/readyz", "")
	var body struct {
		Status  any
		Engines map[string]engineState
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return err
	}
	code, said := http.StatusOK, any(status)
	if status == stateDown {
		code, said = http.StatusServiceUnavailable, float64(http.StatusServiceUnavailable)
	}
	if a.Status != code || body.Status != said {
		return fmt.Errorf("%s, want it %s", a, status)
	}
	for role, state := range engines {
		if body.Engines[role].Status != state {
			return fmt.Errorf("%s, want %s %s", a, role, state)
		}
	}
	return nil
}

// awaitReadiness waits for a state, because /readyz may lag a little behind.
func (p *demoServer) awaitReadiness(status string, engines map[string]string) {
	p.Helper()
	var last error
	if !apptest.Within(30*time.Second, func() bool { last = p.readiness(status, engines); return last == nil }) {
		p.Error(last)
	}
}

// hangUp sends a request and closes the connection before the response.
func (p *demoServer) hangUp(path string, after time.Duration) {
	ctx, cancel := context.WithTimeout(p.Context(), after)
	defer cancel()
	request := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:8080"+path, nil)
	request.Header.Set("Authorization", "Bearer "+p.token)
	p.handler.ServeHTTP(httptest.NewRecorder(), request)
}

// gauge reads a metric that has at most the label of an engine.
func (p *demoServer) gauge(name, engine string) string {
	recorder := httptest.NewRecorder()
	p.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	_, rest, _ := strings.Cut(recorder.Body.String(), fmt.Sprintf("\n%s{engine=%q} ", name, engine))
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// awaitSearchAway waits until a new query is refused with 503. Until then, each response must be complete.
func (p *demoServer) awaitSearchAway(videos int) {
	p.Helper()
	apptest.Await(p, "searches are postponed", func() bool { return p.searchWhole(videos) == http.StatusServiceUnavailable })
}

// awaitSearch waits until searches succeed. Until then, they are refused with 503, and no response is incomplete.
func (p *demoServer) awaitSearch(videos int) {
	p.Helper()
	apptest.Await(p, "searches are answered", func() bool { return p.searchWhole(videos) == http.StatusOK })
}

// searchWhole searches for all videos with a new query. A successful response must find at least the given number of
// videos.
func (p *demoServer) searchWhole(videos int) (status int) {
	p.Helper()
	p.fresh++
	a := p.get(fmt.Sprintf("/v1/videos?size=1&page=%d", p.fresh%9000))
	if a.Status != http.StatusServiceUnavailable {
		p.want(http.StatusOK, a)
		if _, total := found(a); total < videos {
			p.Errorf("%d videos are found, there are %d", total, videos)
		}
	} else {
		p.wantPostponed(a)
	}
	return a.Status
}

func operatorsCollection(n int, word string) *collection.Collection {
	return &collection.Collection{
		ID: catalogue.ID(fmt.Sprintf("%024x", 0xc0111ec7+n)), Account: demo.Account, Service: true, Title: "About " + word,
		Discoverable: true, Anyone: collection.ViewOnly,
	}
}

// addresses returns the paths of videos.
func addresses(ids []string) (paths []string) {
	for _, id := range ids {
		paths = append(paths, "/v1/videos/"+id)
	}
	return paths
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *logBuffer) String() string { j.mu.Lock(); defer j.mu.Unlock(); return j.text.String() }

// found returns the result of a search: the titles of the first page and the total.
func found(a apptest.Answer) (titles []string, total int) {
	var page struct {
		Embedded struct{ Videos []struct{ Title string } } `json:"_embedded"`
		Page     struct{ TotalElements int }
	}
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &page) != nil {
		return nil, -1
	}
	for _, video := range page.Embedded.Videos {
		titles = append(titles, video.Title)
	}
	return titles, page.Page.TotalElements
}
