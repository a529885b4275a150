package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestDamagedPages overwrites one page of the log after another. It checks that once the events on a damaged page are
// skipped, every query can read all other events, and the log accepts new ones, unless the page is the last one.
func TestDamagedPages(t *testing.T) {
	const all = 300
	path := filepath.Join(t.TempDir(), "events.db")
	e, err := sqlite.OpenEvents(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var events []event.Event
	for i := range all {
		kind := event.Playback
		if i%3 == 0 {
			kind = event.PageRender
		}
		events = append(events, event.Event{ID: event.ID{1}, Kind: kind, At: 1, Received: 1, Account: "damaged", User: "u", Referer: string(bytes.Repeat([]byte("x"), 200))})
	}
	if _, err := e.Append(t.Context(), []event.Submission{{Events: events}}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const leaf = 0x0d
	size := int(content[16])<<8 | int(content[17])
	pages := 0
	for at := size; at < len(content); at += size {
		if page := content[at : at+size]; page[0] == leaf && bytes.Contains(page, []byte("damaged")) {
			pages++
			damaged := bytes.Clone(content)
			copy(damaged[at:at+size], bytes.Repeat([]byte{0xff}, size))
			testDamagedPage(t, damaged, all)
		}
	}
	if pages < 10 {
		t.Errorf("the log has %d pages", pages)
	}
}

func testDamagedPage(t *testing.T, content []byte, all event.Position) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := sqlite.OpenEvents(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var skip []store.SkippedEvent
	var left, played []event.Position
	for position := event.Position(1); position <= all; position++ {
		switch _, err := e.Read(t.Context(), store.EventQuery{UpTo: position}, position-1, 1); {
		case fault.CodeOf(err) == fault.Internal:
			skip = append(skip, store.SkippedEvent{Position: position})
		case err != nil:
			t.Fatal(err)
		default:
			left = append(left, position)
			if (position-1)%3 != 0 {
				played = append(played, position)
			}
		}
	}
	if len(skip) == 0 || len(skip) > 30 {
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
		if err != nil {
			t.Fatalf("behind events %d to %d: %v", skip[0].Position, skip[len(skip)-1].Position, err)
		}
		var found []event.Position
		for i := range events {
			found = append(found, events[i].Position)
		}
		if diff := cmp.Diff(expected.want, found); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if n, err := e.Erase(t.Context(), "damaged", "uu", "nobody", 1_000); n != int64(len(left)) || err != nil {
		t.Errorf("around events %d to %d: %d of %d are erased, error %v", skip[0].Position, skip[len(skip)-1].Position, n, len(left), err)
	}
	last := skip[len(skip)-1].Position == all
	_, err = e.Append(t.Context(), []event.Submission{{Events: []event.Event{{Kind: event.Playback, At: 1, Received: 1}}}})
	if last != (err != nil) {
		t.Errorf("appending behind events %d to %d: %v", skip[0].Position, skip[len(skip)-1].Position, err)
	}
}
