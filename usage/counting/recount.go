package counting

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// recount is what the log comes to by itself.
type recount struct {
	// begin: events up to there may have been dropped. first is when the first event that is left was
	// received.
	begin event.Position
	first event.Instant
	// skipped are the positions of damaged events that readers leave out, in their order.
	skipped []event.Position
	// events and plays are how many were read.
	events, plays int64
	// sums are by what a Sum is of; its Plays and Milliseconds are 0 in the keys. They are of events up to the
	// progress of the ledger.
	sums map[usage.Sum]usage.Measures
	// lists are what lists of videos should say, of all events.
	lists       map[listPlace]listed
	weigh       func(video string) usage.Weight
	differences []usage.Difference
}

// pace is the pause between two reads, so that what is stored and asked meanwhile is not held up.
const pace = 2 * time.Millisecond

// recount counts the log up to where it has been rolled up in lists, which is not before the ledger's progress.
func (c *Counter) recount(ctx context.Context, m made, l *lists) (*recount, error) {
	r := &recount{begin: m.dropped, sums: map[usage.Sum]usage.Measures{}, lists: map[listPlace]listed{}, weigh: l.weigh}
	skipped, err := c.Log.Skipped(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range skipped {
		r.skipped = append(r.skipped, one.Position)
	}
	query := store.EventQuery{UpTo: l.upTo, Dropped: m.dropped}
	var last event.Position
	for last < l.upTo {
		events, err := c.Log.Read(ctx, query, last, maxRead)
		if err != nil {
			return nil, err
		}
		for i := range events {
			r.lookBetween(last, events[i].Position)
			r.add(&events[i], m)
			last = events[i].Position
		}
		if len(events) < maxRead {
			break
		}
		background.Sleep(ctx, pace, nil)
	}
	r.lookBetween(last, l.upTo+1)
	return r, nil
}

// lookBetween looks for events that should stand between the positions of two that follow one another.
func (r *recount) lookBetween(last, next event.Position) {
	last = max(last, r.begin)
	if missing := next - last - 1 - r.skippedBetween(last, next); missing > 0 {
		r.differences = append(r.differences, usage.Difference{
			What: fmt.Sprintf("%d events are missing from the log, from position %d on", missing, last+1),
		})
	}
}

// skippedBetween is how many events behind a position and before another are skipped.
func (r *recount) skippedBetween(after, before event.Position) int64 {
	from, _ := slices.BinarySearch(r.skipped, after+1)
	to, _ := slices.BinarySearch(r.skipped, max(before, after+1))
	return int64(to - from)
}

// skippedUpTo is how many events up to a position are skipped, of those that were not dropped.
func (r *recount) skippedUpTo(last event.Position) int64 { return r.skippedBetween(r.begin, last+1) }

func (r *recount) add(e *event.Event, m made) {
	if r.events == 0 {
		r.first = e.Received
	}
	r.events++
	if e.Played() == 0 {
		return
	}
	r.plays++
	month := usage.MonthOf(e.At)
	p := playOf(e)
	if m.voids.Holder(&p) == 0 {
		r.list(e, month)
	}
	if e.Position > m.progress.Position {
		return
	}
	for _, sum := range m.voids.Sums(&p, m.seals) {
		key, measures := apart(sum)
		r.sums[key] = plus(r.sums[key], measures)
	}
}

// plus adds what plays come to. Users and videos of the two are not told.
func plus(a, b usage.Measures) usage.Measures {
	return usage.Measures{Plays: a.Plays + b.Plays, Milliseconds: a.Milliseconds + b.Milliseconds, Excess: a.Excess + b.Excess}
}

// holdsMonth reports whether all plays of a month are among what was counted again: none of them can have been
// dropped. A dropped event was received before the month in which the first that is left was, and no play is of
// a month after that of its receipt but in the month's last day.
func (r *recount) holdsMonth(month usage.Month) bool {
	return r.begin == 0 || (r.events > 0 && usage.MonthOf(r.first).Before(month))
}

// holds is holdsMonth for the plays of a sum.
func (r *recount) holds(sum usage.Sum, seals []usage.Seal) bool {
	if r.holdsMonth(sum.Month) {
		return true
	}
	if sum.Void != "" {
		return false // its plays may be older than the seals before it
	}
	var behind event.Position // all plays of the sum are behind it
	for _, seal := range seals {
		if !seal.Month.Before(sum.Month) && (sum.Sealed == usage.Month{} || seal.Month.Before(sum.Sealed)) {
			behind = seal.Position
		}
	}
	return behind >= r.begin
}
