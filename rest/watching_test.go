package rest_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/live"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// eventServer is a listening server whose events can be watched.
type eventServer struct {
	*world
	server *httptest.Server
	hub    *live.Hub
	log    *sqlite.Events
}

func newEventServer(t *testing.T) *eventServer {
	t.Helper()
	log := must(sqlite.OpenEvents(t.Context(), filepath.Join(t.TempDir(), "events.db")))
	t.Cleanup(func() { check(log.Close()) })
	h := &eventServer{log: log, hub: live.New(live.Config{Log: log})}
	ctx, stop := context.WithCancel(t.Context())
	go h.hub.Run(ctx)
	t.Cleanup(stop)
	h.world = newWorld(t, options{empty: true, config: func(c *wiring) {
		graphQL := endpoint.New(endpoint.Config{
			Schema:       resolvers.NewSchema(resolvers.Config{Live: h.hub}),
			Authenticate: func(r *http.Request) (*account.Caller, error) { return h.auth.Verifier().Authenticate(r) },
			AllowOrigin:  c.Origins.AllowsFor, Timeout: c.Timeout, Logger: quiet,
		})
		t.Cleanup(func() { check(graphQL.Close()) })
		c.Mounts = slices.DeleteFunc(c.Mounts, func(m httpserver.Mount) bool { return m.Path == "/graphql" })
		c.Mounts = append(c.Mounts,
			httpserver.Mount{Path: "/graphql", Methods: []string{"POST"}, Handler: graphQL, Endless: endpoint.MayStream},
			httpserver.Mount{Path: "/graphql", Methods: []string{"GET"}, Handler: graphQL.Websocket(), Public: true, Endless: endpoint.MayStream})
	}})
	h.server = httptest.NewServer(h.handler)
	t.Cleanup(h.server.Close)
	return h
}

// watch subscribes with server-sent events and over a websocket. It returns two functions that read the next message of
// each.
func (h *eventServer) watch(t *testing.T, as string) (events, socket func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // no test watches longer
	t.Cleanup(cancel)
	r := must(http.NewRequestWithContext(ctx, "POST", h.server.URL+"/graphql", strings.NewReader(`{"query":"subscription { events { account } }"}`)))
	r.Header.Set("Authorization", "Bearer "+h.token(t, as))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	response := must(h.server.Client().Do(r))
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	events = func() string {
		for lines.Scan() {
			if len(lines.Text()) > 1 && lines.Text() != "event: next" {
				return lines.Text()
			}
		}
		return "closed"
	}
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	conn, opened, err := dialer.DialContext(t.Context(), strings.Replace(h.server.URL, "http", "ws", 1)+"/graphql",
		http.Header{"Origin": {schoolOrigin}, "Accept-Encoding": {"gzip"}})
	check(err)
	t.Cleanup(func() { _ = opened.Body.Close(); _ = conn.Close() })
	check(conn.SetReadDeadline(time.Now().Add(10 * time.Second)))
	socket = func() string {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	check(conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init","payload":{"Authorization":"Bearer `+h.token(t, as)+`"}}`)))
	if ack := socket(); ack != `{"type":"connection_ack"}` {
		t.Fatal(ack)
	}
	check(conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"subscribe","id":"1","payload":{"query":"subscription { events { account } }"}}`)))
	for deadline := time.Now().Add(10 * time.Second); h.hub.Watchers() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the watching does not begin")
		}
	}
	return events, socket
}

// TestWatchesEndWithTheAccount proves that whatever ends a caller's access also ends the caller's subscriptions, within
// about a second.
func TestWatchesEndWithTheAccount(t *testing.T) {
	put := func(h *eventServer, records ...account.Entity) {
		check(authtest.Put(context.Background(), h.accounts, records...))
	}
	for name, test := range map[string]struct {
		end  func(h *eventServer)
		says string
	}{
		"the account is suspended": {func(h *eventServer) {
			of := authtest.Account(customer, customer)
			of.Status = account.Suspended
			put(h, of)
		}, "UNAUTHENTICATED"},
		"the account expires": {func(h *eventServer) {
			of := authtest.Account(customer, customer)
			of.AccessExpiresOn = new(catalogue.DateOf(begin) - 1)
			put(h, of)
		}, "FORBIDDEN"},
		"the tier gives less": {func(h *eventServer) {
			put(h, &account.Tier{ID: customer, Name: customer, Roles: []account.Permission{account.ViewVideos}})
		}, "FORBIDDEN"},
		"the token expires": {func(h *eventServer) { h.clock.set(begin.Add(1001 * time.Hour)) }, "UNAUTHENTICATED"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newEventServer(t)
			events, socket := h.watch(t, customer)
			at := event.InstantOf(begin)
			_ = must(h.log.Append(t.Context(), []event.Submission{{Received: at, Events: []event.Event{
				{ID: event.ID{1}, Kind: event.PageRender, At: at, Received: at, Account: "another"},
				{ID: event.ID{2}, Kind: event.PageRender, At: at, Received: at, Account: customer},
			}}}))
			h.hub.Wake()
			if got := events(); got != `data: {"data":{"events":{"account":"customer"}}}` {
				t.Fatal(got)
			}
			if got := socket(); got != `{"payload":{"data":{"events":{"account":"customer"}}},"id":"1","type":"next"}` {
				t.Fatal(got)
			}
			test.end(h)
			if got := events(); !strings.Contains(got, test.says) {
				t.Errorf("the events go on with %s", got)
			}
			if got := socket(); !strings.Contains(got, "4403") {
				t.Errorf("the websocket goes on with %s", got)
			}
		})
	}
}
