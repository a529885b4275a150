package resolverstest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// EventIntake is an endpoint that stores events in a log of its own.
type EventIntake struct {
	Handler http.Handler
	Log     *sqlite.Events
	Taking  *intake.Commits
	read    event.Position
}

// NewIntake makes an endpoint with an empty log; change may change its ports.
func NewIntake(t testing.TB, change ...func(*resolvers.Config)) *EventIntake {
	t.Helper()
	log, err := sqlite.OpenEvents(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlite.WithClock(Now))
	Must(t, err)
	t.Cleanup(func() { Must(t, log.Close()) })
	taking := intake.New(intake.Options{Log: log})
	t.Cleanup(func() { Must(t, taking.Close()) })
	sink := struct {
		*intake.Commits
		Recaller
	}{taking, log}
	schema := NewSchema(t, append([]func(*resolvers.Config){func(c *resolvers.Config) { c.Events = sink }}, change...)...)
	handler := NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema = schema
		c.AddressOf = func(r *http.Request) netip.Addr { return netip.MustParseAddrPort(r.RemoteAddr).Addr() }
	})
	return &EventIntake{Log: log, Taking: taking, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Service-Trace-Id", "4bf92f3577b34da6a3ce929d0e0e4736")
		handler.ServeHTTP(w, r)
	})}
}

// Recaller is the part of a log that knows idempotency keys.
type Recaller interface {
	Recall(ctx context.Context, submission event.Submission) (event.Verdict, error)
}

// Stored returns the events stored since the last call, without IDs and positions.
func (i *EventIntake) Stored(t testing.TB) []event.Event {
	t.Helper()
	events, err := i.Log.Read(t.Context(), store.EventQuery{}, i.read, 1000)
	Must(t, err)
	for n := range events {
		e := &events[n]
		if i.read++; e.Position != i.read || e.ID.String()[14] != '7' {
			t.Errorf("the event %s has the position %d, want %d", e.ID, e.Position, i.read)
		}
		if at := event.Instant(e.ID[0])<<40 | event.Instant(e.ID[1])<<32 | event.Instant(e.ID[2])<<24 | event.Instant(e.ID[3])<<16 |
			event.Instant(e.ID[4])<<8 | event.Instant(e.ID[5]); at != e.Received {
			t.Errorf("the id %s is of %v, the event of %v", e.ID, at, e.Received)
		}
		e.ID, e.Position = event.ID{}, 0
	}
	return events
}

// WantStored fails unless these events were stored since the last call.
func (i *EventIntake) WantStored(t testing.TB, want ...event.Event) {
	t.Helper()
	got := i.Stored(t)
	if len(got) != len(want) {
		t.Fatalf("%d events are stored, want %d: %+v", len(got), len(want), got)
	}
	for n := range want {
		if g, w := show(got[n]), show(want[n]); g != w {
			t.Errorf("event %d:\ngot  %s\nwant %s", n, g, w)
		}
	}
}

func show(e event.Event) string {
	details, metadata := string(e.Details), string(e.Metadata)
	e.Details, e.Metadata = nil, nil
	return fmt.Sprintf("%+v %s %s", e, details, metadata)
}

// Report runs a mutation as a caller, and returns the code of its error, or "" if it succeeds.
func (i *EventIntake) Report(t testing.TB, caller *account.Caller, field, arguments string, variables map[string]any, header ...string) string {
	t.Helper()
	var declared []string
	for name, kind := range map[string]string{"event": "InteractionInput", "required": inputTypes[field], "key": "String"} {
		if strings.Contains(arguments, "$"+name) {
			declared = append(declared, "$"+name+": "+kind)
		}
	}
	query := "mutation { told: " + field + "(" + arguments + ") }"
	if declared != nil {
		query = strings.Replace(query, "mutation", "mutation("+strings.Join(declared, ", ")+")", 1)
	}
	answer := Read(t, Post(t, i.Handler, caller, RequestBody(query, variables), header...))
	switch {
	case len(answer.Errors) > 0:
		return answer.Errors[0].Extensions["code"].(string)
	case string(answer.Data) != `{"told":true}`:
		t.Fatalf("%s: got %s", field, answer.Data)
	}
	return ""
}

// inputTypes names the types of the inputs of the mutations that require one.
var inputTypes = map[string]string{
	"recordPlayback": "PlaybackEventInput!", "recordPlaybackBatch": "[PlaybackEventInput!]!", "recordPlayerInteraction": "PlayerInteractionInput!",
	"recordPageRender": "PageRenderInput!", "recordSearchCompletions": "SearchCompletionsInput!", "recordCollectionInteraction": "CollectionInteractionInput!",
}

// EventVariables returns the variables for an event.
func EventVariables(text string) map[string]any {
	return map[string]any{"required": json.RawMessage(text)}
}

// Two accounts, and a client of the first that names its users in each request.
var (
	School = &account.Account{ID: "school", Environment: account.Live}
	Trying = &account.Account{ID: "trying", Environment: account.Sandbox}
	Pupils = &account.Caller{ClientID: "lms", Account: School, User: "u-1", ExternalUser: "pupil 7", Permissions: account.CustomerPermissions()}
)

// SchoolEvent returns an event of Pupils with an empty body.
func SchoolEvent(kind event.Kind) event.Event {
	at := event.InstantOf(Now())
	return event.Event{
		Kind: kind, At: at, Received: at, Account: "school", Client: "lms", User: "u-1", ExternalUser: "pupil 7",
		Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Referer: "https://learn.example/7", Address: "192.0.2.1",
	}
}

// WithUnknownVideo sets what intake adds to an event whose video does not exist.
func WithUnknownVideo(e *event.Event) {
	e.Hidden = e.Video != "" && e.Kind != event.VideoInteraction
	e.Bound(event.UnknownBound)
}
