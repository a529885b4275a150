//go:build !race

package intake_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// BenchmarkSQLite and BenchmarkPostgreSQL compare appends to the log itself with appends through Commits, in one run
// and with the same disk settings. 32 clients append single events, and then batches of 500.
func BenchmarkSQLite(b *testing.B) {
	benchmark(b, []int{1}, func(b *testing.B) store.Events {
		log, err := sqlite.OpenEvents(b.Context(), filepath.Join(b.TempDir(), "events.db"))
		if err != nil {
			b.Fatal(err)
		}
		return log
	})
}

func BenchmarkPostgreSQL(b *testing.B) {
	server := testservers.PostgreSQL(b, testservers.Durable())
	if _, err := postgres.Migrate(b.Context(), server.URL); err != nil {
		b.Fatal(err)
	}
	benchmark(b, []int{1, 2, 3}, func(b *testing.B) store.Events {
		database, err := postgres.Open(b.Context(), server.URL)
		if err != nil {
			b.Fatal(err)
		}
		return database.Events()
	})
}

func benchmark(b *testing.B, concurrent []int, open func(*testing.B) store.Events) {
	for _, events := range []int{1, 500} {
		b.Run(fmt.Sprintf("%d events, one by one", events), func(b *testing.B) {
			log := open(b)
			defer log.Close()
			hand(b, events, func(ctx context.Context, s event.Submission) error {
				_, err := log.Append(ctx, []event.Submission{s})
				return err
			})
		})
		for _, n := range concurrent {
			b.Run(fmt.Sprintf("%d events, sharing commits, %d at once", events, n), func(b *testing.B) {
				log := open(b)
				defer log.Close()
				c := intake.New(intake.Options{Log: log, Concurrent: n})
				defer c.Close()
				hand(b, events, func(ctx context.Context, s event.Submission) error {
					_, err := c.Append(ctx, s)
					return err
				})
				stats := c.Stats()
				b.ReportMetric(float64(stats.Events)/float64(stats.Commits), "events/commit")
			})
		}
	}
}

// hand appends events from 32 concurrent clients.
func hand(b *testing.B, events int, add func(context.Context, event.Submission) error) {
	var number atomic.Int64
	b.SetParallelism(32 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := add(b.Context(), played(number.Add(1), events)); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}

func played(number int64, events int) event.Submission {
	s := event.Submission{Client: "web", Events: make([]event.Event, events)}
	for i := range s.Events {
		s.Events[i] = event.Event{
			ID: event.ID{byte(number), byte(number >> 8), byte(number >> 16), byte(i), byte(i >> 8)}, Kind: event.Playback,
			At: 1_790_000_000_000 + event.Instant(number), Received: 1_790_000_000_000 + event.Instant(number),
			Account: "school", Client: "web", User: "5c7f3a1be4b0d8a1f2c3d4e5", Video: "5c54d813d8eafeecae2114da",
			Start: 1000 * int64(i), End: 1000*int64(i) + 10_000, Trace: "4bf92f3577b34da6a3ce929d0e0e4736",
			Referer: "https://lms.example/course/7", Address: "192.0.2.7",
		}
	}
	return s
}
