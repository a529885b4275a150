package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// play hands in one event.
func (p *demoServer) play() apptest.Answer {
	return p.request("POST", "/v1/events/playback", `{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9}`,
		"Authorization", "Bearer "+p.token, "Content-Type", "application/json")
}

// findsCollections asks for collections by a word, and returns how many there are, -1 where there is no answer.
func (p *demoServer) findsCollections(word string) (apptest.Answer, int) {
	a := p.get("/v1/collections?size=10&query=" + word)
	var page struct{ Page struct{ TotalElements int } }
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &page) != nil {
		return a, -1
	}
	return a, page.Page.TotalElements
}

// awaitCollection waits until a search finds the one collection that has a word in its title.
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

// wantWarm wants what was read before to be read on.
func (p *demoServer) wantWarm(ids []string, search string) {
	p.Helper()
	for _, address := range addresses(ids) {
		a := p.want(http.StatusOK, p.get(address))
		if a.Took > 5*time.Second {
			p.Errorf("%s: nobody has to be waited for", a)
		}
	}
	p.wantAll(http.StatusOK, search, "/v1/", "/v1/channels", "/v1/subjects", "/healthz")
}

// wantPostponedSoon wants what needs the store to be postponed, for several clients at once. Before its
// breaker opens some wait as long as it takes to connect; then they wait for nothing.
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

// in is the demoServer for a part of a test.
func (p *demoServer) in(t *testing.T) *demoServer {
	part := *p
	part.TB = t
	t.Cleanup(func() { p.fresh = part.fresh })
	return &part
}

// useEverything asks for one thing after the other, wants each answered, and returns how many it were.
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

// wantPersisted sends an operation with its hash, and then the hash alone; as clients do, it sends the
// text again where it was forgotten.
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

// awaitHits reads all videos, more than the process remembers by itself, until Redis has some of them.
func (p *demoServer) awaitHits() {
	p.Helper()
	before := p.indexes.far.Stats().Hits
	apptest.Await(p, "Redis is used", func() bool { p.feed(); return p.indexes.far.Stats().Hits > before })
}

// tire lets clients hang up, then makes an engine slow, and mends it. Each address that ask makes needs
// the engine.
func (p *demoServer) tire(link *testservers.Link, engine string, delay time.Duration, ask func() string) {
	p.Helper()
	const metric = "filmstrip_engine_breaker_open"
	warm := addresses(p.ids[:20])
	p.wantAll(http.StatusOK, warm...)
	p.wantAll(http.StatusOK, ask())

	began := time.Now()
	told := func(what string) { p.Logf("%6s %s", time.Since(began).Round(time.Millisecond), what) }
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
	told("50 callers have hung up")
	apptest.Await(p, "a caller who waits is answered", func() bool { return p.get(ask()).Status == http.StatusOK })

	told("a caller who waits is answered")
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
	told("ten questions are postponed")
	apptest.Await(p, "the breaker opens", func() bool {
		p.want(http.StatusServiceUnavailable, p.get(ask()))
		return p.gauge(metric, engine) == "1"
	})
	if a := p.want(http.StatusServiceUnavailable, p.get(ask())); a.Took > delay {
		p.Errorf("%s: %s is tried still", a, engine)
	}
	told("the breaker is open")
	link.Mend()
	apptest.Await(p, "the breaker closes", func() bool { return p.get(ask()).Status == http.StatusOK && p.gauge(metric, engine) == "0" })
	told("the breaker is closed")
	p.awaitReadiness(stateUp, nil)
	told("all is well")
}

// awaitInMemory asks until the process answers by itself: memory as small as it is here keeps what is asked for
// often.
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

// demoServer is a service of the demo within this process, from whose engines a test takes one after
// another.
type demoServer struct {
	testing.TB
	*App
	token string
	ids   []string // of the videos that the feed shows
	log   *logBuffer
	fresh int // the number of the last question that was never asked before
}

// admit opens a service, fills its catalogue if that is empty, and waits until searches show all of it, and
// would without Typesense where there is a fallback.
func admit(t *testing.T, args ...string) *demoServer {
	t.Helper()
	p := admitAsItIs(t, args...)
	if err := demo.FillCatalogue(t.Context(), p.catalogue); err != nil {
		t.Fatal(err)
	}
	apptest.Await(p, "everything can be searched for", func() bool { return p.caughtUp(t.Context()) })
	if fallback := p.indexes.fallback; fallback != nil {
		apptest.Await(p, "the fallback is there", func() bool { return fallback.Ready() && fallback.Lag() == 0 })
	}
	p.logIn()
	p.ids = p.feed()
	if len(p.ids) < 900 {
		t.Fatalf("the feed shows %d videos", len(p.ids))
	}
	return p
}

// admitAsItIs opens a service whose engines may be away.
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

// want holds an answer against a status; one of 503 has the error body, and says when to come again.
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

// wantAll asks for several paths.
func (p *demoServer) wantAll(status int, paths ...string) {
	p.Helper()
	for _, path := range paths {
		p.want(status, p.get(path))
	}
}

// askToken asks for a new token.
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

// feed walks through the feed and returns the ids of its videos.
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

// newQuestion is a search that nobody has asked before.
func (p *demoServer) newQuestion() string {
	p.fresh++
	return fmt.Sprintf("/v1/videos?size=3&query=water+%d", p.fresh)
}

// finds reports whether a search for a title, as a phrase, finds it and nothing else.
func (p *demoServer) finds(title string) bool {
	titles, _ := found(p.get("/v1/videos?size=5&query=" + url.QueryEscape(`"`+title+`"`)))
	return slices.Equal(titles, []string{title})
}

// shows reports whether a video has a title, read by its id.
func (p *demoServer) shows(id, title string) bool {
	var video struct{ Title string }
	a := p.get("/v1/videos/" + id)
	return a.Status == http.StatusOK && json.Unmarshal(a.Body, &video) == nil && video.Title == title
}

// readiness holds /readyz against a state of the service and of some of its engines.
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

// awaitReadiness waits for a state: what /readyz says may come a little after what happens.
func (p *demoServer) awaitReadiness(status string, engines map[string]string) {
	p.Helper()
	var last error
	if !apptest.Within(30*time.Second, func() bool { last = p.readiness(status, engines); return last == nil }) {
		p.Error(last)
	}
}

// hangUp sends a request and does not wait for its answer.
func (p *demoServer) hangUp(path string, after time.Duration) {
	ctx, cancel := context.WithTimeout(p.Context(), after)
	defer cancel()
	request := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:8080"+path, nil)
	request.Header.Set("Authorization", "Bearer "+p.token)
	p.handler.ServeHTTP(httptest.NewRecorder(), request)
}

// gauge reads a metric without labels but for the engine's name.
func (p *demoServer) gauge(name, engine string) string {
	recorder := httptest.NewRecorder()
	p.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	_, rest, _ := strings.Cut(recorder.Body.String(), fmt.Sprintf("\n%s{engine=%q} ", name, engine))
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// awaitSearchAway waits until a question that was not asked before is postponed. Until then it is
// answered in full.
func (p *demoServer) awaitSearchAway(videos int) {
	p.Helper()
	apptest.Await(p, "searches are postponed", func() bool { return p.searchWhole(videos) == http.StatusServiceUnavailable })
}

// awaitSearch waits until searches are answered. Until then they are postponed, and never answered in
// part.
func (p *demoServer) awaitSearch(videos int) {
	p.Helper()
	apptest.Await(p, "searches are answered", func() bool { return p.searchWhole(videos) == http.StatusOK })
}

// searchWhole asks for everything in a way that was not asked before, and wants at least so many videos
// if it is answered.
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

// addresses are those of videos.
func addresses(ids []string) (paths []string) {
	for _, id := range ids {
		paths = append(paths, "/v1/videos/"+id)
	}
	return paths
}

// logBuffer is a log that may be read while it is written.
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

// found is what a search finds: the titles of the first page, and how many there are in all.
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
