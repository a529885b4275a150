package main

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestWhatIsKept: a server forgets by itself what its settings, and the memory of keys, say that it does not keep.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		// What is left of an event of three months ago, and of one that is told now: pseudonym and address, at
		// once and in the end.
		old, pseudonym, address, addressLater bool
		// The month of three months ago is sealed before.
		sealed bool
	}{
		"by default":           {old: true},
		"addresses for a time": {args: []string{"--keep-addresses", "3s"}, old: true, address: true},
		"addresses for long":   {args: []string{"--keep-addresses", "1h"}, old: true, address: true, addressLater: true},
		"pseudonyms":           {args: []string{"--pseudonymise-users"}, old: true, pseudonym: true},
		"events for a month":   {args: []string{"--keep-events", "1", "--keep-addresses", "3s"}, address: true, sealed: true},
		"a month not sealed":   {args: []string{"--keep-events", "1", "--keep-addresses", "3s"}, address: true, old: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, now := t.TempDir(), event.InstantOf(time.Now())
			told := usage.MonthNumber(usage.MonthOf(now).Number() - 3).Start()
			before := must(sqlite.OpenEvents(t.Context(), filepath.Join(data, eventsFile)))(t)
			keyed := func(key string, age event.Instant) event.Submission {
				return event.Submission{Client: "demo", Key: key, Received: now - age*event.Hour}
			}
			must(before.Append(t.Context(), []event.Submission{
				keyed("young", 13*24), keyed("aged", 15*24),
				{Received: told, Events: []event.Event{{Kind: event.PageRender, At: told, Received: told, Address: "192.0.2.9"}}},
			}))(t)
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}

			if test.sealed {
				succeed(t, "migrate", "--data", data)
				succeed(t, "usage", "seal", "--month", usage.MonthOf(told).String(), "--data", data)
			}
			p := admitAsItIs(t, append([]string{"--data", data}, test.args...)...)
			if err := p.prepareDemo(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.logIn()
			p.want(http.StatusCreated, p.request("POST", "/v1/events/playback",
				`{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9,"userId":"pupil 7"}`,
				"Authorization", "Bearer "+p.token, "Content-Type", "application/json"))
			last := func() event.Event {
				t.Helper()
				return must(p.stores.events.Read(t.Context(), store.EventQuery{Kinds: []event.Kind{event.Playback}, Dropped: 1}, 0, 10))(t)[0]
			}
			if e := last(); (e.ExternalUser != "pupil 7") != test.pseudonym || (e.Address != "") != test.address {
				t.Errorf("it is kept that %q told it at %q", e.ExternalUser, e.Address)
			}
			awaitFor(p, "old keys are forgotten", func() bool {
				return must(p.stores.events.Recall(t.Context(), keyed("aged", 0)))(t) == 0
			})
			if verdict := must(p.stores.events.Recall(t.Context(), keyed("young", 0)))(t); verdict != event.Repeated {
				t.Errorf("the key of 13 days ago is recalled as %d", verdict)
			}
			awaitFor(p, "addresses are as they should be", func() bool { return (last().Address != "") == test.addressLater })
			awaitFor(p, "old events are as they should be", func() bool {
				left := must(p.stores.events.Read(t.Context(), store.EventQuery{To: told + 1, Dropped: 1}, 0, 10))(t)
				return (len(left) == 1) == test.old && (len(left) == 0 || left[0].Address == "")
			})
		})
	}
}
