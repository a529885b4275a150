package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// patient is a service of the demo within this process, from whose engines a test takes one after
// another.
type patient struct {
	testing.TB
	*service
	token string
	ids   []string // of the videos that the feed shows
	log   *journal
	fresh int // the number of the last question that was never asked before
}

// journal is a log that may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string { j.mu.Lock(); defer j.mu.Unlock(); return j.text.String() }

// admit opens a service, fills its catalogue if that is empty, and waits until searches show all of it, and
// would without Typesense where there is a fallback.
func admit(t *testing.T, args ...string) *patient {
	t.Helper()
	p := admitAsItIs(t, args...)
	if err := p.prepareDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitFor(p, "everything can be searched for", func() bool { return p.caughtUp(t.Context()) })
	if fallback := p.derived.fallback; fallback != nil {
		awaitFor(p, "the fallback is there", func() bool { return fallback.Ready() && fallback.Lag() == 0 })
	}
	p.logIn()
	p.ids = p.feed()
	if len(p.ids) < 900 {
		t.Fatalf("the feed shows %d videos", len(p.ids))
	}
	return p
}

// admitAsItIs opens a service whose engines may be away.
func admitAsItIs(t *testing.T, args ...string) *patient {
	t.Helper()
	settings := must(parse(t, nil, append([]string{"--demo"}, args...)...))(t)
	cleanUp := must(settings.prepare())(t)
	t.Cleanup(cleanUp)
	p := &patient{TB: t, log: &journal{}}
	p.service = must(openService(t.Context(), settings, settings.logger(console{err: p.log})))(t)
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the service wrote:\n%s", lastLines(p.log.String(), 60))
		}
	})
	return p
}

// answer is how a request was answered.
type answer struct {
	request    string
	status     int
	retryAfter string
	body       []byte
	took       time.Duration
}

func (a answer) String() string {
	return fmt.Sprintf("%s: %d after %s: %.300s", a.request, a.status, a.took.Round(time.Millisecond), a.body)
}

func (p *patient) request(method, path, body string, header ...string) answer {
	began := time.Now()
	got := send(p.service, method, path, body, header...)
	return answer{method + " " + path, got.Code, got.Header().Get("Retry-After"), got.Body.Bytes(), time.Since(began)}
}

func (p *patient) get(path string) answer {
	return p.request("GET", path, "", "Authorization", "Bearer "+p.token)
}

// want holds an answer against a status; one of 503 has the error body, and says when to come again.
func (p *patient) want(status int, a answer) answer {
	p.Helper()
	if a.status != status {
		p.Errorf("%s, want %d", a, status)
	}
	if a.status == http.StatusServiceUnavailable {
		p.wantPostponed(a)
	}
	return a
}

func (p *patient) wantPostponed(a answer) {
	p.Helper()
	var body struct {
		Error, Message, Path string
		Status               int
	}
	err := json.Unmarshal(a.body, &body)
	if err != nil || a.retryAfter == "" || body.Status != a.status || body.Error == "" || body.Message == "" || body.Path == "" {
		p.Errorf("%s, Retry-After %q: no error body of 503", a, a.retryAfter)
	}
}

// wantAll asks for several paths.
func (p *patient) wantAll(status int, paths ...string) {
	p.Helper()
	for _, path := range paths {
		p.want(status, p.get(path))
	}
}

// askToken asks for a new token.
func (p *patient) askToken() answer {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demoOperator}, "client_secret": {demoSecret}}
	return p.request("POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

func (p *patient) logIn() {
	p.Helper()
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(p.want(http.StatusOK, p.askToken()).body, &token); err != nil || token.Access == "" {
		p.Fatalf("no token: %v", err)
	}
	p.token = token.Access
}

// feed walks through the feed and returns the ids of its videos.
func (p *patient) feed() (ids []string) {
	p.Helper()
	for path := "/v1/feed/videos?size=500"; path != ""; {
		var page struct {
			Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
			Links    struct{ Next struct{ Href string } }   `json:"_links"`
		}
		if err := json.Unmarshal(p.want(http.StatusOK, p.get(path)).body, &page); err != nil {
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
func (p *patient) newQuestion() string {
	p.fresh++
	return fmt.Sprintf("/v1/videos?size=3&query=water+%d", p.fresh)
}

// found is what a search finds: the titles of the first page, and how many there are in all.
func found(a answer) (titles []string, total int) {
	var page struct {
		Embedded struct{ Videos []struct{ Title string } } `json:"_embedded"`
		Page     struct{ TotalElements int }
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &page) != nil {
		return nil, -1
	}
	for _, video := range page.Embedded.Videos {
		titles = append(titles, video.Title)
	}
	return titles, page.Page.TotalElements
}

// finds reports whether a search for a title, as a phrase, finds it and nothing else.
func (p *patient) finds(title string) bool {
	titles, _ := found(p.get("/v1/videos?size=5&query=" + url.QueryEscape(`"`+title+`"`)))
	return slices.Equal(titles, []string{title})
}

// shows reports whether a video has a title, read by its id.
func (p *patient) shows(id, title string) bool {
	var video struct{ Title string }
	a := p.get("/v1/videos/" + id)
	return a.status == http.StatusOK && json.Unmarshal(a.body, &video) == nil && video.Title == title
}

// readiness holds /readyz against a state of the service and of some of its engines.
func (p *patient) readiness(status string, engines map[string]string) error {
	a := p.request("GET", "/readyz", "")
	var body struct {
		Status  any
		Engines map[string]engineState
	}
	if err := json.Unmarshal(a.body, &body); err != nil {
		return err
	}
	code, said := http.StatusOK, any(status)
	if status == stateDown {
		code, said = http.StatusServiceUnavailable, float64(http.StatusServiceUnavailable)
	}
	if a.status != code || body.Status != said {
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
func (p *patient) awaitReadiness(status string, engines map[string]string) {
	p.Helper()
	var last error
	if !within(30*time.Second, func() bool { last = p.readiness(status, engines); return last == nil }) {
		p.Error(last)
	}
}

// outage is a way in which an engine is away.
type outage struct {
	name       string
	away, back func()
}

// outagesOf are the ways in which a server is away that is reached through a link. In short mode these
// are one that is noticed at once, and one that has to be waited for.
func outagesOf(server *testservers.Server, link *testservers.Link) []outage {
	all := []outage{
		{"killed", server.Kill, server.Start},
		{"paused", server.Pause, server.Resume},
		{"cut off", link.Sever, link.Mend},
	}
	if testing.Short() {
		return all[:2]
	}
	return all
}

// hangUp sends a request and does not wait for its answer.
func (p *patient) hangUp(path string, after time.Duration) {
	ctx, cancel := context.WithTimeout(p.Context(), after)
	defer cancel()
	request := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:8080"+path, nil)
	request.Header.Set("Authorization", "Bearer "+p.token)
	p.handler.ServeHTTP(httptest.NewRecorder(), request)
}

// gauge reads a metric without labels but for the engine's name.
func (p *patient) gauge(name, engine string) string {
	recorder := httptest.NewRecorder()
	p.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	_, rest, _ := strings.Cut(recorder.Body.String(), fmt.Sprintf("\n%s{engine=%q} ", name, engine))
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// through is the address of a server as it is reached through a link.
func through(t testing.TB, server *testservers.Server, link *testservers.Link) string {
	t.Helper()
	address := must(url.Parse(server.URL))(t)
	address.Host = link.Addr
	return address.String()
}
