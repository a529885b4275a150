package storetest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

var viewingTests = map[string]func(l *eventsFixture){
	"viewings are bounded":         testViewings,
	"viewings and keys":            testViewingsAndKeys,
	"viewings at once":             testViewingsAtOnce,
	"viewings with many events":    testViewingsOfBatches,
	"viewings that are forgotten":  testForgetViewings,
	"viewings outlive the process": testViewingsReopen,
}

// viewed returns a submission of plays with the given lengths in milliseconds. A page sends it the given number of
// milliseconds after the page was opened.
func viewed(viewing string, after event.Instant, plays ...int64) event.Submission {
	s := event.Submission{
		Client: "client", Received: morning + after, Viewing: &event.Viewing{ID: viewing, Opened: morning},
	}
	for _, played := range plays {
		e := watched(1)
		e.Received, e.At, e.End, e.Counted = s.Received, s.Received, played, played
		s.Events = append(s.Events, e)
	}
	return s
}

// counts checks how many milliseconds each event of the log, in order, counts for.
func (l *eventsFixture) counts(what string, want ...int64) {
	l.Helper()
	wantEach(l, what, func(e *event.Event) int64 { return e.Counted }, want)
}

// wantEach checks a value of each event of the log, in order.
func wantEach[T comparable](l *eventsFixture, what string, of func(e *event.Event) T, want []T) {
	l.Helper()
	var got []T
	for _, e := range l.read(store.EventQuery{}) {
		got = append(got, of(&e))
	}
	if !slices.Equal(got, want) {
		l.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func testViewings(l *eventsFixture) {
	first := viewed("a", 1000, 3000)
	l.judged("the first", []event.Submission{first}, event.Stored)
	l.judged("more", []event.Submission{viewed("a", 1000, 3000), viewed("b", 500, 9000), viewed("a", 2000, 500, 9000, 1)}, event.Stored, event.Stored, event.Stored)
	early := viewed("c", -5000, 1000) // the clocks of processes differ
	l.judged("others", []event.Submission{viewed("a", 2500, 9000), early, {Client: "client", Received: morning, Events: []event.Event{playedFor(7000)}}}, event.Stored, event.Stored, event.Stored)
	l.counts("four times the time, and no more", 3000, 1000, 2000, 500, 3500, 0, 2000, 0, 7000)
	if first.Events[0].Counted != 3000 || early.Events[0].Counted != 1000 {
		l.Error("Append changed its argument")
	}
	for _, e := range l.read(store.EventQuery{}) {
		if e.End == 9000 && e.Excess() != 9000-e.Counted {
			l.Errorf("of 9000 ms %d count and %d are excess", e.Counted, e.Excess())
		}
	}
}

func playedFor(played int64) event.Event {
	e := watched(1)
	e.End, e.Counted = played, played
	return e
}

// testViewingsAndKeys checks that a repeated submission adds nothing, in the same list or later, and does not reduce
// the remaining allowance.
func testViewingsAndKeys(l *eventsFixture) {
	with := func(key string, s event.Submission, content string) event.Submission {
		s.Key, s.Fingerprint = key, hashOf(content)
		return s
	}
	one := with("k", viewed("a", 1000, 3000), "x")
	l.judged("once", []event.Submission{one, one, with("k", viewed("a", 1000, 3000), "y")}, event.Stored, event.Repeated, event.Mismatched)
	l.judged("again", []event.Submission{one, with("m", viewed("a", 1000, 3000), "z")}, event.Repeated, event.Stored)
	l.judged("and again", []event.Submission{one, with("m", viewed("a", 1000, 3000), "z")}, event.Repeated, event.Repeated)
	l.counts("each once", 3000, 1000)
}

// testViewingsAtOnce checks that concurrent submissions in two processes share the allowance of a viewing.
func testViewingsAtOnce(l *eventsFixture) {
	logs := l.racers(2)
	var guard sync.Mutex
	together(12, func(i int) {
		a, b := viewed("a", 1000, 900), viewed("b", 1000, 700)
		list := []event.Submission{a, b}
		if i%3 == 0 {
			list = []event.Submission{b, a}
		}
		if i%4 == 0 {
			list[0].Key, list[0].Fingerprint = fmt.Sprint("key-", i), hashOf(fmt.Sprint(i))
		}
		if _, err := logs[i%2].Append(l.Context(), list); err != nil {
			guard.Lock()
			l.Error(err)
			guard.Unlock()
		}
	})
	sums := map[int64]int64{}
	for _, e := range l.read(store.EventQuery{}) {
		sums[e.End] += e.Counted
	}
	if len(l.read(store.EventQuery{})) != 24 || sums[900] != 4000 || sums[700] != 4000 {
		l.Errorf("of 12 times 900 and 700 ms count %v, want 4000 of each", sums)
	}
}

// testViewingsOfBatches checks a number of events for which an engine uses another way of writing.
func testViewingsOfBatches(l *eventsFixture) {
	l.judged("many", []event.Submission{viewed("a", 1000, slices.Repeat([]int64{10}, 500)...)}, event.Stored)
	sum := int64(0)
	for _, e := range l.read(store.EventQuery{}) {
		sum += e.Counted
	}
	if sum != 4000 || l.head() != 500 {
		l.Errorf("%d ms count in %d events, want 4000 in 500", sum, l.head())
	}
}

func testForgetViewings(l *eventsFixture) {
	l.judged("new", []event.Submission{viewed("old", 1000, 4000)}, event.Stored)
	kept := viewed("kept", 1000, 3999)
	kept.Viewing.Opened++
	l.judged("new", []event.Submission{kept}, event.Stored)
	l.must(l.ForgetViewings(l.Context(), morning+1))
	l.judged("afterwards", []event.Submission{viewed("old", 1000, 4000), kept}, event.Stored, event.Stored)
	l.counts("of viewings that were opened before", 4000, 3996, 4000, 0)
}

func testViewingsReopen(l *eventsFixture) {
	l.judged("new", []event.Submission{viewed("a", 1000, 3000)}, event.Stored)
	other := l.another()
	_, err := other.Append(l.Context(), []event.Submission{viewed("a", 1000, 3000)})
	l.must(err)
	l.counts("in another process", 3000, 1000)
}
