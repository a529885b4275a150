package storetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Damaging is a store.Events whose rows a test can damage.
type Damaging interface {
	store.Events
	// Damage changes the row of an event so that Read fails with an error of code Internal.
	Damage(ctx context.Context, position event.Position) error
}

var damageTests = map[string]func(l *eventsFixture){
	"a damaged event stops readers":         testDamagedEvent,
	"skipped events are left out":           testSkippedEvents,
	"only damaged events are skipped":       testSkipRefused,
	"skipping at once, from two processes":  testSkipRace,
	"a skipped event and a retention drop":  testSkippedAndDropped,
	"the log can be written":                testCheckWritable,
	"reading around skipped, all positions": testReadsAroundSkipped,
}

func played(account string, received event.Instant) event.Event {
	return event.Event{
		ID: event.ID{7}, Kind: event.Playback, At: received, Received: received, Account: account, Client: "client", User: "user",
		Video: "5c54d813d8eafeecae2114da", End: 1000, Counted: 1000,
	}
}

// damage stores 20 events and damages some of them.
func (l *eventsFixture) damage(positions ...event.Position) {
	l.Helper()
	for range 20 {
		l.append(played("a", morning))
	}
	for _, position := range positions {
		l.must(l.Events.(Damaging).Damage(l.Context(), position))
	}
}

func skips(positions ...event.Position) (list []store.SkippedEvent) {
	for _, position := range positions {
		list = append(list, store.SkippedEvent{Position: position, At: morning, By: "command line, root", Reason: "page 7 is damaged"})
	}
	return list
}

// positionsOf returns the positions of the events that a log returns after a position.
func positionsOf(ctx context.Context, log store.Events, query store.EventQuery, after event.Position, limit int) ([]event.Position, error) {
	events, err := log.Read(ctx, query, after, limit)
	var found []event.Position
	for i := range events {
		found = append(found, events[i].Position)
	}
	return found, err
}

func (l *eventsFixture) wantPositions(log store.Events, query store.EventQuery, after event.Position, limit int, want ...event.Position) {
	l.Helper()
	found, err := positionsOf(l.Context(), log, query, after, limit)
	l.must(err)
	if diff := cmp.Diff(want, found); diff != "" {
		l.Errorf("%+v behind %d, at most %d: (-want +got)\n%s", query, after, limit, diff)
	}
}

func testDamagedEvent(l *eventsFixture) {
	l.damage(7)
	for _, query := range []store.EventQuery{{}, {Kinds: []event.Kind{event.Playback}}} {
		if events, err := l.Read(l.Context(), query, 0, 100); fault.CodeOf(err) != fault.Internal || len(events) > 0 {
			l.Errorf("%+v: %d events, error %v", query, len(events), err)
		}
		query.UpTo = 6
		l.wantPositions(l, query, 0, 100, 1, 2, 3, 4, 5, 6)
		query.UpTo = 9
		l.wantPositions(l, query, 7, 100, 8, 9)
	}
}

func testSkippedEvents(l *eventsFixture) {
	l.damage(7, 8, 20)
	other := l.another()
	if added, err := l.SkipDamaged(l.Context(), skips(8, 7, 20, 7)); added != 3 || err != nil {
		l.Fatalf("%d are skipped, error %v", added, err)
	}
	for _, query := range []store.EventQuery{{}, {Kinds: []event.Kind{event.Playback}}} {
		l.wantPositions(other, query, 4, 100, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
		l.wantPositions(l, query, 4, 3, 5, 6, 9)
		l.wantPositions(l, query, 6, 1, 9)
		l.wantPositions(l, query, 7, 1, 9)
		l.wantPositions(l, query, 19, 1)
		query.UpTo = 8
		l.wantPositions(l, query, 6, 9)
	}
	if head, err := l.Head(l.Context()); head != 20 || err != nil {
		l.Errorf("the head is %d, error %v", head, err)
	}
	if erased, err := l.Erase(l.Context(), "a", "uuser", "nobody", 20); erased != 20 || err != nil {
		l.Errorf("%d events are erased, error %v", erased, err) // damaged ones contain a person too
	}
	l.append(played("a", morning))
	l.wantPositions(other, store.EventQuery{}, 19, 10, 21)
	for _, log := range []store.Events{l, other} {
		skipped, err := log.Skipped(l.Context())
		l.must(err)
		if diff := cmp.Diff(skips(7, 8, 20), skipped); diff != "" {
			l.Errorf("(-want +got)\n%s", diff)
		}
	}
	later := skips(7)
	later[0].Reason = "another"
	if added, err := other.SkipDamaged(l.Context(), later); added != 0 || err != nil {
		l.Errorf("again: %d are skipped, error %v", added, err)
	}
	if skipped, err := l.Skipped(l.Context()); err != nil || skipped[0].Reason != "page 7 is damaged" {
		l.Errorf("got %+v, error %v", skipped, err)
	}
}

// testSkipRefused checks that a request that names a readable event, or a position outside the log, skips nothing.
func testSkipRefused(l *eventsFixture) {
	l.damage(7)
	for position, says := range map[event.Position]string{
		6: "position 6 can be read", 0: "position 0 is not in the log", -3: "position -3", 21: "holds the positions 1 to 20",
	} {
		_, err := l.SkipDamaged(l.Context(), skips(7, position))
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), says) {
			l.Errorf("position %d: %v", position, err)
		}
	}
	if _, err := l.SkipDamaged(l.Context(), make([]store.SkippedEvent, 10_001)); fault.CodeOf(err) != fault.Invalid {
		l.Errorf("too many: %v", err)
	}
	if skipped, err := l.Skipped(l.Context()); len(skipped) > 0 || err != nil {
		l.Errorf("skipped are %+v, error %v", skipped, err)
	}
	if events, err := l.Read(l.Context(), store.EventQuery{}, 0, 100); err == nil {
		l.Errorf("%d events are read", len(events))
	}
}

func testSkipRace(l *eventsFixture) {
	l.damage(3, 4, 5)
	added := make(chan int)
	for _, log := range []store.Events{l, l.another()} {
		go func() {
			n, err := log.SkipDamaged(l.Context(), skips(3, 4, 5))
			if err != nil {
				l.Error(err)
			}
			added <- n
		}()
	}
	if all := <-added + <-added; all != 3 {
		l.Errorf("%d were added", all)
	}
	l.wantPositions(l, store.EventQuery{}, 1, 2, 2, 6)
}

// testSkippedAndDropped checks that a month with a skipped event can be dropped.
func testSkippedAndDropped(l *eventsFixture) {
	june := event.InstantOf(time.Date(2026, 6, 3, 0, 0, 0, 0, time.UTC))
	for _, received := range []event.Instant{june, june, june, june + 40*24*event.Hour, june + 40*24*event.Hour} {
		l.append(played("a", received))
	}
	l.must(l.Events.(Damaging).Damage(l.Context(), 2))
	l.must(l.Events.(Damaging).Damage(l.Context(), 4))
	_, err := l.SkipDamaged(l.Context(), skips(2, 4))
	l.must(err)
	l.wantPositions(l, store.EventQuery{}, 0, 10, 1, 3, 5)
	dropped, err := l.Drop(l.Context(), usage.MonthOf(june).Next())
	l.must(err)
	if dropped != 3 {
		l.Errorf("dropped up to %d", dropped)
	}
	l.wantPositions(l, store.EventQuery{Dropped: dropped}, 0, 10, 5)
	if _, err := l.SkipDamaged(l.Context(), skips(3)); fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "no event at position 3") {
		l.Errorf("an event that was dropped: %v", err)
	}
}

func testCheckWritable(l *eventsFixture) {
	for _, at := range []event.Instant{morning, morning, morning + 1} {
		l.must(l.CheckWritable(l.Context(), at))
	}
	if head, err := l.Head(l.Context()); head != 0 || err != nil {
		l.Errorf("the head is %d, error %v", head, err)
	}
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	if err := l.CheckWritable(ended, morning); err == nil {
		l.Error("an ended context is no error")
	}
	log := l.another()
	l.must(log.Close())
	if err := log.CheckWritable(l.Context(), morning); err == nil {
		l.Error("a closed log is no error")
	}
}

// testReadsAroundSkipped compares every range, limit and kind of query with a list.
func testReadsAroundSkipped(l *eventsFixture) {
	l.damage(1, 2, 9, 13, 14, 20)
	skipped := map[event.Position]bool{1: true, 2: true, 9: true, 13: true, 14: true, 20: true}
	_, err := l.SkipDamaged(l.Context(), skips(slices.Collect(maps.Keys(skipped))...))
	l.must(err)
	for after := event.Position(0); after <= 20; after += 3 {
		for upTo := after; upTo <= 20; upTo += 2 {
			for _, limit := range []int{1, 4, 20} {
				var want []event.Position
				for position := after + 1; position <= 20 && (upTo == 0 || position <= upTo) && len(want) < limit; position++ {
					if !skipped[position] {
						want = append(want, position)
					}
				}
				l.wantPositions(l, store.EventQuery{UpTo: upTo}, after, limit, want...)
				l.wantPositions(l, store.EventQuery{UpTo: upTo, Kinds: []event.Kind{event.Playback}}, after, limit, want...)
			}
		}
	}
}
