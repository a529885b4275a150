package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/tools/internal/program"
	"github.com/filmstrip/filmstrip/tools/internal/searches"
)

// kind is one kind of request.
type kind struct {
	name string
	// perSecond is the rate of all clients together.
	perSecond float64
	clients   int
	// burst limits the requests to every tenth minute, from the second on.
	burst bool
	// next returns a request, without its token.
	next func(r *rand.Rand) request
}

// request is a request with the status of its answer. Its client is the operator or the customer.
type request struct {
	program.Request
	operator bool
	status   int
}

func get(path string) request {
	return request{Request: program.Request{Method: http.MethodGet, Path: path}, status: http.StatusOK}
}

// load sends requests.
type load struct {
	base   string
	seed   uint64
	client *http.Client
	report *report

	customer, operator atomic.Pointer[string] // tokens
	videos             []string               // IDs
	feed               []string               // paths of the pages of the feed
	popular            []string               // paths of searches that many clients send
	fresh              []string               // paths of searches that are sent once
}

// kinds returns all kinds of requests, at a share of their usual rates.
func (l *load) kinds(share float64) []kind {
	zipf := func(r *rand.Rand, n int) int { return int(float64(n) * r.Float64() * r.Float64() * r.Float64()) }
	post := func(path, contentType string, body []byte, status int) request {
		return request{Request: program.Request{Method: http.MethodPost, Path: path, ContentType: contentType, Body: body}, status: status}
	}
	var fresh, page, compressed, burst atomic.Int64
	feed := func(place *atomic.Int64, compress bool) request {
		found := get(l.feed[int(place.Add(1))%len(l.feed)])
		found.Compressed = compress
		return found
	}
	lists := []string{"/v1/channels?size=1000", "/v1/subjects", "/v1/tags", "/v1/countries", "/v1/disciplines", "/v1/feed/removed-videos", "/v1/videos?size=500"}
	kinds := []kind{
		{"video", 60, 4, false, func(r *rand.Rand) request {
			found := get("/v1/videos/" + l.videos[zipf(r, len(l.videos))])
			found.Compressed = r.IntN(2) == 0
			return found
		}},
		{"search, cached", 20, 2, false, func(r *rand.Rand) request {
			found := get(l.popular[zipf(r, len(l.popular))])
			found.Compressed = r.IntN(2) == 0
			return found
		}},
		{"search, not cached", 8, 4, false, func(*rand.Rand) request { return get(l.fresh[int(fresh.Add(1))%len(l.fresh)]) }},
		{"feed page", 1, 2, false, func(*rand.Rand) request { return feed(&page, false) }},
		{"feed page, gzip", 1, 2, false, func(*rand.Rand) request { return feed(&compressed, true) }},
		{"feed page, in a burst", 4, 8, true, func(r *rand.Rand) request { return feed(&burst, r.IntN(2) == 0) }},
		{"list", 3, 2, false, func(r *rand.Rand) request {
			found := get(lists[r.IntN(len(lists))])
			found.Compressed = r.IntN(2) == 0
			return found
		}},
		{"dashboard", 2, 2, false, func(r *rand.Rand) request { return l.graphQL(dashboards[r.IntN(len(dashboards))]) }},
		{"edit", 0.5, 1, false, func(r *rand.Rand) request {
			return l.graphQL(fmt.Sprintf(`mutation { updateVideo(id: %q, input: {keywords: ["soak", "number %d"]}) { id version } }`, l.videos[r.IntN(len(l.videos))], r.IntN(1000)))
		}},
		{"play", 30, 2, false, func(r *rand.Rand) request {
			return post("/v1/events/playback", "application/json", l.plays(r, 0), http.StatusCreated)
		}},
		{"500 plays", 1, 2, false, func(r *rand.Rand) request {
			return post("/v1/events/playback/batch", "application/json", l.plays(r, 500), http.StatusCreated)
		}},
		{"token", 1, 1, false, func(*rand.Rand) request {
			return post("/v1/token", "application/x-www-form-urlencoded", form(customer), http.StatusOK)
		}},
	}
	for i := range kinds {
		kinds[i].perSecond *= share
	}
	return kinds
}

// dashboards are queries of the console.
var dashboards = func() []string {
	year := time.Now().UTC().Truncate(time.Hour)
	period := fmt.Sprintf(`from: %q, to: %q`, year.AddDate(0, -1, 0).Format(time.RFC3339), year.Add(time.Hour).Format(time.RFC3339))
	return []string{
		`{ listedVideos(size: 1) { total } accounts(first: 10) { nodes { operator } } usage(` + period + `, first: 1) { total { plays } } }`,
		`{ usage(` + period + `, interval: DAY, first: 1000) { asOf total { plays seconds users videos } rows { from plays seconds } } }`,
		`{ usage(` + period + `, by: [VIDEO], orderBy: PLAYS, first: 10) { rows { video videoTitle plays seconds } } }`,
		`{ usage(` + period + `, by: [SUBJECT]) { rows { plays seconds users } } }`,
		`{ listedVideos(state: ALL, sortBy: TITLE, size: 50, facets: { channels: true, educationLevels: true }) { total videos { hidden missing video { id title updatedAt subjects { name } } } facets { subjects { id name hits } channels { id name hits } languages { key name hits } } } }`,
		`{ catalogueAuditLog(first: 50) { nodes { number at client kind id before after } } }`,
		`{ searchVideos(query: "water", size: 100) { total videos { id title description playback { duration } subjects { name } channel { name } } } }`,
	}
}()

func (l *load) graphQL(query string) request {
	body, _ := json.Marshal(map[string]string{"query": query})
	sent := program.Request{Method: http.MethodPost, Path: "/graphql", ContentType: "application/json", Body: body}
	return request{Request: sent, operator: true, status: http.StatusOK}
}

// plays returns a batch of n plays, or for 0 a single one.
func (l *load) plays(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for i := range max(n, 1) {
		if i > 0 {
			b.WriteByte(',')
		}
		start := r.IntN(60)
		fmt.Fprintf(&b, `{"videoId":%q,"segmentStartSeconds":%d,"segmentEndSeconds":%d,"captureTime":%q}`,
			l.videos[r.IntN(len(l.videos))], start, start+1+r.IntN(60), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if n == 0 {
		return b.Bytes()
	}
	return fmt.Appendf(nil, "[%s]", b.Bytes())
}

// The clients of the demo.
const (
	customer = "demo"
	operator = "demo-operator"
)

func form(client string) []byte {
	return []byte(url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {"demo-secret"}}.Encode())
}

// prepare obtains tokens, walks the feed once and draws searches.
func (l *load) prepare(ctx context.Context, s settings) error {
	if err := l.renew(ctx); err != nil {
		return err
	}
	for path := "/v1/feed/videos?size=1000"; path != ""; {
		l.feed = append(l.feed, path)
		text, err := l.send(ctx, get(path))
		if err != nil {
			return err
		}
		var page struct {
			Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
			Links    struct{ Next struct{ Href string } }   `json:"_links"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return err
		}
		for _, video := range page.Embedded.Videos {
			l.videos = append(l.videos, video.ID)
		}
		if path = strings.TrimPrefix(page.Links.Next.Href, l.base); len(page.Embedded.Videos) == 0 {
			path = ""
		}
	}
	if len(l.videos) == 0 {
		return errors.New("the feed shows no video")
	}
	known := map[string]bool{}
	for _, query := range generate.Queries(s.seed+1, 50_000, generate.Options{Videos: s.videos, Seed: s.seed}) {
		if path := searches.Path(&query, 100); len(query.Filter.Tags) == 0 && !known[path] { // clients filter tags by label
			known[path] = true
			l.fresh = append(l.fresh, path)
		}
	}
	l.popular, l.fresh = l.fresh[:100], l.fresh[100:]
	return nil
}

// renew obtains tokens.
func (l *load) renew(ctx context.Context) error {
	for client, into := range map[string]*atomic.Pointer[string]{customer: &l.customer, operator: &l.operator} {
		token, err := program.Token(ctx, l.client, l.base, client, "demo-secret")
		if err != nil {
			return err
		}
		into.Store(&token)
	}
	return nil
}

// withToken returns the request with the token of its client.
func (l *load) withToken(r request) *program.Request {
	if r.Token = *l.customer.Load(); r.operator {
		r.Token = *l.operator.Load()
	}
	if r.Path == "/v1/token" {
		r.Token = ""
	}
	return &r.Request
}

// send sends a request and returns its answer, which must have the status of the request and no errors of GraphQL.
func (l *load) send(ctx context.Context, r request) ([]byte, error) {
	answer, err := l.withToken(r).Send(ctx, l.client, l.base)
	if err == nil && (answer.Status != r.status || r.Path == "/graphql" && bytes.Contains(answer.Body, []byte(`"errors"`))) {
		err = fmt.Errorf("%s %s: %d: %.300s", r.Method, r.Path, answer.Status, answer.Body)
	}
	return answer.Body, err
}

// run sends all kinds of requests until the context ends. bursting reports whether the time of a burst is now.
func (l *load) run(ctx context.Context, kinds []kind, bursting func() bool) {
	var running sync.WaitGroup
	for i := range kinds {
		for n := range kinds[i].clients {
			running.Go(func() { l.sendAll(ctx, &kinds[i], rand.New(rand.NewPCG(l.seed, uint64(100*i+n))), bursting) })
		}
	}
	running.Go(func() { l.watch(ctx) })
	running.Wait()
}

func (l *load) sendAll(ctx context.Context, k *kind, r *rand.Rand, bursting func() bool) {
	pause := time.Duration(float64(k.clients) / k.perSecond * float64(time.Second))
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Duration(r.Float64() * float64(pause))):
	}
	due := time.NewTicker(pause)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		}
		if k.burst && !bursting() {
			continue
		}
		next := k.next(r)
		begun := time.Now()
		if _, err := l.send(ctx, next); ctx.Err() == nil {
			l.report.add(k.name, time.Since(begun), err)
		}
	}
}

// watch keeps a subscription to all events open, and opens it again every ten minutes, while its token is valid.
func (l *load) watch(ctx context.Context) {
	subscription := l.graphQL(`subscription { events { at videoId } }`)
	client := &http.Client{}
	for ctx.Err() == nil {
		err := func() error {
			some, cancel := context.WithTimeout(ctx, 10*time.Minute)
			defer cancel()
			sent, err := l.withToken(subscription).New(some, l.base)
			if err != nil {
				return err
			}
			sent.Header.Set("Accept", "text/event-stream")
			response, err := client.Do(sent)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			events := 0
			buffer := make([]byte, 64<<10)
			for {
				n, err := response.Body.Read(buffer)
				if events += bytes.Count(buffer[:n], []byte("event: next")); err != nil {
					if some.Err() != nil && events > 0 {
						return nil
					}
					return fmt.Errorf("the subscription ended after %d events: %s %w", events, response.Status, err)
				}
			}
		}()
		if err != nil && ctx.Err() == nil {
			l.report.add("subscription", 0, err)
			time.Sleep(time.Second) // the error counts; do not repeat it a thousand times
		}
	}
}

// names returns the names of kinds in their order.
func names(kinds []kind) []string {
	all := make([]string, len(kinds))
	for i := range kinds {
		all[i] = kinds[i].name
	}
	return slices.Clip(all)
}
