package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

func benchEvents(b *testing.B) *sqlite.Events {
	b.Helper()
	e, err := sqlite.OpenEvents(context.Background(), filepath.Join(b.TempDir(), "events.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	return e
}

// benchEvent returns an event such as a player reports.
func benchEvent(n int) event.Event {
	now := event.InstantOf(time.Now())
	return event.Event{
		ID: event.ID{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, Kind: event.Playback, At: now, Received: now,
		Account: "account-0123456789abcdef", Client: "client-0123456789abcdef", ExternalUser: fmt.Sprint("pupil-", n%5000),
		Video: "5c54da74d8eafeecae225bbd", Start: 1000, End: 61_000, Trace: "4bf92f3577b34da6a3ce929d0e0e4736",
		Referer: "https://school.example/lesson/42", Address: "192.0.2.17",
	}
}

// BenchmarkAppend stores events as requests deliver them: alone, in the groups that simultaneous requests form, with
// and without keys, and as one request with many events.
func BenchmarkAppend(b *testing.B) {
	for _, group := range []struct {
		name                string
		submissions, events int
		keys                bool
	}{
		{"single", 1, 1, false}, {"single with a key", 1, 1, true}, {"group of 32", 32, 1, false}, {"group of 32 with keys", 32, 1, true},
		{"group of 500", 500, 1, false}, {"request of 500", 1, 500, false},
	} {
		b.Run(group.name, func(b *testing.B) {
			e, n := benchEvents(b), 0
			measure(b, func() {
				list := make([]event.Submission, group.submissions)
				for i := range list {
					if group.keys {
						list[i].Client, list[i].Key = "client", fmt.Sprint("key-", n)
					}
					list[i].Received = event.InstantOf(time.Now())
					for range group.events {
						list[i].Events = append(list[i].Events, benchEvent(n))
						n++
					}
				}
				if _, err := e.Append(context.Background(), list); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkReadEvents reads a page of 10,000 events, and the events of one person among 100,000.
func BenchmarkReadEvents(b *testing.B) {
	e := benchEvents(b)
	for range 10 {
		s := event.Submission{}
		for n := range 10_000 {
			s.Events = append(s.Events, benchEvent(n))
		}
		if _, err := e.Append(context.Background(), []event.Submission{s}); err != nil {
			b.Fatal(err)
		}
	}
	for name, query := range map[string]struct {
		person string
		want   int
	}{"page": {"", 10_000}, "person": {"xpupil-17", 20}} {
		b.Run(name, func(b *testing.B) {
			measure(b, func() {
				events, err := e.Read(context.Background(), store.EventQuery{Person: query.person}, 0, 10_000)
				if err != nil || len(events) != query.want {
					b.Fatal(len(events), err)
				}
			})
		})
	}
}
