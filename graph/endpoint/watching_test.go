package endpoint_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/live"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// eventServer is a server with subscriptions.
type eventServer struct {
	server   *httptest.Server
	endpoint *endpoint.Endpoint
	log      *sqlite.Events
	hub      *live.Hub
	reported int

	mutex   sync.Mutex
	callers map[string]*account.Caller // by token
	checks  map[string]int             // how often callers were authenticated, by connection
}

func callerWith(id string, permissions account.Permissions) *account.Caller {
	return &account.Caller{ClientID: id, Account: &account.Account{ID: id}, Permissions: permissions}
}

// newEventServer starts a server. The change functions modify the settings of its endpoint.
func newEventServer(t testing.TB, change ...func(*endpoint.Config)) *eventServer {
	t.Helper()
	pupil := callerWith("school", account.CustomerPermissions())
	pupil.User = "pupil"
	h := &eventServer{checks: map[string]int{}, callers: map[string]*account.Caller{
		"school": callerWith("school", account.CustomerPermissions()), "other": callerWith("other", account.CustomerPermissions()),
		"staff": callerWith("operator", account.OperatorPermissions()), "pupil": pupil,
		"viewer": callerWith("viewer", account.PermissionsOf(account.Browse, account.ViewVideos)),
	}}
	var err error
	h.log, err = sqlite.OpenEvents(t.Context(), filepath.Join(t.TempDir(), "events.db"))
	must(t, err)
	t.Cleanup(func() { must(t, h.log.Close()) })
	h.hub = live.New(live.Config{Log: h.log, Backlog: 50})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { h.hub.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	config := endpoint.Config{
		Schema:       newSchema(t, func(c *resolvers.Config) { c.Live = h.hub }),
		Authenticate: h.authenticate, Attention: 5 * time.Millisecond, Logger: slog.New(slog.DiscardHandler), Timeout: 100 * time.Millisecond,
		AllowOrigin: func(caller *account.Caller, origin string) bool {
			return origin == "https://school.example" && (caller == nil || caller.ClientID == "school")
		},
	}
	for _, change := range change {
		change(&config)
	}
	h.endpoint = endpoint.New(config)
	h.serve(t)
	return h
}

// serve starts an HTTP server whose own timeouts are shorter than any subscription.
func (h *eventServer) serve(t testing.TB) {
	t.Helper()
	h.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			h.endpoint.Websocket().ServeHTTP(w, r)
			return
		}
		caller, err := h.authenticate(r)
		if err != nil {
			httperror.WriteError(w, r, err)
			return
		}
		h.endpoint.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	}))
	h.server.Config.ReadTimeout, h.server.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	h.server.Start()
	t.Cleanup(func() {
		must(t, h.endpoint.Close())
		h.server.Close()
	})
}

func (h *eventServer) authenticate(r *http.Request) (*account.Caller, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.checks[r.RemoteAddr]++
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch caller := h.callers[token]; {
	case token == "away":
		return nil, fault.Errorf(fault.Unavailable, "the caller cannot be verified at the moment")
	case caller == nil:
		return nil, fault.Errorf(fault.Unauthenticated, "the bearer token is refused")
	default:
		return caller, nil
	}
}

// setCaller changes the caller of a token; nil makes the token invalid.
func (h *eventServer) setCaller(token string, caller *account.Caller) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.callers[token] = caller
}

// awaitChecks waits until every connection has authenticated its caller twice more: the first of these checks has ended.
func (h *eventServer) awaitChecks(t testing.TB) {
	t.Helper()
	checks := func() map[string]int {
		h.mutex.Lock()
		defer h.mutex.Unlock()
		return maps.Clone(h.checks)
	}
	before := checks()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		now, waiting := checks(), false
		for connection, n := range before {
			waiting = waiting || now[connection] < n+2
		}
		switch {
		case !waiting:
			return
		case time.Now().After(deadline):
			t.Fatalf("callers were authenticated %v times, then %v times", before, now)
		}
	}
}

// report stores an event of an account. The subtype of the event is its number.
func (h *eventServer) report(t testing.TB, account string, kind event.Kind) string {
	t.Helper()
	return h.reportWith(t, account, kind, `{"playerId":"p1"}`)
}

func (h *eventServer) reportWith(t testing.TB, account string, kind event.Kind, metadata string) string {
	t.Helper()
	h.reported++
	at := event.InstantOf(now()) + event.Instant(h.reported)
	e := event.Event{
		ID: event.ID{14: byte(h.reported >> 8), 15: byte(h.reported)}, Kind: kind, At: at, Received: at, Account: account, Client: account,
		ExternalUser: "u7", Video: string(floating), Start: 250, End: 1500, Subtype: fmt.Sprint(h.reported), Trace: "t", Address: "192.0.2.1",
		Metadata: []byte(metadata),
	}
	_, err := h.log.Append(t.Context(), []event.Submission{{Client: account, Received: at, Events: []event.Event{e}}})
	must(t, err)
	h.hub.Wake()
	return e.Subtype
}

const watchAll = `subscription { events { account subtype } }`

// received is an event, or an error, as a client receives it.
type received struct {
	Data struct {
		Events struct{ Account, Subtype string }
	}
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

// client is a transport for a subscription.
type client interface {
	// next returns the next message of a subscription, or how it ended: "complete", or "closed" with the close reason
	// of a websocket.
	next(t testing.TB) (received, string)
	end()
}

// awaitWatchers waits until this number of subscriptions receive events.
func (h *eventServer) awaitWatchers(t testing.TB, watchers int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); h.hub.Watchers() < watchers; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d watch, want %d", h.hub.Watchers(), watchers)
		}
	}
}

// eventsClient subscribes with server-sent events.
type eventsClient struct {
	response *http.Response
	lines    *bufio.Scanner
}

// post posts an operation and accepts a stream.
func (h *eventServer) post(t testing.TB, token, body string, header ...string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // no test waits longer
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.server.URL, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := h.server.Client().Do(r)
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func (h *eventServer) watchEvents(t testing.TB, token, body string) *eventsClient {
	t.Helper()
	response := h.post(t, token, body)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" || response.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %v", response.StatusCode, response.Header)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return &eventsClient{response, lines}
}

func (c *eventsClient) end() { _ = c.response.Body.Close() }

func (c *eventsClient) next(t testing.TB) (found received, how string) {
	t.Helper()
	kind := ""
	for c.lines.Scan() {
		name, value, _ := strings.Cut(c.lines.Text(), ": ")
		switch {
		case name == "event":
			kind = value
		case name == "data" && kind == "next":
			must(t, json.Unmarshal([]byte(value), &found))
			return found, "next"
		case name == "" && kind == "complete":
			return found, "complete"
		}
	}
	return found, "closed"
}

// socketClient subscribes over a websocket.
type socketClient struct{ conn *websocket.Conn }

func (h *eventServer) dial(t testing.TB, header http.Header) (*websocket.Conn, *http.Response) {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	conn, response, err := dialer.DialContext(t.Context(), strings.Replace(h.server.URL, "http", "ws", 1), header)
	if response == nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = response.Body.Close()
		if conn != nil {
			_ = conn.Close()
		}
	})
	return conn, response
}

// watchSocket opens a websocket, authenticates, and subscribes once for each body.
func (h *eventServer) watchSocket(t testing.TB, token string, bodies ...string) *socketClient {
	t.Helper()
	conn, response := h.dial(t, nil)
	if conn == nil {
		t.Fatalf("got %d", response.StatusCode)
	}
	c := &socketClient{conn}
	c.send(t, `{"type":"connection_init","payload":{"Authorization":"Bearer `+token+`"}}`)
	if m := c.read(t); m.Type != "connection_ack" {
		t.Fatalf("got %+v", m)
	}
	for i, body := range bodies {
		c.send(t, fmt.Sprintf(`{"type":"subscribe","id":"s%d","payload":%s}`, i+1, body))
	}
	return c
}

func (c *socketClient) send(t testing.TB, text string) {
	t.Helper()
	must(t, c.conn.WriteMessage(websocket.TextMessage, []byte(text)))
}

type socketMessage struct {
	ID, Type string
	Payload  json.RawMessage
}

// read reads a message. The type closed is the end of the connection.
func (c *socketClient) read(t testing.TB) (m socketMessage) {
	t.Helper()
	must(t, c.conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, text, err := c.conn.ReadMessage()
	if err != nil {
		return socketMessage{Type: "closed", ID: err.Error()}
	}
	must(t, json.Unmarshal(text, &m))
	return m
}

// readOf reads the next message of a subscription and skips those of others.
func (c *socketClient) readOf(t testing.TB, id string) socketMessage {
	t.Helper()
	for {
		if m := c.read(t); m.ID == id || m.Type == "closed" {
			return m
		}
	}
}

func (c *socketClient) next(t testing.TB) (found received, how string) {
	t.Helper()
	switch m := c.read(t); m.Type {
	case "next":
		must(t, json.Unmarshal(m.Payload, &found))
		return found, "next"
	case "error":
		must(t, json.Unmarshal(m.Payload, &found.Errors))
		return found, "next"
	case "closed":
		return found, "closed " + m.ID
	default:
		return found, m.Type
	}
}

func (c *socketClient) end() { _ = c.conn.Close() }

// transports returns the two transports of a subscription.
func (h *eventServer) transports(t testing.TB) map[string]func(token, body string) client {
	return map[string]func(token, body string) client{
		"events":    func(token, body string) client { return h.watchEvents(t, token, body) },
		"websocket": func(token, body string) client { return h.watchSocket(t, token, body) },
	}
}
