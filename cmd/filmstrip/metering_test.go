package main

import (
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestDropsWhatIsCounted: a month is dropped once all of it is counted, and not before, whatever clock the last event
// that was counted was received by.
func TestDropsWhatIsCounted(t *testing.T) {
	folder := t.TempDir()
	log := must(sqlite.OpenEvents(t.Context(), filepath.Join(folder, eventsFile)))(t)
	counts := must(sqlite.OpenUsage(t.Context(), filepath.Join(folder, usageFile)))(t)
	t.Cleanup(func() { _, _ = log.Close(), counts.Close() })
	s := &service{stores: &stores{events: log, usage: counts}}
	october := usage.Month{Year: 2026, Month: 10}
	for _, received := range []event.Instant{october.End() + 1000*event.Hour, october.Start() - 2, october.Start() - 1, october.Start()} {
		must(log.Append(t.Context(), []event.Submission{{Received: received, Events: []event.Event{{Kind: event.PageRender, Received: received}}}}))(t)
	}
	for _, step := range []struct {
		counted event.Position
		dropped bool
	}{{0, false}, {1, false}, {2, false}, {3, true}, {4, true}} {
		from := must(counts.Progress(t.Context()))(t)
		if err := counts.Apply(t.Context(), from, usage.Progress{Position: step.counted, AsOf: october.End() + 1000*event.Hour}, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.dropBefore(t.Context(), october); err != nil {
			t.Fatal(err)
		}
		if left := must(log.Read(t.Context(), store.EventQuery{To: october.Start(), Dropped: 3}, 0, 10))(t); (len(left) == 0) != step.dropped {
			t.Errorf("with %d events counted, %d of September are left", step.counted, len(left))
		}
	}
}
