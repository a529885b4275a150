package postgres_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestDamagedPage overwrites a page of a partition of the log. It checks that once the events on that page are skipped,
// every query can read all other events, and the log accepts new ones.
func TestDamagedPage(t *testing.T) {
	t.Parallel()
	const all, pageSize = 300, 8192
	server := testservers.PostgreSQL(t, testservers.Durable())
	_, err := postgres.Migrate(t.Context(), server.URL)
	must(t, err)
	e := open(t, server.URL).Events()
	received := event.Instant(1_790_000_000_000)
	var events []event.Event
	for i := range all {
		kind := event.Playback
		if i%3 == 0 {
			kind = event.PageRender
		}
		events = append(events, event.Event{ID: event.ID{1}, Kind: kind, At: received, Received: received, Account: "damaged", Referer: string(bytes.Repeat([]byte("x"), 200))})
	}
	_, err = e.Append(t.Context(), []event.Submission{{Events: events}})
	must(t, err)
	execute(t, server.URL, "CHECKPOINT")
	file := filepath.Join(ask(t, server.URL, "SHOW data_directory"),
		ask(t, server.URL, "SELECT pg_relation_filepath(tableoid::regclass)::text FROM events LIMIT 1"))
	must(t, e.Close())
	server.Stop()
	content, err := os.ReadFile(file)
	must(t, err)
	if len(content) < 5*pageSize {
		t.Fatalf("the partition has %d bytes", len(content))
	}
	copy(content[2*pageSize:3*pageSize], bytes.Repeat([]byte{0xff}, pageSize))
	must(t, os.WriteFile(file, content, 0o600))
	server.Start()

	e = open(t, server.URL).Events()
	var skip []store.SkippedEvent
	var left, played []event.Position
	for position := event.Position(1); position <= all; position++ {
		switch _, err := e.Read(t.Context(), store.EventQuery{UpTo: position}, position-1, 1); {
		case fault.CodeOf(err) == fault.Internal:
			skip = append(skip, store.SkippedEvent{Position: position, Reason: "damaged"})
		case err != nil:
			t.Fatal(err)
		default:
			left = append(left, position)
			if (position-1)%3 != 0 {
				played = append(played, position)
			}
		}
	}
	if len(skip) == 0 || len(skip) > 60 {
		t.Fatalf("%d events cannot be read", len(skip))
	}
	if n, err := e.SkipDamaged(t.Context(), skip); n != len(skip) || err != nil {
		t.Fatalf("%d of %d are skipped, error %v", n, len(skip), err)
	}
	for _, expected := range []struct {
		query store.EventQuery
		want  []event.Position
	}{{store.EventQuery{}, left}, {store.EventQuery{Kinds: []event.Kind{event.Playback}}, played}} {
		events, err := e.Read(t.Context(), expected.query, 0, 10_000)
		must(t, err)
		var found []event.Position
		for i := range events {
			found = append(found, events[i].Position)
		}
		if diff := cmp.Diff(expected.want, found); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	_, err = e.Append(t.Context(), []event.Submission{{Events: events[:1]}})
	must(t, err)
}
