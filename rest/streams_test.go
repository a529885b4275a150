package rest_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// finishedRequest is a finished request as the observer receives it.
type finishedRequest struct {
	route, method string
	status        int
	took          time.Duration
}

// observer records finished requests.
type observer struct {
	mutex sync.Mutex
	list  []finishedRequest
}

func (o *observer) Begin(ctx context.Context, span, _ trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(ctx, span)
}

func (o *observer) End(_ context.Context, route, method string, status int, _ int64, took time.Duration) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.list = append(o.list, finishedRequest{route, method, status, took})
}

func (o *observer) all() []finishedRequest {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return slices.Clone(o.list)
}

// streaming returns a service with two mounts on one path: a public one that opens websockets, and one for callers with
// a token, which streams if the request accepts a stream. Both send the texts that they receive from more.
func streaming(t *testing.T, more chan string) (*world, *httptest.Server, *observer) {
	t.Helper()
	seen := &observer{}
	asksForStream := func(r *http.Request) bool {
		return r.Header.Get("Accept") == "text/event-stream" || websocket.IsWebSocketUpgrade(r)
	}
	w := newWorld(t, options{empty: true, config: func(c *wiring) {
		c.Timeout, c.Observer = 100*time.Millisecond, seen
		c.Mounts = append(c.Mounts,
			httpserver.Mount{Path: "/v1/stream", Methods: []string{"POST"}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if account.CallerOf(r.Context()) == nil {
					t.Error("nobody calls a guarded mount")
				}
				w.Header().Set("Content-Type", "text/event-stream")
				for {
					select {
					case text, going := <-more:
						if !going {
							return
						}
						_, _ = io.WriteString(w, text)
						check(http.NewResponseController(w).Flush())
					case <-r.Context().Done():
						_, _ = io.WriteString(w, "over")
						return
					}
				}
			}), Endless: asksForStream},
			httpserver.Mount{Path: "/v1/stream", Methods: []string{"GET"}, Public: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				upgrader := websocket.Upgrader{}
				conn, err := upgrader.Upgrade(w, r, nil)
				if err != nil {
					return
				}
				defer conn.Close()
				for text := range more {
					check(conn.WriteMessage(websocket.TextMessage, []byte(text)))
				}
			}), Endless: asksForStream},
		)
	}})
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	return w, server, seen
}

// TestStreams proves that streams pass the server unbuffered and without a time limit.
func TestStreams(t *testing.T) {
	more := make(chan string)
	w, server, seen := streaming(t, more)
	post := func(accept string) *http.Response {
		r := must(http.NewRequestWithContext(t.Context(), "POST", server.URL+"/v1/stream", http.NoBody))
		r.Header.Set("Authorization", "Bearer "+w.token(t, customer))
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", "gzip")
		return must(server.Client().Do(r))
	}
	const longer = 150 * time.Millisecond // than the limit for other requests
	limited := post("*/*")
	if text := string(must(io.ReadAll(limited.Body))); text != "over" {
		t.Errorf("what is no stream says %q", text)
	}
	check(limited.Body.Close())

	go func() { more <- "data: 1\n" }()
	var answered [3]time.Duration // how long the client waited until the response of each request began
	begun := time.Now()
	stream := post("text/event-stream")
	answered[1] = time.Since(begun)
	defer stream.Body.Close()
	lines := bufio.NewReader(stream.Body)
	for _, text := range []string{"data: 1\n", "data: 2\n", "data: 3\n"} {
		if text == "data: 2\n" {
			time.Sleep(longer)
		}
		if text != "data: 1\n" {
			more <- text
		}
		if line, err := lines.ReadString('\n'); err != nil || line != text || stream.Header.Get("Content-Encoding") != "" {
			t.Fatalf("got %q %v %v", line, err, stream.Header)
		}
	}

	begun = time.Now()
	dialer := websocket.Dialer{NetDialContext: (&net.Dialer{}).DialContext}
	conn, response, err := dialer.DialContext(t.Context(), strings.Replace(server.URL, "http", "ws", 1)+"/v1/stream", http.Header{"Accept-Encoding": {"gzip"}})
	check(err)
	answered[2] = time.Since(begun)
	defer response.Body.Close()
	stream.Body.Close() // the remaining texts are for the websocket
	awaitFinished(t, seen, 3)
	time.Sleep(longer)
	more <- "hello"
	if _, text, err := conn.ReadMessage(); err != nil || string(text) != "hello" {
		t.Errorf("got %q %v", text, err)
	}
	close(more)
	awaitFinished(t, seen, 4)
	check(conn.Close())

	got := seen.all()[1:] // without the token request
	for i, want := range []finishedRequest{{"/v1/stream", "POST", 200, 0}, {"/v1/stream", "POST", 200, 0}, {"/v1/stream", "GET", 101, 0}} {
		took := got[i].took
		if got[i].took = 0; got[i] != want || i > 0 && took > answered[i] {
			t.Errorf("the observer is reported %+v, which took %v, want %+v, which took at most %v", got[i], took, want, answered[i])
		}
	}
}

func awaitFinished(t *testing.T, seen *observer, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); len(seen.all()) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests have ended, want %d", len(seen.all()), n)
		}
	}
}

// TestRoutesOfOnePath proves that each mount of a path keeps its own methods and its own authentication. An answer to
// any other method lists the methods of both.
func TestRoutesOfOnePath(t *testing.T) {
	w, _, _ := streaming(t, nil)
	if got := w.sendUnchecked(t, apiRequest{path: "/v1/stream"}); got.StatusCode != http.StatusBadRequest { // not a websocket
		t.Errorf("the public mount: got %d %s", got.StatusCode, got.body)
	}
	wantRejection(t, w.send(t, apiRequest{method: "POST", path: "/v1/stream"}), http.StatusUnauthorized)
	wantRejection(t, w.send(t, apiRequest{method: "PUT", path: "/v1/stream"}), http.StatusUnauthorized)
	wrong := w.send(t, apiRequest{as: customer, method: "PUT", path: "/v1/stream"})
	wantRejection(t, wrong, http.StatusMethodNotAllowed, "PUT")
	options := w.send(t, apiRequest{method: "OPTIONS", path: "/v1/stream"})
	for _, got := range []*answer{wrong, options} {
		if allow := got.Header.Get("Allow"); allow != "GET, HEAD, OPTIONS, POST" {
			t.Errorf("%d allows %q", got.StatusCode, allow)
		}
	}
}
