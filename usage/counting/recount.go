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

// recount is the sums of the log by itself.
type recount struct {
	// begin: events up to there may have been dropped. first is when the first remaining event was received.
	begin event.Position
	first event.Instant
	// skipped are the positions of damaged events that readers skip, in their order.
	skipped []event.Position
	// events and plays are the numbers of those that were read.
	events, plays int64
	// sums are by key, a Sum with Plays and Milliseconds 0. They cover events up to the progress of the ledger.
	sums map[usage.Sum]usage.Measures
	// lists are the expected lists of videos, over all events.
	lists       map[listPlace]listed
	weigh       func(video string) usage.Weight
	differences []usage.Difference
}

// pace is the pause between two reads, so that other work on the store is not delayed.
const pace = 2 * time.Millisecond

// recount counts the log up to the position of the lists, which is not before the ledger's progress.
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

// lookBetween looks for missing events between two consecutive positions.
func (r *recount) lookBetween(last, next event.Position) {
	last = max(last, r.begin)
	if missing := next - last - 1 - r.skippedBetween(last, next); missing > 0 {
		r.differences = append(r.differences, usage.Difference{
			What: fmt.Sprintf("%d events are missing from the log, from position %d on", missing, last+1),
		})
	}
}

// skippedBetween returns the number of skipped events between two positions.
func (r *recount) skippedBetween(after, before event.Position) int64 {
	from, _ := slices.BinarySearch(r.skipped, after+1)
	to, _ := slices.BinarySearch(r.skipped, max(before, after+1))
	return int64(to - from)
}

// skippedUpTo returns the number of skipped events up to a position, without dropped ones.
func (r *recount) skippedUpTo(last event.Position) int64 { return r.skippedBetween(r.begin, last+1) }

func (r *recount) add(e *event.Event, m made) {
	if r.events == 0 {
		r.first = e.Received
	}
	r.events++
	if e.Played() == 0 {
		return
	}
	month := usage.MonthOf(e.At)
	p := playOf(e)
	r.plays += p.Plays()
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

// plus adds measures, without users and videos.
func plus(a, b usage.Measures) usage.Measures {
	return usage.Measures{Plays: a.Plays + b.Plays, Milliseconds: a.Milliseconds + b.Milliseconds, Excess: a.Excess + b.Excess}
}

// holdsMonth reports whether the recount includes all plays of a month, none of which can have been dropped. A dropped event was
// received before the month in which the first remaining event was received, and a play belongs to a later month than its receipt
// only on the last day of a month.
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
