package counting_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// TestALogThatWentBackIsNotCounted checks restored counts that are ahead of the log. The log assigns positions a second
// time, and the new events at these positions would never be counted. Therefore nothing is counted, however long the
// log grows and even by a new process, until a recount.
func TestALogThatWentBackIsNotCounted(t *testing.T) {
	before := at("2026-10-01T00:00:00Z")
	for name, later := range map[string]int{"the log ends before": 0, "right there": 2, "and behind": 5} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.log.add(segment("one", before, 0, 1), segment("one", before+1, 0, 2), segment("one", before+2, 0, 4))
			w.count(t)
			w.log.events = w.log.events[:1]
			for i := range later {
				w.log.add(segment("one", before+event.Hour+event.Instant(i), 0, 10))
			}

			w.Counter = counting.New(w.Options)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); w.Run(ctx) }()
			defer func() { cancel(); <-ended }()
			eventually(t, func() bool { return fault.CodeOf(w.Stats().Err) == fault.Conflict })
			w.log.add(segment("one", before+2*event.Hour, 0, 20))
			if err := w.CatchUp(ctx); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("counted on: %v", err)
			}
			if _, err := w.Seal(ctx, month("2026-10"), true); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("sealed: %v", err)
			}
			if len(w.usage.plays) != 3 {
				t.Errorf("%d plays are counted", len(w.usage.plays))
			}

			must(t, w.Recount(ctx))
			eventually(t, func() bool { return w.Stats().Err == nil && w.Stats().Position == event.Position(2+later) })
			report, err := w.Verify(ctx)
			must(t, err)
			if !report.Agrees() || report.Plays != int64(2+later) {
				t.Errorf("counted again: %+v", report)
			}
		})
	}
}

// TestNoRecountOfALogThatLostSealedEvents checks that a log that was restored to a time before a seal or a void is not recounted,
// however long it grows: the seal would take new events at the old positions for billed ones.
func TestNoRecountOfALogThatLostSealedEvents(t *testing.T) {
	before := at("2026-10-01T00:00:00Z")
	for name, later := range map[string]int{"the log ends before": 0, "right there": 2, "and behind": 5, "nothing is lost": -1} {
		for what, do := range map[string]func(w *world) error{
			"a seal": func(w *world) error { _, err := w.Seal(t.Context(), month("2026-10"), true); return err },
			"a void": func(w *world) error {
				w.usage.voids = usage.Voids{{ID: "v", Position: 3, Made: usage.VoidAct{At: w.now}}}
				return nil
			},
		} {
			t.Run(what+", "+name, func(t *testing.T) {
				w := newWorld()
				w.now = (before + 10).Time()
				w.log.add(segment("one", before, 0, 1), segment("one", before+1, 0, 2), segment("one", before+2, 0, 4))
				w.count(t)
				must(t, do(w))
				kept := 3
				if later >= 0 {
					kept = 1
				}
				w.log.events = w.log.events[:kept]
				for i := range later {
					w.log.add(segment("one", before+2*event.Hour+event.Instant(i), 0, 10))
				}
				w.Counter = counting.New(w.Options)
				err := w.Recount(t.Context())
				if later < 0 {
					must(t, err)
				} else if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "up to event 3, which the log has lost") {
					t.Errorf("recounted: %v", err)
				}
			})
		}
	}
}

// TestALogThatWentBackOnFiles does the same with restored files.
func TestALogThatWentBackOnFiles(t *testing.T) {
	folder := t.TempDir()
	add := func(n int, received event.Instant) {
		t.Helper()
		s, err := openStore(t.Context(), folder)
		must(t, err)
		defer func() { must(t, s.close()) }()
		for i := range n {
			e := segment("one", received+event.Instant(i), 0, 1000)
			e.ID = event.ID{0: byte(received >> 16), 1: byte(received >> 24), 6: 0x70, 15: byte(i)}
			_, err := s.log.Append(t.Context(), []event.Submission{{Events: []event.Event{e}}})
			must(t, err)
		}
	}
	counts := func() error {
		t.Helper()
		s, err := openStore(t.Context(), folder)
		must(t, err)
		defer func() { must(t, s.close()) }()
		return s.CatchUp(t.Context())
	}
	before := at("2026-10-01T00:00:00Z")
	add(3, before)
	kept, err := os.ReadFile(filepath.Join(folder, "events.db"))
	must(t, err)
	add(3, before+event.Hour)
	must(t, counts())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(folder, "events.db"+suffix)); err != nil && suffix == "" {
			t.Fatal(err)
		}
	}
	must(t, os.WriteFile(filepath.Join(folder, "events.db"), kept, 0o600))
	for n, want := range []string{"ends at 3", "is another", "is another"} {
		if err := counts(); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), want) {
			t.Errorf("counted on, at %d: %v", n, err)
		}
		add(3, before+event.Instant(2+n)*event.Hour)
	}
	s, err := openStore(t.Context(), folder)
	must(t, err)
	defer func() { must(t, s.close()) }()
	must(t, s.Recount(t.Context()))
	must(t, s.CatchUp(t.Context()))
	report, err := s.Verify(t.Context())
	must(t, err)
	if !report.Agrees() || report.Plays != 12 {
		t.Errorf("counted again: %+v", report)
	}
}
