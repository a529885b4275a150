package counting_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage"
)

// onStores runs a test on each engine, which is empty.
func onStores(t *testing.T, test func(t *testing.T, where string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("PostgreSQL", func(t *testing.T) {
		where := testservers.SharedPostgreSQL(t).URL
		_, err := postgres.Migrate(t.Context(), where)
		must(t, err)
		test(t, where)
	})
}

// TestVerifyOnStores drops months whose last events stand among the first of the next, forgets somebody, and
// counts again.
func TestVerifyOnStores(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		s, err := openStore(t.Context(), where)
		must(t, err)
		defer func() { must(t, s.close()) }()
		var events []event.Event
		for _, m := range []string{"2026-07", "2026-08", "2026-09"} {
			start := month(m).Start()
			for i, received := range []event.Instant{start + 1, start - 1, start + 2, start + event.Hour, start + 50*event.Hour} {
				e := segment([]string{"one", "two"}[i%2], received, 0, 1000)
				e.ExternalUser = fmt.Sprint("pupil ", i)
				e.ID = event.ID{6: 0x70, 15: byte(len(events) + 1)}
				events = append(events, e)
			}
		}
		_, err = s.log.Append(t.Context(), []event.Submission{{Events: events}})
		must(t, err)
		_, err = s.Seal(t.Context(), month("2026-07"), true)
		must(t, err)
		agrees := func(from event.Position, unchecked ...usage.Month) {
			t.Helper()
			report, err := s.Verify(t.Context())
			must(t, err)
			if !report.Agrees() || report.From != from || !slices.Equal(report.Unchecked, unchecked) {
				t.Errorf("got %+v", report)
			}
		}
		agrees(0)
		must(t, s.Recount(t.Context()))
		must(t, s.CatchUp(t.Context()))
		agrees(0)
		forgotten, err := s.Forget(t.Context(), "one", "xpupil 2")
		must(t, err)
		if forgotten != 3 {
			t.Errorf("%d events are forgotten", forgotten)
		}
		agrees(0)
		dropped, err := s.log.Drop(t.Context(), month("2026-08"))
		must(t, err)
		if dropped != 7 {
			t.Errorf("dropped up to %d", dropped)
		}
		// The last of July, which stands behind the first of August, is gone as well.
		agrees(7, month("2026-06"), month("2026-07"), month("2026-08"))
	})
}
