package storetest

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

var eventRaceTests = map[string]func(l *eventsFixture){
	"appends at once":           testAppendTogether,
	"followers skip no entry":   testEventFollower,
	"appends beside a drop":     testAppendBesideDrop,
	"a class is erased at once": testEraseTogether,
}

// testAppendTogether checks that concurrent appends in several processes leave no gap, and that each submission is
// complete and contiguous.
func testAppendTogether(l *eventsFixture) {
	const writers, appends = 6, 12
	logs := l.racers(3)
	together(writers, func(w int) {
		for i := range appends {
			var list []event.Submission
			for part := range 2 {
				s := event.Submission{Client: "client", Received: morning}
				for n := range 1 + (w+i)%4 {
					e := watched(n)
					e.Trace = fmt.Sprintf("%d/%d/%d", w, i, part)
					s.Events = append(s.Events, e)
				}
				list = append(list, s)
			}
			if _, err := logs[w%3].Append(l.Context(), list); err != nil {
				l.Error(err)
			}
		}
	})
	events := l.read(store.EventQuery{})
	runs, last := map[string]int{}, ""
	for i, e := range events {
		if e.Position != int64(i+1) {
			l.Fatalf("position %d follows %d", e.Position, i)
		}
		if e.Trace != last && runs[e.Trace] > 0 {
			l.Errorf("other events are among those of %s", e.Trace)
		}
		if int(e.ID[1]) != runs[e.Trace] {
			l.Errorf("event %d of %s is at index %d", e.ID[1], e.Trace, runs[e.Trace])
		}
		runs[e.Trace]++
		last = e.Trace
	}
	if len(runs) != writers*appends*2 || l.head() != int64(len(events)) {
		l.Errorf("%d submissions of %d, %d events up to %d", len(runs), writers*appends*2, len(events), l.head())
	}
}

// testEventFollower checks that a reader that continues after the last position it has seen sees every event once,
// while others append.
func testEventFollower(l *eventsFixture) {
	const writers, appends = 4, 25
	logs := l.racers(3)
	var ended atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		together(writers, func(w int) {
			for i := range appends {
				s := event.Submission{Client: "client", Received: morning}
				for range 1 + i%3 {
					s.Events = append(s.Events, watched(w))
				}
				if _, err := logs[w%2].Append(l.Context(), []event.Submission{s}); err != nil {
					l.Error(err)
				}
			}
		})
		ended.Store(true)
	})
	after := event.Position(0)
	for last := false; ; {
		head, err := logs[2].Head(l.Context())
		l.must(err)
		page, err := logs[2].Read(l.Context(), store.EventQuery{}, after, 5)
		l.must(err)
		if len(page) == 0 && head > after {
			l.Fatalf("behind %d nothing is read, though the head was %d", after, head)
		}
		for _, e := range page {
			if e.Position != after+1 {
				l.Fatalf("%d follows %d", e.Position, after)
			}
			after = e.Position
		}
		if len(page) == 0 {
			if last {
				break
			}
			last = ended.Load()
		}
	}
	all.Wait()
	if after != l.head() || after < writers*appends {
		l.Errorf("met events up to %d of %d", after, l.head())
	}
}

// testAppendBesideDrop checks that appends succeed while a month is dropped, and that none of their events is lost.
func testAppendBesideDrop(l *eventsFixture) {
	const old = 12_000
	month, next := event.Submission{}, watched(1)
	for n := range old {
		e := watched(n)
		e.Received, e.At = monthsAgo(3), monthsAgo(3)
		month.Events = append(month.Events, e)
	}
	_, err := l.Append(l.Context(), []event.Submission{month})
	l.must(err)
	other, during := l.another(), 0
	dropping := make(chan error, 1)
	go func() {
		_, err := other.Drop(l.Context(), monthOf(1))
		dropping <- err
	}()
	for done := false; !done; {
		select {
		case err := <-dropping:
			l.must(err)
			done = true
		default:
			l.append(next)
			during++
		}
	}
	events := l.read(store.EventQuery{Dropped: old})
	if len(events) != during || l.head() != int64(old+during) || (during > 0 && events[0].Position != old+1) {
		l.Errorf("%d events of %d are left, the head is %d", len(events), during, l.head())
	}
}

// testEraseTogether checks that persons whose events came in one request can be erased concurrently, each completely,
// and that no other person's address is lost.
func testEraseTogether(l *eventsFixture) {
	const pupils, erasers = 60, 3
	var given []event.Event
	for i := range pupils {
		e := watched(i)
		e.ExternalUser, e.Address = fmt.Sprint("pupil ", i%20), "192.0.2.1"
		given = append(given, e)
	}
	l.append(given...)
	logs := l.racers(erasers)
	together(erasers, func(n int) {
		for i := n; i < 18; i += erasers {
			erased, err := logs[n].Erase(l.Context(), "account", fmt.Sprint("xpupil ", i), fmt.Sprint("alias ", i), math.MaxInt64)
			if err != nil || erased != pupils/20 {
				l.Errorf("%d events of pupil %d are erased (%v)", erased, i, err)
			}
		}
	})
	for _, e := range l.read(store.EventQuery{}) {
		gone := (e.Position-1)%20 < 18
		if (e.Address == "") != gone || (e.ExternalUser == fmt.Sprint("alias ", (e.Position-1)%20)) != gone {
			l.Errorf("event %d is that of %q at %q", e.Position, e.ExternalUser, e.Address)
		}
	}
}
