package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestDropsWhatIsSealed: a month is dropped once it is sealed, with all that was received in it, and not before,
// whatever clock an event was received by.
func TestDropsWhatIsSealed(t *testing.T) {
	folder := t.TempDir()
	log := must(sqlite.OpenEvents(t.Context(), filepath.Join(folder, eventsFile)))(t)
	counts := must(sqlite.OpenUsage(t.Context(), filepath.Join(folder, usageFile)))(t)
	t.Cleanup(func() { _, _ = log.Close(), counts.Close() })
	s := &service{stores: &stores{events: log, usage: counts}}
	october := usage.Month{Year: 2026, Month: 10}
	august, september, november := usage.Month{Year: 2026, Month: 8}, usage.Month{Year: 2026, Month: 9}, usage.Month{Year: 2026, Month: 11}
	for _, received := range []event.Instant{august.Start(), october.Start() - 1, october.End() + 1000*event.Hour, october.Start() - 2, october.Start()} {
		must(log.Append(t.Context(), []event.Submission{{Received: received, Events: []event.Event{{Kind: event.PageRender, Received: received}}}}))(t)
	}
	left := func() (positions []event.Position) {
		for _, e := range must(log.Read(t.Context(), store.EventQuery{Dropped: 5}, 0, 10))(t) {
			positions = append(positions, e.Position)
		}
		return positions
	}
	for _, step := range []struct {
		what    string
		counted event.Position
		seal    usage.Month // zero: none
		left    []event.Position
	}{
		{"nothing is counted", 0, usage.Month{}, []event.Position{1, 2, 3, 4, 5}},
		{"all is counted and nothing sealed", 2, usage.Month{}, []event.Position{1, 2, 3, 4, 5}},
		{"August is sealed", 2, august, []event.Position{2, 3, 4, 5}},
		{"September is sealed, and event 4 came after", 3, september, []event.Position{2, 3, 4, 5}},
		{"event 4 is counted, and its seal is not made", 5, usage.Month{}, []event.Position{2, 3, 4, 5}},
		{"October is sealed", 5, october, []event.Position{3, 5}},
		{"November is sealed, which is kept", 5, november, []event.Position{3, 5}},
	} {
		from := must(counts.Progress(t.Context()))(t)
		if err := counts.Apply(t.Context(), from, usage.Progress{Position: step.counted, AsOf: october.End() + 1000*event.Hour}, nil); err != nil {
			t.Fatal(err)
		}
		if step.seal != (usage.Month{}) {
			none := func(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error) {
				return nil, nil
			}
			must(counts.Seal(t.Context(), usage.Seal{Month: step.seal, At: time.Now()}, none))(t)
		}
		if err := s.dropBefore(t.Context(), october); err != nil {
			t.Fatal(err)
		}
		if got := left(); !slices.Equal(got, step.left) {
			t.Errorf("%s: left are %v, want %v", step.what, got, step.left)
		}
	}
}
