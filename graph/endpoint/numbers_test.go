package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// endless maps queries with a number that is too large to the number that the error must name.
var endless = map[string]string{
	`{ usage(from: 1e400, to: "2026-01-01T00:00:00Z") { count } }`:                                                   "1e400",
	`{ usage(from: -9223372036854775809, to: 1e400) { count } }`:                                                     "-9223372036854775809",
	`mutation { recordPlayback(event: {videoId: "1", segmentStartSeconds: 0, segmentEndSeconds: 1e400}) }`:           "1e400",
	`mutation { recordPlayback(event: {x: [{y: 99999999999999999999}], videoId: "1"}) }`:                             "99999999999999999999",
	`query($f: [DurationRange!] = [{min: 9223372036854775808}]) { searchVideos(filter: {durations: $f}) { total } }`: "9223372036854775808",
	`{ subjects @include(if: 1e999) { name } }`:                                                                      "1e999",
	`query @cacheControl(maxAge: 1e999) { subjects { name } }`:                                                       "1e999",
	`fragment f on Query { ... on Query { usage(from: 1e400, to: 1e400) { count } } } { ...f }`:                      "1e400",
}

// TestNumbersWithoutEnd proves that a number that is too large is a client error over every transport.
func TestNumbersWithoutEnd(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	h := newEventServer(t)
	c := h.watchSocket(t, "school")
	for query, number := range endless {
		for range 2 {
			if answer := resolverstest.WantRejection(t, resolverstest.Post(t, handler, resolverstest.Operator, resolverstest.RequestBody(query, nil)), http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED"); !strings.Contains(answer.Message, number) {
				t.Errorf("%s: got %q", query, answer.Message)
			}
		}
		response := h.post(t, "school", resolverstest.RequestBody(query, nil))
		text, err := io.ReadAll(response.Body)
		resolverstest.Must(t, err)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), number) {
			t.Errorf("%s, with a stream accepted: got %d %s", query, response.StatusCode, text)
		}
		c.send(t, `{"type":"subscribe","id":"n","payload":`+resolverstest.RequestBody(query, nil)+`}`)
		if m := c.read(t); m.ID != "n" || m.Type != "error" || !strings.Contains(string(m.Payload), number) {
			t.Errorf("%s, over a websocket: got %+v %s", query, m, m.Payload)
		}
	}
}

// TestNumbersOfLiteralEvents proves that an event written in the query is stored with the milliseconds of its numbers, and
// with the digits of those in variables.
func TestNumbersOfLiteralEvents(t *testing.T) {
	i := resolverstest.NewIntake(t)
	const numbers = `segmentStartSeconds: 0.29, segmentEndSeconds: 12.50`
	want := resolverstest.SchoolEvent(event.Playback)
	want.Referer = ""
	want.Video, want.Start, want.End = "1", 290, 12_500
	resolverstest.WithUnknownVideo(&want)
	want.Metadata = []byte(`{"n":null,"s":"a\"","t":true,"v":[9007199254740993.10],"x":[{"y":-0.1}],"z":"TRUTH"}`)
	const query = `mutation($v: JSON, $id: String!) { ...tell } fragment tell on Mutation {
		told: recordPlayback(event: {videoId: $id, metadata: {s: "a\"", t: true, n: null, v: $v, x: [{y: -0.10}], z: TRUTH}, ` + numbers + `}) }`
	for range 2 { // the second request uses the cached query
		answer := resolverstest.Read(t, resolverstest.Post(t, i.Handler, resolverstest.Pupils, resolverstest.RequestBody(query, map[string]any{"id": "1", "v": []any{json.RawMessage("9007199254740993.10")}})))
		if string(answer.Data) != `{"told":true}` {
			t.Fatalf("got %s %+v", answer.Data, answer.Errors)
		}
		i.WantStored(t, want)
	}
}

// panickingCache is a cache that panics.
type panickingCache struct{ cache.Cache }

func (panickingCache) Get(context.Context, []cache.Ask, []cache.Entry) error { panic("planned") }

// TestPanicsOfStreams proves that a panic ends only the subscription in which it occurs.
func TestPanicsOfStreams(t *testing.T) {
	h := newEventServer(t, func(c *endpoint.Config) { c.Queries = panickingCache{} })
	other := h.watchSocket(t, "other", resolverstest.RequestBody(watchAll, nil))
	h.awaitWatchers(t, 1)
	c := h.watchSocket(t, "school")
	for n := range 20 { // more than may run concurrently
		c.send(t, fmt.Sprintf(`{"type":"subscribe","id":"p%d","payload":{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"%064d"}}}}`, n, 0))
		if m := c.read(t); m.ID != fmt.Sprintf("p%d", n) || m.Type != "error" || !strings.Contains(string(m.Payload), "INTERNAL") {
			t.Fatalf("got %+v %s", m, m.Payload)
		}
	}
	wantEvents(t, other, h.report(t, "other", event.Playback))
}

// TestPanicDuringRecheck proves that a panic while a caller is checked again ends that caller's stream with a
// server error.
func TestPanicDuringRecheck(t *testing.T) {
	var failing atomic.Bool
	h := newEventServer(t, func(c *endpoint.Config) {
		authenticate := c.Authenticate
		c.Authenticate = func(r *http.Request) (*account.Caller, error) {
			if failing.Load() {
				panic("planned")
			}
			return authenticate(r)
		}
	})
	for name, watch := range h.transports(t) {
		c := watch("school", resolverstest.RequestBody(watchAll, nil))
		h.awaitWatchers(t, 1)
		failing.Store(true)
		switch got, how := c.next(t); {
		case name == "events" && (how != "next" || len(got.Errors) != 1 || got.Errors[0].Extensions.Code != "INTERNAL"):
			t.Errorf("%s: got %s %+v", name, how, got)
		case name != "events" && !strings.Contains(how, "1011"):
			t.Errorf("%s: got %s", name, how)
		}
		h.awaitNoWatchers(t)
		failing.Store(false)
	}
}
