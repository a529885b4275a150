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
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// EmptyEvents makes the home of a new, empty event log and returns what opens it. Each opening stands for a
// process of its own; a log that was closed is opened again, and holds then what was stored.
type EmptyEvents func(t *testing.T) (open func() store.Events)

// Events runs the suite of store.Events.
func Events(t *testing.T, empty EmptyEvents) {
	tests := map[string]func(l *logbook){
		"an empty log":             testEmptyLog,
		"every field survives":     testEventFields,
		"positions follow":         testEventPositions,
		"all submissions or none":  testAppendWhole,
		"too many at once":         testAppendTooMany,
		"pages":                    testEventPages,
		"what a query keeps":       testEventQuery,
		"values are the caller's":  testEventValues,
		"events outlive a process": testEventsReopen,
		"ended contexts, events":   testEventsEnded,
	}
	for _, more := range []map[string]func(l *logbook){keyTests, eventRaceTests, forgetTests} {
		maps.Copy(tests, more)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests wait for disks, not for processors
			l := &logbook{T: t, open: empty(t)}
			l.Events = l.another()
			test(l)
		})
	}
}

// logbook is one empty event log.
type logbook struct {
	*testing.T
	store.Events
	open func() store.Events
}

func (l *logbook) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// another opens the same log once more, as another process does.
func (l *logbook) another() store.Events {
	other := l.open()
	l.Cleanup(func() { _ = other.Close() })
	return other
}

// append stores events without a key.
func (l *logbook) append(events ...event.Event) {
	l.Helper()
	verdicts, err := l.Append(l.Context(), []event.Submission{{Client: "client", Received: morning, Events: events}})
	l.must(err)
	if len(verdicts) != 1 || verdicts[0] != event.Stored {
		l.Fatalf("got the verdicts %v", verdicts)
	}
}

func (l *logbook) head() event.Position {
	l.Helper()
	head, err := l.Head(l.Context())
	l.must(err)
	return head
}

// read returns all that a query keeps, in pages.
func (l *logbook) read(query store.EventQuery) (events []event.Event) {
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

// holds wants the log to hold events of these numbers (see watched), at the positions from 1.
func (l *logbook) holds(what string, numbers ...int) {
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

// morning is when the events of the suite are received.
var morning = event.InstantOf(time.Date(2026, 10, 5, 8, 30, 0, 123_000_000, time.UTC))

// watched is a playback event of a number.
func watched(number int) event.Event {
	return event.Event{
		ID: event.ID{byte(number >> 8), byte(number)}, Kind: event.Playback, At: morning, Received: morning,
		Account: "account", Client: "client", Video: fmt.Sprint("video-", number), Start: 0, End: 1000,
	}
}

// fullEvent has every field, in scripts of the world.
func fullEvent() event.Event {
	return event.Event{
		ID: event.ID{1, 0, 255, 3, 4, 5, 6, 7, 128, 9, 10, 11, 12, 13, 14, 15}, Kind: event.PlayerInteraction,
		At: morning - 90_061_007, Received: morning, Account: "konto-ä", Client: "クライアント", User: "مستخدم",
		ExternalUser: "ученик 👩‍🚀 'x\"; -- \\", Sandbox: true, Video: "5c54da74d8eafeecae225bbd", Start: 1<<53 + 1, End: -5,
		Subtype: "captions-on", Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Referer: "https://übung.example/?q=%00&a=1",
		Address: "2001:db8::1", Details: []byte(`{"currentTime":1.5,"text":"日本語 \u0000"}`), Metadata: []byte(`{"x":null,"ключ":[1,2]}`),
	}
}

func testEmptyLog(l *logbook) {
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

func testEventFields(l *logbook) {
	full := fullEvent()
	want := []event.Event{full, {Kind: event.AccessExpired, At: 1, Received: 2}}
	for _, kind := range event.Kinds() {
		e := full
		e.Kind, e.At = kind, e.Received
		want = append(want, e)
	}
	// Each field alone, so that none goes with another.
	for _, set := range []func(e *event.Event){
		func(e *event.Event) { e.Account = full.Account }, func(e *event.Event) { e.Client = full.Client },
		func(e *event.Event) { e.User = full.User }, func(e *event.Event) { e.ExternalUser = full.ExternalUser },
		func(e *event.Event) { e.Sandbox = true }, func(e *event.Event) { e.Video = full.Video },
		func(e *event.Event) { e.Start = full.Start }, func(e *event.Event) { e.End = full.End },
		func(e *event.Event) { e.Subtype = full.Subtype }, func(e *event.Event) { e.Trace = full.Trace },
		func(e *event.Event) { e.Referer = full.Referer }, func(e *event.Event) { e.Address = full.Address },
		func(e *event.Event) { e.Details = full.Details }, func(e *event.Event) { e.Metadata = full.Metadata },
	} {
		e := event.Event{Kind: event.PageRender, At: morning - 1, Received: morning}
		set(&e)
		want = append(want, e)
	}
	l.append(want...)
	for i := range want {
		want[i].Position = int64(i + 1)
	}
	if diff := cmp.Diff(want, l.read(store.EventQuery{})); diff != "" {
		l.Error("(-want +got):\n", diff)
	}
}

func testEventPositions(l *logbook) {
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

// testAppendWhole: what fails leaves nothing, neither events nor keys nor positions.
func testAppendWhole(l *logbook) {
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

func testAppendTooMany(l *logbook) {
	half := event.Submission{Client: "c", Key: "k", Events: make([]event.Event, 50_001)}
	if _, err := l.Append(l.Context(), []event.Submission{half, {Events: half.Events[:50_000]}}); catalogue.CodeOf(err) != catalogue.Invalid {
		l.Errorf("got %v", err)
	}
	l.holds("after too many")
}

func testEventPages(l *logbook) {
	var want []int
	for n := 1; n <= 40; n++ {
		l.append(watched(n))
		want = append(want, n)
	}
	l.holds("in pages of seven", want...)
	for _, page := range []struct {
		after       event.Position
		limit       int
		first, size int
	}{{0, 1, 1, 1}, {0, 40, 1, 40}, {0, 10_000, 1, 40}, {39, 5, 40, 1}, {40, 5, 0, 0}, {41, 5, 0, 0}, {17, 3, 18, 3}} {
		events, err := l.Read(l.Context(), store.EventQuery{}, page.after, page.limit)
		l.must(err)
		if len(events) != page.size || (page.size > 0 && events[0].Position != int64(page.first)) {
			l.Errorf("%+v: got %d events", page, len(events))
		}
	}
}

func testEventQuery(l *logbook) {
	var all []event.Event
	for n := range 240 {
		e := watched(n)
		e.Kind = event.Kinds()[n%7]
		e.Account = []string{"one", "two", ""}[n%3]
		e.User = []string{"", "pupil", "teacher"}[n/3%3]
		e.ExternalUser = []string{"", "pupil", "upupil", ""}[n/5%4]
		e.Received = morning + event.Instant((n*37)%100)
		e.Position = int64(n + 1)
		all = append(all, e)
	}
	stored := slices.Clone(all)
	for i := range stored {
		stored[i].Position = 0
	}
	l.append(stored...)
	for _, query := range []store.EventQuery{
		{}, {Account: "one"}, {Account: "nobody"}, {Person: "xpupil"}, {Person: "upupil"}, {Person: "xupupil"}, {Person: "uteacher"},
		{Account: "two", Person: "upupil"}, {Kinds: []event.Kind{event.Playback}},
		{Kinds: []event.Kind{event.AccessExpired, event.PageRender}}, {Kinds: event.Kinds()},
		{From: morning + 50}, {To: morning + 50}, {From: morning + 10, To: morning + 11}, {From: morning + 11, To: morning + 11},
		{UpTo: 100}, {UpTo: 1}, {UpTo: 1000}, {UpTo: 240, From: morning + 1, Account: "one", Person: "xpupil", Kinds: event.Kinds()[:4]},
	} {
		var want []event.Event
		for _, e := range all {
			if (query.Account == "" || e.Account == query.Account) && (query.Person == "" || e.Person() == query.Person) &&
				(query.Kinds == nil || slices.Contains(query.Kinds, e.Kind)) && e.Received >= query.From &&
				(query.To == 0 || e.Received < query.To) && (query.UpTo == 0 || e.Position <= query.UpTo) {
				want = append(want, e)
			}
		}
		if diff := cmp.Diff(want, l.read(query), cmpopts.EquateEmpty()); diff != "" {
			l.Errorf("%+v (-want +got):\n%s", query, diff)
		}
	}
}

func testEventValues(l *logbook) {
	given := fullEvent()
	l.append(given, given)
	if diff := cmp.Diff(fullEvent(), given); diff != "" {
		l.Error("Append changed what it was given (-want +got):\n", diff)
	}
	first := l.read(store.EventQuery{})
	clear(first[0].Details)
	clear(first[0].Metadata)
	if again := l.read(store.EventQuery{}); string(again[0].Details) != string(given.Details) || string(again[1].Metadata) != string(given.Metadata) {
		l.Error("what a caller does with an event changes what others read")
	}
}

func testEventsReopen(l *logbook) {
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

func testEventsEnded(l *logbook) {
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Append": func() error {
			_, err := l.Append(ended, []event.Submission{{Events: []event.Event{watched(1)}}})
			return err
		},
		"Head":            func() error { _, err := l.Head(ended); return err },
		"Read":            func() error { _, err := l.Read(ended, store.EventQuery{}, 0, 1); return err },
		"Erase":           func() error { _, err := l.Erase(ended, "account", "xpupil", "alias"); return err },
		"ForgetAddresses": func() error { return l.ForgetAddresses(ended, morning) },
		"ForgetKeys":      func() error { return l.ForgetKeys(ended, morning) },
		"Drop":            func() error { _, err := l.Drop(ended, usage.MonthOf(morning)); return err },
		"Dropped":         func() error { _, err := l.Dropped(ended); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			l.Errorf("%s: got %v", name, err)
		}
	}
}
