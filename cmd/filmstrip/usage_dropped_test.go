package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestCountsFromBeforeADrop restores counts that are older than a retention drop. No command silently counts, seals or
// verifies them: each states which events are missing and what to do, and an explicit command accepts the loss.
func TestCountsFromBeforeADrop(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 0)
	data := where[1]
	report := func(month string, count int) {
		t.Helper()
		log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, app.EventsFile)))(t)
		defer func() { _ = log.Close() }()
		received := apptest.Must(usage.ParseMonth(month))(t).Start() + 36*event.Hour
		events := make([]event.Event, count)
		for i := range events {
			events[i] = event.Event{ID: event.ID{byte(received >> 32), byte(received >> 24), byte(i), 6: 0x70}, Kind: event.Playback,
				At: received, Received: received, Account: "school", Client: "web", Video: "v", End: 1000}
		}
		apptest.Must(log.Append(t.Context(), []event.Submission{{Received: received, Events: events}}))(t)
	}
	report("2026-01", 8)
	run("usage", "verify")
	old := apptest.Must(os.ReadFile(filepath.Join(data, app.UsageFile)))(t)
	report("2026-01", 7)
	report("2026-02", 5)
	run("usage", "verify")
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, app.EventsFile)))(t)
	apptest.Must(log.Drop(t.Context(), apptest.Must(usage.ParseMonth("2026-02"))(t)))(t)
	apptest.Must(0, log.Close())(t)
	run("usage", "verify")
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(filepath.Join(data, app.UsageFile+suffix))
	}
	apptest.Must(0, os.WriteFile(filepath.Join(data, app.UsageFile), old, 0o600))(t)

	const says = "usage is counted up to event 8 and retention has dropped events up to 15"
	for _, args := range [][]string{
		{"usage", "verify"}, {"usage", "seal", "--month", "2026-01"}, {"usage", "recount"},
		{"usage", "export", "--account", "school", "--month", "2026-01", "--format", "csv"},
	} {
		got := command(t, nil, "", append(args, where...)...)
		if got.Status == 0 || !strings.Contains(got.Err, says) || !strings.Contains(got.Err, "usage skip-dropped") {
			t.Errorf("filmstrip %s: status %d: %s%s", strings.Join(args, " "), got.Status, got.Out, got.Err)
		}
	}
	if got := command(t, nil, "", append([]string{"events", "export", "--after", "8", "--format", "jsonl"}, where...)...); got.Status == 0 ||
		!strings.Contains(got.Err, "retention has dropped events up to position 15") || !strings.Contains(got.Err, "without --after") {
		t.Errorf("an export behind what was dropped: status %d: %s", got.Status, got.Err)
	}
	for _, after := range []string{"0", "15"} {
		if lines := strings.Count(run("events", "export", "--after", after, "--format", "jsonl"), "\n"); lines != 5 {
			t.Errorf("exported behind %s: %d lines", after, lines)
		}
	}

	if got := run("usage", "skip-dropped"); got != "no bill contains the dropped events after 8, up to 15\n" {
		t.Errorf("skipping prints %q", got)
	}
	if got := run("usage", "skip-dropped"); got != "no event was dropped before it was counted\n" {
		t.Errorf("skipping again prints %q", got)
	}
	run("usage", "verify")
	for month, want := range map[string]int64{"2026-01": 8, "2026-02": 5} {
		if s := statementOf(t, run("usage", "export", "--account", "school", "--month", month, "--format", "jsonl")); s.Plays != want {
			t.Errorf("%d plays are on the statement of %s, want %d", s.Plays, month, want)
		}
	}
}
