package storetest

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

var forgetTests = map[string]func(l *eventsFixture){
	"addresses are forgotten":         testForgetAddresses,
	"months are dropped":              testDrop,
	"everything is dropped":           testDropAll,
	"moved months are dropped":        testDropMoved,
	"months that lie in one another":  testDropMixed,
	"dropped events are not skipped":  testReadDropped,
	"an external user is erased":      testEraseExternal,
	"a user of tokens is erased":      testEraseUser,
	"events of no account are erased": testEraseOfNoAccount,
	"nobody is erased":                testEraseNobody,
	"erased events outlive a process": testEraseReopen,
}

// monthOf returns the month that lies the given number of months before the month of morning.
func monthOf(ago int) usage.Month { return usage.MonthNumber(usage.MonthOf(morning).Number() - ago) }

// monthsAgo returns an instant within monthOf(n).
func monthsAgo(n int) event.Instant {
	return monthOf(n).Start() + event.Instant(36*time.Hour/time.Millisecond)
}

// receivedAt returns events with addresses that were received at the given instants and occurred long before.
func receivedAt(instants ...event.Instant) (events []event.Event) {
	for i, at := range instants {
		e := fullEvent()
		e.ID, e.Received, e.At = event.ID{0, byte(i + 1)}, at, monthsAgo(12)
		events = append(events, e)
	}
	return events
}

func testForgetAddresses(l *eventsFixture) {
	given := receivedAt(morning+5, morning, morning+4, morning+10, morning+3, morning-100)
	none := watched(7)
	given = append(given, none)
	l.append(given...)
	for range 2 { // the second run has nothing to do
		l.must(l.ForgetAddresses(l.Context(), morning+5))
		var want []event.Event
		for i, e := range given {
			e.Position = int64(i + 1)
			if e.Received < morning+5 {
				e.Address = ""
			}
			want = append(want, e)
		}
		if diff := cmp.Diff(want, l.read(store.EventQuery{})); diff != "" {
			l.Error("(-want +got):\n", diff)
		}
	}
}

// drops drops all events before a month and checks that the events with the given positions remain.
func (l *eventsFixture) drops(before usage.Month, want event.Position, left ...event.Position) {
	l.Helper()
	got, err := l.Drop(l.Context(), before)
	l.must(err)
	dropped, err := l.Dropped(l.Context())
	l.must(err)
	var positions []event.Position
	for _, e := range l.read(store.EventQuery{Dropped: dropped}) {
		positions = append(positions, e.Position)
	}
	if got != want || dropped != want || !slices.Equal(positions, left) {
		l.Errorf("before %s: dropped up to %d, now %d, want %d; left are %v, want %v", before, got, dropped, want, positions, left)
	}
}

func testDrop(l *eventsFixture) {
	l.append(receivedAt(monthsAgo(4), monthsAgo(3), monthsAgo(3), monthOf(2).End()-1, monthOf(1).Start(), monthsAgo(0))...)
	l.drops(monthOf(4), 0, 1, 2, 3, 4, 5, 6)
	l.drops(monthOf(2), 3, 4, 5, 6)
	l.drops(monthOf(2), 3, 4, 5, 6)
	l.drops(monthOf(3), 3, 4, 5, 6)
	l.drops(monthOf(1), 4, 5, 6)
	l.append(receivedAt(monthsAgo(0))...)
	l.drops(monthOf(1), 4, 5, 6, 7)
	if events, err := l.Read(l.Context(), store.EventQuery{Dropped: 4}, 1, 1); err != nil || len(events) != 1 || events[0].Address == "" || events[0].Position != 5 {
		l.Errorf("behind the dropped events: %v (%v)", events, err)
	}
}

// testReadDropped checks that a reader that has not reached the dropped events receives an error, regardless of its query,
// and continues only if it accepts the loss.
func testReadDropped(l *eventsFixture) {
	l.append(receivedAt(monthsAgo(3), monthsAgo(2), monthsAgo(1), monthsAgo(2), monthsAgo(1), monthsAgo(0))...)
	queries := []store.EventQuery{{}, {Account: "nobody"}, {Kinds: []event.Kind{event.Playback}}, {From: monthsAgo(1)}, {UpTo: 1}}
	rejects := func(behind event.Position, query store.EventQuery, want bool) {
		l.Helper()
		_, err := l.Read(l.Context(), query, behind, 10)
		if got := fault.CodeOf(err) == fault.Conflict; got != want || !want && err != nil {
			l.Errorf("%+v behind %d: got %v", query, behind, err)
		}
	}
	for _, drop := range []struct {
		before  usage.Month
		dropped event.Position
	}{{monthOf(3), 0}, {monthOf(2), 1}, {monthOf(1), 4}, {monthOf(0), 5}} {
		_, err := l.Drop(l.Context(), drop.before)
		l.must(err)
		for behind := range event.Position(7) {
			for _, query := range queries {
				rejects(behind, query, behind < drop.dropped)
				for accepted := range event.Position(7) {
					query.Dropped = accepted
					rejects(behind, query, max(behind, accepted) < drop.dropped)
				}
			}
		}
	}
}

// testDropMoved checks that months that were moved are dropped up to a position, and that a later event stays.
func testDropMoved(l *eventsFixture) {
	mover, ok := l.Events.(store.MonthMover)
	if !ok {
		l.Skip("a decorator moves months itself")
	}
	l.append(receivedAt(monthsAgo(3), monthsAgo(1), monthsAgo(3), monthsAgo(0), monthsAgo(2))...)
	for range 2 { // the second run has nothing to do
		l.must(mover.DropMoved(l.Context(), monthOf(2), 3))
		l.drops(monthOf(4), 3, 2, 4, 5)
	}
	if err := mover.DropMoved(l.Context(), monthOf(1), 4); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "4") {
		l.Errorf("a later event: %v", err)
	}
	l.drops(monthOf(4), 3, 2, 4, 5)
	l.must(mover.DropMoved(l.Context(), monthOf(1), 5))
	l.drops(monthOf(4), 5, 2, 4)
}

// testDropAll checks that positions are not reused after all events are dropped.
func testDropAll(l *eventsFixture) {
	l.append(receivedAt(monthsAgo(2), monthsAgo(1), monthsAgo(1))...)
	l.drops(monthOf(0), 3)
	l.must(l.Close())
	l.Events = l.another()
	if l.head() != 3 {
		l.Errorf("the head is %d", l.head())
	}
	l.append(receivedAt(monthsAgo(0))...)
	l.drops(monthOf(0), 3, 4)
	l.judged("a key lives on", []event.Submission{{Client: "c", Key: "k"}}, event.Stored)
	l.drops(monthOf(-1), 4)
	l.judged("a key lives on", []event.Submission{{Client: "c", Key: "k"}}, event.Repeated)
}

// testDropMixed checks logs in which the events of adjacent months are interleaved, because processes have separate
// clocks.
func testDropMixed(l *eventsFixture) {
	l.append(receivedAt(monthsAgo(3), monthsAgo(1), monthsAgo(2), monthsAgo(0), monthsAgo(1), monthsAgo(2), monthsAgo(0))...)
	l.drops(monthOf(2), 1, 2, 3, 4, 5, 6, 7)
	l.drops(monthOf(1), 6, 2, 4, 5, 7)
	l.append(receivedAt(monthsAgo(2))...) // too late
	l.drops(monthOf(1), 8, 2, 4, 5, 7)
	l.drops(monthOf(0), 8, 4, 7)
}

// erasable returns events of several persons, of two accounts and of no account.
func erasable() (events []event.Event) {
	for n := range 80 {
		e := fullEvent()
		e.ID = event.ID{0, byte(n)}
		e.Account = []string{"one", "two"}[n%2]
		e.ExternalUser = []string{"pupil", "", "teacher"}[n%3]
		e.User = []string{"pupil", "teacher", "", "upupil"}[n/6%4]
		e.Kind = event.Kinds()[n%len(event.Kinds())]
		if n >= 60 {
			e.Account = ""
		}
		events = append(events, e)
	}
	return events
}

// erases erases a person of an account and checks that change was applied to that person's events.
func (l *eventsFixture) erases(account, person string, change func(e *event.Event)) {
	l.Helper()
	given := erasable()
	l.append(given...)
	const upTo = 70 // of 80
	got, err := l.Erase(l.Context(), account, person, "alias-1", upTo)
	l.must(err)
	want := int64(0)
	for i := range given {
		e := &given[i]
		e.Position = int64(i + 1)
		if e.Account != account || e.Person() != person || e.Position > upTo {
			continue
		}
		want++
		change(e)
		e.Trace, e.Referer, e.Address, e.Details, e.Metadata = "", "", "", nil, nil
	}
	if diff := cmp.Diff(given, l.read(store.EventQuery{}), cmpopts.EquateEmpty()); diff != "" || got != want || want == 0 {
		l.Errorf("erased %d, want %d (-want +got):\n%s", got, want, diff)
	}
	if again, err := l.Erase(l.Context(), account, person, "alias-2", upTo); err != nil || again != 0 {
		l.Errorf("once more: %d (%v)", again, err)
	}
}

func testEraseExternal(l *eventsFixture) {
	l.erases("one", "xpupil", func(e *event.Event) { e.ExternalUser, e.User = "alias-1", "" })
}

func testEraseUser(l *eventsFixture) {
	l.erases("one", "upupil", func(e *event.Event) { e.User = "alias-1" })
}

// testEraseOfNoAccount checks that events without a token have persons of their own, who belong to no account.
func testEraseOfNoAccount(l *eventsFixture) {
	l.erases("", "xpupil", func(e *event.Event) { e.ExternalUser, e.User = "alias-1", "" })
}

func testEraseNobody(l *eventsFixture) {
	given := erasable()
	l.append(given...)
	before := l.read(store.EventQuery{})
	for account, person := range map[string]string{"one": "xstranger", "two": "", "three": "xpupil", "": "xstranger"} {
		if n, err := l.Erase(l.Context(), account, person, "alias", math.MaxInt64); err != nil || n != 0 {
			l.Errorf("%q of %q: %d (%v)", person, account, n, err)
		}
	}
	if diff := cmp.Diff(before, l.read(store.EventQuery{})); diff != "" {
		l.Error("(-want +got):\n", diff)
	}
}

func testEraseReopen(l *eventsFixture) {
	l.append(erasable()...)
	_, err := l.Erase(l.Context(), "one", "xpupil", "alias", math.MaxInt64)
	l.must(err)
	l.must(l.Close())
	l.Events = l.another()
	if left := l.read(store.EventQuery{Account: "one", Person: "xpupil"}); len(left) > 0 {
		l.Errorf("%d erased events are readable again", len(left))
	}
	if moved := l.read(store.EventQuery{Account: "one", Person: "xalias"}); len(moved) != 10 {
		l.Errorf("%d are the alias's", len(moved))
	}
}
