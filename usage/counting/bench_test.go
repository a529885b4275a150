package counting_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// BenchmarkVerifyNext counts spans of 200,000 events of 300 accounts again, as the background does without its pauses. It
// reports the time and the processor time of this process for each event.
func BenchmarkVerifyNext(b *testing.B) {
	engines := map[string]func() (store.Events, error){
		"SQLite": func() (store.Events, error) {
			return sqlite.OpenEvents(b.Context(), filepath.Join(b.TempDir(), "events.db"))
		},
		"PostgreSQL": func() (store.Events, error) {
			where := testservers.SharedPostgreSQL(b).URL
			if _, err := postgres.Migrate(b.Context(), where); err != nil {
				return nil, err
			}
			database, err := postgres.Open(b.Context(), where)
			if err != nil {
				return nil, err
			}
			return database.Events(), nil
		},
	}
	for name, open := range engines {
		b.Run(name, func(b *testing.B) {
			log, err := open()
			must(b, err)
			b.Cleanup(func() { _ = log.Close() })
			const events = 400_000
			appendMany(b, log, events)
			u := &memoryUsage{}
			must(b, u.Apply(b.Context(), usage.Progress{}, usage.Progress{Position: events, AsOf: month("2026-11").Start()}, nil))
			now := month("2026-11").Start().Time()
			counter := counting.New(counting.Options{Log: log, Usage: u, Catalogue: videos{}, VerifyLoad: 1, Now: func() time.Time { return now }})
			busy, read := time.Duration(0), int64(0)
			for b.Loop() {
				now = now.Add(counting.Rotation)
				start := processor()
				report, err := counter.VerifyNext(b.Context())
				must(b, err)
				busy, read = busy+processor()-start, read+report.Recounted
			}
			start := processor()
			const scans = 20
			for range scans { // nobody's turn has come
				_, err := counter.VerifyNext(b.Context())
				must(b, err)
			}
			scanned := processor() - start
			size := 0
			for _, span := range u.spans {
				size += len(span.Content)
			}
			b.ReportMetric(float64(busy)/float64(read), "cpu-ns/event")
			b.ReportMetric(float64(b.Elapsed())/float64(read), "ns/event")
			b.ReportMetric(float64(scanned.Microseconds())/float64(scans*len(u.spans)), "cpu-µs/span")
			b.ReportMetric(float64(size)/float64(len(u.spans)), "B/span")
		})
	}
}

// BenchmarkRecount recounts 400,000 events of 300 accounts on SQLite. It reports the time and the processor time of this
// process for each event, the time of the end, and the bytes of the counts.
func BenchmarkRecount(b *testing.B) {
	folder := b.TempDir()
	log, err := sqlite.OpenEvents(b.Context(), filepath.Join(folder, "events.db"))
	must(b, err)
	b.Cleanup(func() { _ = log.Close() })
	const events = 400_000
	appendMany(b, log, events)
	file := filepath.Join(folder, "usage.db")
	u, err := sqlite.OpenUsage(b.Context(), file)
	must(b, err)
	b.Cleanup(func() { _ = u.Close() })
	counter := counting.New(counting.Options{Log: log, Usage: u, Catalogue: videos{}})
	start := processor()
	must(b, counter.CatchUp(b.Context()))
	counted := processor() - start
	info, err := os.Stat(file)
	must(b, err)
	busy := time.Duration(0)
	for b.Loop() {
		start := processor()
		must(b, counter.Recount(b.Context()))
		busy += processor() - start
	}
	b.ReportMetric(float64(counted)/events, "counting-cpu-ns/event")
	b.ReportMetric(float64(busy)/float64(b.N*events), "cpu-ns/event")
	b.ReportMetric(float64(b.Elapsed())/float64(b.N*events), "ns/event")
	b.ReportMetric(float64(info.Size())/events, "B/event")
}

// appendMany appends playback events of two days, a hundred at a time.
func appendMany(b *testing.B, log store.Events, n int) {
	b.Helper()
	draw := rand.New(rand.NewPCG(1, 1))
	start := month("2026-10").Start()
	for at := 0; at < n; at += 5000 {
		var submissions []event.Submission
		for i := 0; i < 5000; i += 100 {
			var events []event.Event
			for k := range 100 {
				account := draw.IntN(300)
				e := segment(fmt.Sprintf("5c54da74d8eafeecae%06d", account), start+event.Instant(int64(at+i+k)*400), 0, 1+draw.Int64N(60_000))
				e.Client, e.ExternalUser = fmt.Sprint("client-", account, "-", draw.IntN(2)), fmt.Sprint("pupil ", draw.IntN(60_000))
				e.Video = fmt.Sprintf("7511f0f93675845e1c%06d", int(draw.ExpFloat64()*2000))
				e.ID = idOf(e.Received, int64(at+i+k))
				events = append(events, e)
			}
			submissions = append(submissions, event.Submission{Events: events})
		}
		if _, err := log.Append(context.Background(), submissions); err != nil {
			b.Fatal(err)
		}
	}
}

// processor returns the processor time of this process.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
