package endpoint_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
)

// wantEvents expects the next messages to be events with these subtypes.
func wantEvents(t *testing.T, c client, subtypes ...string) {
	t.Helper()
	for _, want := range subtypes {
		if got, how := c.next(t); how != "next" || len(got.Errors) > 0 || got.Data.Events.Subtype != want {
			t.Fatalf("got %s %+v, want the event %s", how, got, want)
		}
	}
}

// wantErrorCode expects the next message to be an error with a code.
func wantErrorCode(t *testing.T, c client, code fault.Code) {
	t.Helper()
	if got, how := c.next(t); how != "next" || len(got.Errors) != 1 || got.Errors[0].Extensions.Code != string(code) {
		t.Fatalf("got %s %+v, want the error %s", how, got, code)
	}
}

// TestEventsAreWatched proves that a subscription gets the events of the caller's own account only, in the order of the
// log, for longer than the time limit of other requests, even if no event occurs for a long time.
func TestEventsAreWatched(t *testing.T) {
	h := newEventServer(t)
	type watching struct{ school, staff, named, own client }
	watches := map[string]watching{}
	for name, watch := range h.transports(t) {
		watches[name] = watching{
			watch("school", ask(watchAll, nil)), watch("staff", ask(watchAll, nil)),
			watch("staff", ask(`subscription($a: [String!]) { events(accounts: $a) { account subtype } }`, map[string]any{"a": []string{"other"}})),
			watch("school", ask(`subscription { events(accounts: ["school"], kinds: [PAGE_RENDER], videos: ["`+strings.ToUpper(string(floating))+`"]) { subtype } }`, nil)),
		}
	}
	h.awaitWatchers(t, 4*len(watches))
	time.Sleep(300 * time.Millisecond) // longer than the time limits of other requests
	first, second := h.report(t, "school", event.Playback), h.report(t, "other", event.Playback)
	third, fourth := h.report(t, "", event.Playback), h.report(t, "school", event.PageRender)
	for name, w := range watches {
		t.Run(name, func(t *testing.T) {
			wantEvents(t, w.school, first, fourth)
			wantEvents(t, w.staff, first, second, third, fourth)
			wantEvents(t, w.named, second)
			wantEvents(t, w.own, fourth)
		})
		for _, c := range []client{w.school, w.staff, w.named, w.own} {
			c.end()
		}
	}
	h.awaitNoWatchers(t)
}

// awaitNoWatchers waits until no subscription is left.
func (h *eventServer) awaitNoWatchers(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); h.hub.Watchers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d still watch", h.hub.Watchers())
		}
	}
}

// TestFieldsOfEvents proves the value of every field of an event.
func TestFieldsOfEvents(t *testing.T) {
	h := newEventServer(t)
	response := h.post(t, "school", ask(`subscription { events {
		id kind at receivedAt account client user externalUser videoId segmentStartSeconds segmentEndSeconds subtype traceId referer details metadata
	} }`, nil))
	h.awaitWatchers(t, 1)
	h.report(t, "school", event.Playback)
	want := `event: next` + "\n" + `data: {"data":{"events":{"id":"00000000-0000-0000-0000-000000000001","kind":"PLAYBACK","at":"2026-03-04T05:06:07.001000Z",` +
		`"receivedAt":"2026-03-04T05:06:07.001000Z","account":"school","client":"school","user":null,"externalUser":"u7","videoId":"` + string(floating) +
		`","segmentStartSeconds":0.25,"segmentEndSeconds":1.5,"subtype":"1","traceId":"t","referer":null,"details":null,"metadata":{"playerId":"p1"}}}}` + "\n\n"
	got := make([]byte, len(":\n\n")+len(want))
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != ":\n\n"+want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

// TestWhoMayNotWatch proves that a caller without permission gets an error and the end of the subscription, so that
// clients do not retry. A caller who may not subscribe to anything cannot connect.
func TestWhoMayNotWatch(t *testing.T) {
	h := newEventServer(t)
	for name, watch := range h.transports(t) {
		t.Run(name, func(t *testing.T) {
			c := watch("school", ask(`subscription { events(accounts: ["school", "other"]) { subtype } }`, nil))
			wantErrorCode(t, c, fault.Forbidden)
			if _, how := c.next(t); name == "events" && how != "complete" {
				t.Errorf("it goes on with %s", how)
			}
		})
	}
	for _, token := range []string{"pupil", "viewer"} {
		if response := h.post(t, token, ask(watchAll, nil)); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s by events: got %d", token, response.StatusCode)
		}
		if conn, response := h.dial(t, http.Header{"Authorization": {"Bearer " + token}}); conn != nil || response.StatusCode != http.StatusForbidden {
			t.Errorf("%s opens a websocket: got %d", token, response.StatusCode)
		}
		conn, _ := h.dial(t, nil)
		c := &socketClient{conn}
		c.send(t, `{"type":"connection_init","payload":{"Authorization":"Bearer `+token+`"}}`)
		if m := c.read(t); m.Type != "closed" || !strings.Contains(m.ID, "4403") || !strings.Contains(m.ID, "VIEW_USAGE") {
			t.Errorf("%s says who calls: got %+v", token, m)
		}
	}
	schema := newSchema(t, func(*resolvers.Config) {}).Schema()
	for _, field := range schema.Subscription.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		// Connecting requires this permission, so every subscription must require the same one.
		if needs := field.Directives.ForName("requires"); needs == nil || needs.Arguments.ForName("permission").Value.Raw != account.ViewUsage.String() {
			t.Errorf("%s does not require %s", field.Name, account.ViewUsage)
		}
	}
	for _, token := range []string{"nobody", ""} {
		if response := h.post(t, token, ask(watchAll, nil)); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("the token %q: got %d", token, response.StatusCode)
		}
	}
}

// TestWatchesEndWithTheirCaller proves that a subscription ends when its token is refused and when its caller changes.
// It continues while the caller cannot be verified.
func TestWatchesEndWithTheirCaller(t *testing.T) {
	for name, test := range map[string]struct {
		become *account.Caller
		code   fault.Code
	}{
		"refused":     {nil, fault.Unauthenticated},
		"expired":     {callerWith("school", account.PermissionsOf(account.ReportExpiry)), fault.Forbidden},
		"moved":       {callerWith("other", account.CustomerPermissions()), fault.Forbidden},
		"of a client": {&account.Caller{ClientID: "school", Permissions: account.CustomerPermissions()}, fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			h := newEventServer(t)
			byEvents, bySocket := h.watchEvents(t, "school", ask(watchAll, nil)), h.watchSocket(t, "school", ask(watchAll, nil))
			h.awaitWatchers(t, 2)
			again := *h.callers["school"]
			h.setCaller("school", &again) // a new record with the same content
			h.awaitChecks(t)
			seen := h.report(t, "school", event.Playback)
			wantEvents(t, byEvents, seen)
			wantEvents(t, bySocket, seen)
			h.setCaller("school", test.become)
			wantErrorCode(t, byEvents, test.code)
			if _, how := byEvents.next(t); how != "complete" {
				t.Errorf("the events go on with %s", how)
			}
			if _, how := bySocket.next(t); !strings.Contains(how, "4403") || !strings.Contains(how, "Forbidden") {
				t.Errorf("the websocket goes on with %s", how)
			}
			h.awaitNoWatchers(t)
		})
	}
	t.Run("no difference shows", func(t *testing.T) {
		away := false
		h := newEventServer(t, func(c *endpoint.Config) {
			known := c.Authenticate
			c.Authenticate = func(r *http.Request) (*account.Caller, error) {
				if away {
					r = r.Clone(r.Context())
					r.Header.Set("Authorization", "Bearer away")
				}
				away = true // only the check after this one fails
				return known(r)
			}
		})
		c := h.watchSocket(t, "school", ask(watchAll, nil))
		h.awaitWatchers(t, 1)
		h.awaitChecks(t)
		wantEvents(t, c, h.report(t, "school", event.Playback))
	})
}

// endingSource is a source of events that ends by itself.
type endingSource struct{ reason error }

func (s endingSource) Watch(_ context.Context, _ event.Filter, show func(*event.Event) error) error {
	_ = show(&event.Event{Kind: event.PageRender, Subtype: "last"})
	return s.reason
}

// TestWatchesThatAreCutOff proves that an interrupted subscription gets the reason, and that a client that may
// reconnect gets no complete message.
func TestWatchesThatAreCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		reason error
		code   fault.Code
		after  string // the next server-sent event
	}{
		"too slow": {fault.Errorf(fault.Unavailable, "too slow"), fault.Unavailable, "closed"},
		"a fault":  {io.ErrUnexpectedEOF, fault.Internal, "complete"},
		"the end":  {nil, "", "complete"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newEventServer(t, func(c *endpoint.Config) {
				c.Schema = resolvers.NewSchema(resolvers.Config{Live: endingSource{test.reason}})
			})
			for way, watch := range h.transports(t) {
				c := watch("school", ask(watchAll, nil))
				wantEvents(t, c, "last")
				if test.code != "" {
					wantErrorCode(t, c, test.code)
				}
				if test.code != "" && way == "websocket" {
					continue // an error is the last message
				}
				if _, how := c.next(t); how != test.after {
					t.Errorf("%s: it goes on with %s, want %s", way, how, test.after)
				}
			}
		})
	}
}

// TestClientsThatDoNotRead proves that a client that does not read is disconnected and gets the reason when it reads
// again. The client has received every event before that without a gap.
func TestClientsThatDoNotRead(t *testing.T) {
	h := newEventServer(t)
	much := `{"much":"` + strings.Repeat("x", 64<<10) + `"}`
	for name, watch := range h.transports(t) {
		t.Run(name, func(t *testing.T) {
			c := watch("school", ask(`subscription { events { subtype metadata } }`, nil))
			h.awaitWatchers(t, 1)
			first := h.reported + 1
			for h.hub.Watchers() > 0 {
				if h.reportWith(t, "school", event.Playback, much); h.reported > first+5000 {
					t.Fatal("nobody is cut off")
				}
			}
			for want := first; ; want++ {
				got, how := c.next(t)
				if how != "next" || len(got.Errors) == 1 {
					if how != "next" || got.Errors[0].Extensions.Code != string(fault.Unavailable) {
						t.Errorf("it ends with %s %+v", how, got)
					}
					break
				}
				if got.Data.Events.Subtype != fmt.Sprint(want) {
					t.Fatalf("got %+v, want %d", got, want)
				}
			}
			c.end()
		})
	}
}

// TestWatchesEndWithTheServer proves that closing the endpoint ends all subscriptions at once, and that no new one
// starts.
func TestWatchesEndWithTheServer(t *testing.T) {
	h := newEventServer(t)
	byEvents, bySocket := h.watchEvents(t, "school", ask(watchAll, nil)), h.watchSocket(t, "school", ask(watchAll, nil))
	h.awaitWatchers(t, 2)
	reported := make(chan error, 1)
	go func() { reported <- h.endpoint.Close() }()
	wantErrorCode(t, byEvents, fault.Unavailable)
	if _, how := byEvents.next(t); how != "closed" {
		t.Errorf("the events go on with %s", how)
	}
	if _, how := bySocket.next(t); !strings.Contains(how, "1001") {
		t.Errorf("the websocket goes on with %s", how)
	}
	must(t, <-reported)
	if response := h.post(t, "school", ask(watchAll, nil)); response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("afterwards: got %d %v", response.StatusCode, response.Header)
	}
	if conn, response := h.dial(t, nil); conn != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("afterwards: got %d", response.StatusCode)
	}
}

// TestStreamLimits proves that an account has a limited number of streams over all transports, and that
// subscriptions are subject to the same query checks as other operations.
func TestStreamLimits(t *testing.T) {
	h := newEventServer(t, func(c *endpoint.Config) { c.MaxDepth = 2 })
	var open []client
	for i := range 20 {
		if i%2 == 0 {
			open = append(open, h.watchEvents(t, "school", ask(watchAll, nil)))
		} else {
			open = append(open, h.watchSocket(t, "school"))
		}
	}
	if response := h.post(t, "school", ask(watchAll, nil)); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one more: got %d", response.StatusCode)
	}
	conn, _ := h.dial(t, nil)
	one := &socketClient{conn}
	one.send(t, `{"type":"connection_init","payload":{"authorization":"Bearer school"}}`)
	if m := one.read(t); m.Type != "closed" || !strings.Contains(m.ID, "1013") {
		t.Errorf("one more: got %+v", m)
	}
	other := h.watchEvents(t, "other", ask(watchAll, nil))
	open[0].end()
	open[1].end()
	for deadline := time.Now().Add(10 * time.Second); h.post(t, "school", ask(watchAll, nil)).StatusCode != http.StatusOK; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("who has left is counted for good")
		}
	}
	other.end()
	for query, code := range map[string]string{
		`subscription { events { details { deeper { deepest } } } }`:         "GRAPHQL_VALIDATION_FAILED",
		`subscription { a: events { subtype } b: events { subtype } }`:       "GRAPHQL_VALIDATION_FAILED",
		`subscription { __typename }`:                                        "GRAPHQL_VALIDATION_FAILED",
		`subscription { events { subtype } } subscription { index { links`:   "GRAPHQL_PARSE_FAILED",
		`subscription { __schema { types { name } } }`:                       "GRAPHQL_VALIDATION_FAILED",
		`subscription { events(videos: ` + strings.Repeat("[", 5000) + `) }`: "GRAPHQL_PARSE_FAILED",
	} {
		response := h.post(t, "other", ask(query, nil))
		body, err := io.ReadAll(response.Body)
		must(t, err)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), code) {
			t.Errorf("%.60s: got %d %s", query, response.StatusCode, body)
		}
	}
}

// TestSharesOfStreams proves that a client gets a share of its account's streams, and a user a share of the client's.
func TestSharesOfStreams(t *testing.T) {
	h := newEventServer(t)
	as := func(token, client, user string) {
		caller := *h.callers["staff"]
		caller.ClientID, caller.User = client, user
		h.setCaller(token, &caller)
	}
	opened := func(token string, most int) (n int) {
		for range most {
			if h.post(t, token, ask(watchAll, nil)).StatusCode == http.StatusOK {
				n++
			}
		}
		return n
	}
	as("ada", "console", "ada")
	as("eve", "console", "eve")
	as("program", "console", "")
	as("billing", "billing", "")
	as("export", "export", "")
	as("more", "more", "")
	for _, test := range []struct {
		token     string
		asks, has int
	}{{"ada", 7, 5}, {"eve", 3, 3}, {"program", 20, 12}, {"eve", 1, 0}, {"billing", 21, 20}, {"export", 21, 20}, {"more", 1, 0}, {"school", 3, 3}} {
		if got := opened(test.token, test.asks); got != test.has {
			t.Errorf("%s has %d of %d, want %d", test.token, got, test.asks, test.has)
		}
	}
	if conn, response := h.dial(t, http.Header{"Authorization": {"Bearer ada"}}); conn != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one more over a websocket: got %d", response.StatusCode)
	}
}

// TestSubscriptionsOfOneAccount proves that an account has a limited number of subscriptions, over any number of
// connections.
func TestSubscriptionsOfOneAccount(t *testing.T) {
	h := newEventServer(t)
	var bodies []string
	for range 10 {
		bodies = append(bodies, ask(watchAll, nil))
	}
	var open []*socketClient
	for range 5 {
		open = append(open, h.watchSocket(t, "school", bodies...))
	}
	h.awaitWatchers(t, 50)
	if response := h.post(t, "school", ask(watchAll, nil)); response.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("one more by events: got %d", response.StatusCode)
	}
	more := h.watchSocket(t, "school", ask(watchAll, nil))
	wantErrorCode(t, more, fault.Unavailable)
	other := h.watchSocket(t, "other", ask(watchAll, nil))
	defer other.end()
	h.awaitWatchers(t, 51)
	open[0].end()
	for deadline := time.Now().Add(10 * time.Second); h.hub.Watchers() > 41; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("they do not end")
		}
	}
	again := h.watchEvents(t, "school", ask(watchAll, nil))
	defer again.end()
	h.awaitWatchers(t, 42)
	wantEvents(t, again, h.report(t, "school", event.Playback))
}

// TestAnonymousConnections proves that unauthenticated connections are limited for each address and in total, and leave capacity
// for authenticated callers.
func TestAnonymousConnections(t *testing.T) {
	addresses := map[string]int{}
	h := newEventServer(t, func(c *endpoint.Config) {
		c.AddressOf = func(r *http.Request) netip.Addr { return netip.MustParseAddr(r.Header.Get("From")) }
	})
	from := func(address, token string) (*socketClient, int) {
		header := http.Header{"From": {address}}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		conn, response := h.dial(t, header)
		return &socketClient{conn}, response.StatusCode
	}
	var strangers []*socketClient
	for n := 1; n <= 11; n++ {
		address := fmt.Sprintf("192.0.2.%d", n)
		for {
			c, status := from(address, "")
			if status != http.StatusSwitchingProtocols {
				if status != http.StatusServiceUnavailable {
					t.Fatalf("one more of %s: got %d", address, status)
				}
				break
			}
			strangers = append(strangers, c)
			if addresses[address]++; addresses[address] > 20 {
				t.Fatalf("%s has more and more", address)
			}
		}
	}
	if len(strangers) != 200 || addresses["192.0.2.11"] != 0 {
		t.Errorf("there are %d strangers: %v", len(strangers), addresses)
	}
	if _, status := from("192.0.2.1", "school"); status != http.StatusSwitchingProtocols {
		t.Errorf("somebody who is known: got %d", status)
	}
	strangers[0].send(t, `{"type":"connection_init","payload":{"Authorization":"Bearer other"}}`)
	if m := strangers[0].read(t); m.Type != "connection_ack" {
		t.Fatalf("got %+v", m)
	}
	if _, status := from("192.0.2.1", ""); status != http.StatusSwitchingProtocols {
		t.Errorf("in the place of one who has said who calls: got %d", status)
	}
	strangers[1].end()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, status := from("192.0.2.1", ""); status == http.StatusSwitchingProtocols {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("who has left is counted for good")
		}
	}
}

// TestRequestsWithoutAStream proves that a subscription needs an accepted stream format, and that a query whose client accepts
// a stream is answered like any other query, within the endpoint's timeout.
func TestRequestsWithoutAStream(t *testing.T) {
	slow := make(chan struct{})
	h := newEventServer(t, func(c *endpoint.Config) {
		schema := c.Schema
		c.Schema = waitingSchema{schema, slow}
	})
	response := h.post(t, "school", ask(watchAll, nil), "Accept", "application/json")
	if response.StatusCode != http.StatusNotAcceptable {
		t.Errorf("without a way to answer: got %d", response.StatusCode)
	}
	const accept = "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"
	response = h.post(t, "school", ask(`{ index { links } }`, nil), "Accept", accept)
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a query that takes its time: got %d", response.StatusCode)
	}
	close(slow)
	response = h.post(t, "school", ask(`{ index { links } }`, nil), "Accept", accept)
	if contentType := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || contentType != "application/graphql-response+json" {
		t.Errorf("a query: got %d %s", response.StatusCode, contentType)
	}
	stream := h.post(t, "school", ask(watchAll, nil), "Accept", accept)
	if contentType := stream.Header.Get("Content-Type"); stream.StatusCode != http.StatusOK || contentType != "text/event-stream" {
		t.Errorf("a subscription: got %d %s", stream.StatusCode, contentType)
	}
	none := newEventServer(t, func(c *endpoint.Config) { c.Authenticate = nil })
	if response := none.post(t, "school", ask(watchAll, nil)); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("where there are no streams: got %d", response.StatusCode)
	}
	if conn, response := none.dial(t, nil); conn != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("where there are no streams: got %d", response.StatusCode)
	}
}
