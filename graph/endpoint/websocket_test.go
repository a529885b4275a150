package endpoint_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// waitingSchema is a schema whose queries wait.
type waitingSchema struct {
	graphql.ExecutableSchema
	until chan struct{}
}

func (s waitingSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation != ast.Subscription {
		select {
		case <-s.until:
		case <-ctx.Done():
		}
	}
	return s.ExecutableSchema.Exec(ctx)
}

// TestWhoOpensWebsockets proves that a websocket needs a token, in the header or in connection_init, and an allowed
// origin.
func TestWhoOpensWebsockets(t *testing.T) {
	h := newEventServer(t)
	for _, test := range []struct {
		token, origin, first string
		status               int    // 0 if the connection opens
		closed               string // "" if the connection stays open
	}{
		{token: "school", first: `{"type":"connection_init"}`},
		{token: "school", first: `{"type":"connection_init","payload":{"Authorization":"Bearer nobody"}}`},
		{token: "nobody", status: http.StatusUnauthorized},
		{token: "away", status: http.StatusServiceUnavailable},
		{first: `{"type":"connection_init","payload":{"Authorization":"Bearer nobody"}}`, closed: "4403"},
		{first: `{"type":"connection_init","payload":{"Authorization":"Bearer away"}}`, closed: "1013"},
		{first: `{"type":"connection_init","payload":{"Authorization":7}}`, closed: "4403"},
		{first: `{"type":"connection_init","payload":[]}`, closed: "1000"},
		{first: `{"type":"connection_init"}`, closed: "4403"},
		{token: "school", origin: "https://school.example", first: `{"type":"connection_init"}`},
		{token: "other", origin: "https://school.example", status: http.StatusForbidden},
		{token: "school", origin: "https://evil.example", status: http.StatusForbidden},
		{origin: "https://evil.example", status: http.StatusForbidden},
		{origin: "null", status: http.StatusForbidden},
		{origin: h.server.URL, first: `{"type":"connection_init","payload":{"AUTHORIZATION":"Bearer other"}}`},
		{origin: "https://school.example", first: `{"type":"connection_init","payload":{"Authorization":"Bearer school"}}`},
		{origin: "https://school.example", first: `{"type":"connection_init","payload":{"Authorization":"Bearer other"}}`, closed: "4403"},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			header := http.Header{}
			if test.token != "" {
				header.Set("Authorization", "Bearer "+test.token)
			}
			if test.origin != "" {
				header.Set("Origin", test.origin)
			}
			conn, response := h.dial(t, header)
			if test.status != 0 {
				if conn != nil || response.StatusCode != test.status || response.Header.Get("Content-Type") != "application/json" {
					t.Errorf("got %d %v", response.StatusCode, response.Header)
				}
				return
			}
			c := &socketClient{conn}
			c.send(t, test.first)
			m := c.read(t)
			if test.closed == "" && m.Type != "connection_ack" || test.closed != "" && (m.Type != "closed" || !strings.Contains(m.ID, test.closed)) {
				t.Errorf("got %+v", m)
			}
		})
	}
	plain, err := h.server.Client().Get(h.server.URL)
	must(t, err)
	defer plain.Body.Close()
	if plain.StatusCode != http.StatusUpgradeRequired || plain.Header.Get("Upgrade") != "websocket" {
		t.Errorf("a plain request: got %d %v", plain.StatusCode, plain.Header)
	}
}

// TestSubscriptionsOfOneConnection proves that each subscription of a connection has its own ID and ends on its own,
// and that their number is limited.
func TestSubscriptionsOfOneConnection(t *testing.T) {
	h := newEventServer(t)
	c := h.watchSocket(t, "school", ask(watchAll, nil), ask(`subscription { events(kinds: [PAGE_RENDER]) { subtype } }`, nil))
	h.awaitWatchers(t, 2)
	first := h.report(t, "school", event.PageRender)
	var names []string
	for range 2 {
		m := c.read(t)
		if names = append(names, m.ID); m.Type != "next" || !strings.Contains(string(m.Payload), `"subtype":"`+first+`"`) {
			t.Errorf("got %+v", m)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"s1", "s2"}) {
		t.Errorf("got it for %v", names)
	}
	c.send(t, `{"type":"complete","id":"s1"}`)
	for deadline := time.Now().Add(10 * time.Second); h.hub.Watchers() > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not end")
		}
	}
	h.report(t, "school", event.PageRender)
	if m := c.read(t); m.ID != "s1" || m.Type != "complete" { // clients ignore it at this point
		t.Errorf("got %+v", m)
	}
	if m := c.read(t); m.ID != "s2" || m.Type != "next" {
		t.Errorf("got %+v", m)
	}
	c.send(t, `{"type":"complete","id":"never"}`)
	c.send(t, `{"type":"ping","payload":{"a":1}}`)
	if m := c.read(t); m.Type != "pong" {
		t.Errorf("got %+v", m)
	}
	c.send(t, `{"type":"pong"}`)
	for i := range 9 {
		c.send(t, fmt.Sprintf(`{"type":"subscribe","id":"more%d","payload":%s}`, i, ask(watchAll, nil)))
	}
	h.awaitWatchers(t, 10)
	for id, test := range map[string]struct {
		payload string
		code    fault.Code
	}{
		"one too many":  {ask(watchAll, nil), fault.Unavailable},
		"s1":            {`{"query":7}`, "invalid json"}, // an ID that is free again
		"no query":      {`{}`, fault.Invalid},
		"not persisted": {`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 64) + `"}}}`, "PERSISTED_QUERY_NOT_SUPPORTED"},
	} {
		c.send(t, `{"type":"subscribe","id":"`+id+`","payload":`+test.payload+`}`)
		m := c.readOf(t, id)
		if m.Type != "error" || !strings.Contains(string(m.Payload), string(test.code)) {
			t.Errorf("%s: got %+v %s, want %s", id, m, m.Payload, test.code)
		}
	}
	c.send(t, `{"type":"complete","id":"more1"}`)
	for id, query := range map[string]string{"a query": `{ index { links } }`, "a mutation": `mutation { reportAccessExpired }`} {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			c.send(t, `{"type":"subscribe","id":"`+id+`","payload":`+ask(query, nil)+`}`)
			m := c.readOf(t, id)
			if m.Type == "error" && strings.Contains(string(m.Payload), "only subscriptions") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: got %+v %s", id, m, m.Payload)
			}
		}
	}
}

// TestMessagesThatBreakTheProtocol proves that a message that violates the protocol closes the connection.
func TestMessagesThatBreakTheProtocol(t *testing.T) {
	h := newEventServer(t)
	good := `{"type":"subscribe","id":"a","payload":` + ask(watchAll, nil) + `}`
	for name, test := range map[string]struct{ message, closed string }{
		"no JSON":       {"hello", "1000"},
		"a list":        {"[]", "1000"},
		"unknown":       {`{"type":"start","id":"a"}`, "1000"},
		"of the server": {`{"type":"next","id":"a"}`, "1000"},
		"id no text":    {strings.Replace(good, `"id":"a"`, `"id":1`, 1), "1000"},
		"init again":    {`{"type":"connection_init"}`, "1002"},
		"too long":      {`{"type":"ping","payload":"` + strings.Repeat("x", 128<<10) + `"}`, "1009"},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.watchSocket(t, "school")
			c.send(t, test.message)
			if m := c.read(t); m.Type != "closed" || !strings.Contains(m.ID, test.closed) {
				t.Errorf("got %+v", m)
			}
		})
	}
	conn, _ := h.dial(t, nil)
	(&socketClient{conn}).send(t, good)
	if m := (&socketClient{conn}).read(t); !strings.Contains(m.ID, "1002") {
		t.Errorf("before it is known who calls: got %+v", m)
	}
	hasty := newEventServer(t)
	hasty.endpoint.WithInitTimeout(20 * time.Millisecond)
	silent, _ := hasty.dial(t, nil)
	if m := (&socketClient{silent}).read(t); !strings.Contains(m.ID, "1002") {
		t.Errorf("in silence: got %+v", m)
	}
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-ws"}}
	older, response, err := dialer.DialContext(t.Context(), strings.Replace(h.server.URL, "http", "ws", 1), nil)
	must(t, err)
	defer response.Body.Close()
	defer older.Close()
	if m := (&socketClient{older}).read(t); !strings.Contains(m.ID, "4406") {
		t.Errorf("in another protocol: got %+v", m)
	}
}
