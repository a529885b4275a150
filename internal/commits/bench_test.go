package commits_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/commits"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// BenchmarkSQLite compares, in one run and with the same settings of the disk, 32 clients that each append a
// single event to the log with the same through Commits, and batches of 500 with the same.
func BenchmarkSQLite(b *testing.B) {
	direct := func(log commits.Log) func(context.Context, event.Submission) error {
		return func(ctx context.Context, s event.Submission) error {
			_, err := log.Append(ctx, []event.Submission{s})
			return err
		}
	}
	through := func(log commits.Log) func(context.Context, event.Submission) error {
		c := commits.New(commits.Options{Log: log})
		b.Cleanup(func() { _ = c.Close() })
		return c.Append
	}
	for _, bench := range []struct {
		name   string
		events int
		by     func(commits.Log) func(context.Context, event.Submission) error
	}{
		{"single events one by one", 1, direct}, {"single events sharing commits", 1, through},
		{"batches of 500 one by one", 500, direct}, {"batches of 500 sharing commits", 500, through},
	} {
		b.Run(bench.name, func(b *testing.B) {
			log, err := sqlite.OpenEvents(b.Context(), filepath.Join(b.TempDir(), "events.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			add := bench.by(log)
			var number atomic.Int64
			b.SetParallelism(16) // 32 clients on two processors
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if err := add(b.Context(), played(number.Add(1), bench.events)); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(bench.events*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
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
