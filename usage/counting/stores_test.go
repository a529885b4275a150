package counting_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// The test binary also serves as the other process: if childStore is set, it counts the events of that store until it
// is killed.
const (
	childStore = "FILMSTRIP_TEST_STORE"
	// If childRecounts is set, the process recounts instead. It stops where stopping says.
	childRecounts = "FILMSTRIP_TEST_RECOUNTS"
)

// stopping is a usage store that does not return from GatherRecount: "before" anything is gathered, or "after".
type stopping struct {
	store.Usage
	where string
}

func (s stopping) GatherRecount(ctx context.Context, recount usage.Recount) (usage.Recount, error) {
	if s.where == "before" {
		select {}
	}
	recount, err := s.Usage.GatherRecount(ctx, recount)
	if s.where == "after" {
		select {}
	}
	return recount, err
}

func TestMain(m *testing.M) {
	if where := os.Getenv(childStore); where != "" {
		fmt.Println("failed:", countStore(where))
		os.Exit(1)
	}
	os.Exit(testservers.Main(m))
}

func countStore(where string) error {
	ctx := context.Background()
	s, err := openStore(ctx, where)
	if err != nil {
		return err
	}
	if os.Getenv(childRecounts) != "" {
		s.Batch = 1 // a recount takes larger steps than counting, and must not end before the process is killed
		s.Usage = stopping{s.usage, os.Getenv(childRecounts)}
		if err := s.Recount(ctx); err != nil {
			return err
		}
		fmt.Println("counted again")
		select {}
	}
	s.Run(ctx)
	return s.close()
}

// countedStore is a Counter over a store. The Counter takes small steps and uses no lease.
type countedStore struct {
	*counting.Counter
	log   store.Events
	usage store.Usage
	close func() error
}

// openStore opens SQLite files in a directory, or a PostgreSQL database.
func openStore(ctx context.Context, where string) (s countedStore, err error) {
	if strings.HasPrefix(where, "postgres:") {
		database, err := postgres.Open(ctx, where)
		if err != nil {
			return s, err
		}
		s.log, s.usage, s.close = database.Events(), database.Usage(), database.Close
	} else {
		log, err := sqlite.OpenEvents(ctx, filepath.Join(where, "events.db"))
		if err != nil {
			return s, err
		}
		counted, err := sqlite.OpenUsage(ctx, filepath.Join(where, "usage.db"))
		if err != nil {
			return s, errors.Join(err, log.Close())
		}
		s.log, s.usage, s.close = log, counted, func() error { return errors.Join(counted.Close(), log.Close()) }
	}
	s.Counter = counting.New(counting.Options{
		Log: s.log, Usage: s.usage, Catalogue: videos{},
		Batch: 40, Poll: time.Millisecond, Rest: time.Microsecond, MaxBackOff: 10 * time.Millisecond,
	})
	return s, nil
}

// onStores runs a test on an empty store of each engine.
func onStores(t *testing.T, test func(t *testing.T, where string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("PostgreSQL", func(t *testing.T) {
		where := testservers.SharedPostgreSQL(t).URL
		_, err := postgres.Migrate(t.Context(), where)
		must(t, err)
		test(t, where)
	})
}

// TestVerifyOnStores recounts, forgets a person and drops months, and verifies after each step. The last events of each
// month follow the first events of the next month in the log.
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
		// The last event of July follows the first of August and is dropped as well.
		agrees(7, month("2026-06"), month("2026-07"), month("2026-08"))
	})
}

// amounts returns plays and milliseconds by the other fields of a sum.
func amounts(ledger []usage.Sum) map[usage.Sum][2]int64 {
	of := map[usage.Sum][2]int64{}
	for _, s := range ledger {
		amount := [2]int64{s.Plays, s.Milliseconds}
		s.Plays, s.Milliseconds = 0, 0
		of[s] = amount
	}
	return of
}

// manyEvents returns 20 events of spring and summer, a few of which are not plays.
func manyEvents(random *rand.Rand, after int) (events []event.Event) {
	for i := range 20 {
		start := random.Int64N(5000)
		e := segment([]string{"one", "two"}[random.IntN(2)], month("2026-04").Start()+event.Instant(random.Int64N(int64(120*24*event.Hour))), start, random.Int64N(9000))
		n := after + i + 1
		e.ID = event.ID{6: 0x70, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}
		e.Received = month("2026-08").Start()
		e.ExternalUser = fmt.Sprint("pupil ", random.IntN(7))
		e.Video = string(catalogue.DeriveID(catalogue.KindVideo, "test", fmt.Sprint(random.IntN(9))))
		events = append(events, e)
	}
	return events
}
