package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// EmptyEvents creates a new, empty event log and returns a function that opens it. Each opening represents a separate
// process. A log that is closed and opened again contains the stored events. An opened log implements Damaging, and
// segments of its index of persons cover PersonSegment positions.
type EmptyEvents func(t *testing.T) (open func() store.Events)

// Events runs the suite of store.Events.
func Events(t *testing.T, empty EmptyEvents) {
	tests := map[string]func(l *eventsFixture){
		"an empty log":             testEmptyLog,
		"positions follow":         testEventPositions,
		"all submissions or none":  testAppendWhole,
		"too many at once":         testAppendTooMany,
		"events outlive a process": testEventsReopen,
		"ended contexts, events":   testEventsEnded,
		"the size of the log":      testEventsSize,
	}
	for _, more := range []map[string]func(l *eventsFixture){eventReadTests, keyTests, viewingTests, playTests, eventRaceTests, forgetTests, clockTests, damageTests, personTests} {
		maps.Copy(tests, more)
	}
	runOnLogs(t, empty, tests)
}

// runOnLogs runs each test on a new log.
func runOnLogs(t *testing.T, empty EmptyEvents, tests map[string]func(l *eventsFixture)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			l := &eventsFixture{T: t, open: empty(t)}
			l.Events = l.another()
			test(l)
		})
	}
}

// eventsFixture is one empty event log.
type eventsFixture struct {
	*testing.T
	store.Events
	open func() store.Events
}

func (l *eventsFixture) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// another opens the same log once more, as another process does.
func (l *eventsFixture) another() store.Events {
	other := l.open()
	l.Cleanup(func() { _ = other.Close() })
	return other
}

// append stores events without a key.
func (l *eventsFixture) append(events ...event.Event) {
	l.Helper()
	verdicts, err := l.Append(l.Context(), []event.Submission{{Client: "client", Received: morning, Events: events}})
	l.must(err)
	if len(verdicts) != 1 || verdicts[0] != event.Stored {
		l.Fatalf("got the verdicts %v", verdicts)
	}
}

func (l *eventsFixture) head() event.Position {
	l.Helper()
	head, err := l.Head(l.Context())
	l.must(err)
	return head
}

// read returns all events that match a query, page by page.
func (l *eventsFixture) read(query store.EventQuery) (events []event.Event) {
	l.Helper()
	for after := event.Position(0); ; {
		page, err := l.Read(l.Context(), query, after, 7)
		l.must(err)
		if len(page) == 0 {
			return events
		}
		events, after = append(events, page...), page[len(page)-1].Position
	}
}

// holds checks that the log contains exactly the events of these numbers (see watched), at positions from 1.
func (l *eventsFixture) holds(what string, numbers ...int) {
	l.Helper()
	var got []int
	for i, e := range l.read(store.EventQuery{}) {
		got = append(got, int(e.ID[0])<<8|int(e.ID[1]))
		if e.Position != int64(i+1) {
			l.Errorf("%s: event %d has the position %d", what, i+1, e.Position)
		}
	}
	if !slices.Equal(got, numbers) || l.head() != int64(len(numbers)) {
		l.Errorf("%s: got %v up to %d, want %v", what, got, l.head(), numbers)
	}
}

// morning is the time at which the events of the suite are received.
var morning = event.InstantOf(time.Date(2026, 10, 5, 8, 30, 0, 123_000_000, time.UTC))

// watched returns the playback event with a number.
func watched(number int) event.Event {
	return event.Event{
		ID: event.ID{byte(number >> 8), byte(number)}, Kind: event.Playback, At: morning, Received: morning,
		Account: "account", Client: "client", Video: fmt.Sprint("video-", number), Start: 0, End: 1000, Counted: 1000,
	}
}

// fullEvent returns an event with a value in every field, in several scripts.
func fullEvent() event.Event {
	return event.Event{
		ID: event.ID{1, 0, 255, 3, 4, 5, 6, 7, 128, 9, 10, 11, 12, 13, 14, 15}, Kind: event.PlayerInteraction,
		At: morning - 90_061_007, Received: morning, Account: "konto-ä", Client: "クライアント", User: "مستخدم",
		ExternalUser: "ученик 👩‍🚀 'x\"; -- \\", Sandbox: true, Video: "5c54da74d8eafeecae225bbd", Start: 1<<53 + 1, End: -5,
		Counted: 1<<40 + 7, Hidden: true, Continues: true,
		Subtype: "captions-on", Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Referer: "https://übung.example/?q=%00&a=1",
		Address: "2001:db8::1", Details: []byte(`{"currentTime":1.5,"text":"日本語 \u0000"}`), Metadata: []byte(`{"x":null,"ключ":[1,2]}`),
	}
}

func testEmptyLog(l *eventsFixture) {
	dropped, err := l.Dropped(l.Context())
	l.must(err)
	if events := l.read(store.EventQuery{}); len(events) > 0 || l.head() != 0 || dropped != 0 {
		l.Errorf("%d events, the head is %d, dropped is %d", len(events), l.head(), dropped)
	}
	if verdicts, err := l.Append(l.Context(), nil); err != nil || len(verdicts) != 0 {
		l.Errorf("nothing at all: %v (%v)", verdicts, err)
	}
	verdicts, err := l.Append(l.Context(), []event.Submission{{Client: "c", Key: "k"}, {Client: "c"}})
	if err != nil || !slices.Equal(verdicts, []event.Verdict{event.Stored, event.Stored}) || l.head() != 0 {
		l.Errorf("submissions of no events: %v (%v), the head is %d", verdicts, err, l.head())
	}
}

func testEventPositions(l *eventsFixture) {
	submission := func(numbers ...int) (s event.Submission) {
		for _, n := range numbers {
			s.Events = append(s.Events, watched(n))
		}
		return s
	}
	var want []int
	for round := range 4 {
		n := round * 150
		verdicts, err := l.Append(l.Context(), []event.Submission{submission(n + 1), submission(), submission(n+3, n+2, n+4)})
		l.must(err)
		if !slices.Equal(verdicts, []event.Verdict{event.Stored, event.Stored, event.Stored}) {
			l.Errorf("got %v", verdicts)
		}
		want = append(want, n+1, n+3, n+2, n+4)
		many := event.Submission{}
		for i := range 137 {
			many.Events = append(many.Events, watched(n+5+i))
			want = append(want, n+5+i)
		}
		_, err = l.Append(l.Context(), []event.Submission{many})
		l.must(err)
	}
	l.holds("in the order of the submissions", want...)
}

// testAppendWhole checks that a failed append leaves no events, keys or positions behind.
func testAppendWhole(l *eventsFixture) {
	l.append(watched(1))
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	list := []event.Submission{
		{Client: "client", Key: "a", Received: morning, Events: []event.Event{watched(2)}},
		{Client: "client", Received: morning, Events: []event.Event{watched(3)}},
	}
	if _, err := l.Append(ended, list); !errors.Is(err, context.Canceled) {
		l.Errorf("got %v", err)
	}
	l.holds("after an append that failed", 1)
	verdicts, err := l.Append(l.Context(), list)
	if err != nil || !slices.Equal(verdicts, []event.Verdict{event.Stored, event.Stored}) {
		l.Errorf("again: %v (%v)", verdicts, err)
	}
	l.holds("after it came again", 1, 2, 3)
}

func testAppendTooMany(l *eventsFixture) {
	half := event.Submission{Client: "c", Key: "k", Events: make([]event.Event, 50_001)}
	if _, err := l.Append(l.Context(), []event.Submission{half, {Events: half.Events[:50_000]}}); fault.CodeOf(err) != fault.Invalid {
		l.Errorf("got %v", err)
	}
	l.holds("after too many")
}

func testEventsReopen(l *eventsFixture) {
	full := fullEvent()
	_, err := l.Append(l.Context(), []event.Submission{{Client: "c", Key: "k", Received: morning, Events: []event.Event{full, watched(2)}}})
	l.must(err)
	before := l.read(store.EventQuery{})
	l.must(l.Close())
	if _, err := l.Head(l.Context()); err == nil {
		l.Error("a closed log can be read")
	}
	l.Events = l.another()
	if diff := cmp.Diff(before, l.read(store.EventQuery{})); diff != "" || len(before) != 2 {
		l.Errorf("%d events (-want +got):\n%s", len(before), diff)
	}
	verdicts, err := l.Append(l.Context(), []event.Submission{{Client: "c", Key: "k", Received: morning}})
	if err != nil || verdicts[0] != event.Repeated || l.head() != 2 {
		l.Errorf("the key is %v (%v), the head is %d", verdicts, err, l.head())
	}
}

func testEventsEnded(l *eventsFixture) {
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Append": func() error {
			_, err := l.Append(ended, []event.Submission{{Events: []event.Event{watched(1)}}})
			return err
		},
		"Head":            func() error { _, err := l.Head(ended); return err },
		"Read":            func() error { _, err := l.Read(ended, store.EventQuery{}, 0, 1); return err },
		"Erase":           func() error { _, err := l.Erase(ended, "account", "xpupil", "alias", 1); return err },
		"ForgetAddresses": func() error { return l.ForgetAddresses(ended, morning) },
		"IndexPersons":    func() error { _, err := l.IndexPersons(ended); return err },
		"Recall":          func() error { _, err := l.Recall(ended, keyed("a", 1)); return err },
		"ForgetKeys":      func() error { return l.ForgetKeys(ended, morning) },
		"Drop":            func() error { _, err := l.Drop(ended, usage.MonthOf(morning)); return err },
		"Dropped":         func() error { _, err := l.Dropped(ended); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			l.Errorf("%s: got %v", name, err)
		}
	}
}
