package counting

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// recount is the sums of the log by itself.
type recount struct {
	// begin: events up to there may have been dropped. first is when the first remaining event was received.
	begin event.Position
	first event.Instant
	// events and plays are the numbers of those that were read.
	events, plays int64
	// sums are by key, a Sum with Plays and Milliseconds 0. They cover events up to the progress of the ledger.
	sums map[usage.Sum]usage.Measures
	// lists are the expected lists of videos, over all events.
	lists       map[listPlace]listed
	differences []usage.Difference
}

// pace is the pause between two reads, so that other work on the store is not delayed.
const pace = 2 * time.Millisecond

// include adds the content of a span that ends at a position. No seal may lie inside the span.
func (r *recount) include(c *content, upTo event.Position, seals []usage.Seal) {
	r.includeLists(c)
	for key, sum := range c.sums {
		of := key.sum(usage.SealOf(seals, key.month, upTo))
		r.sums[of] = plus(r.sums[of], sum.Measures)
	}
	for key, moved := range c.voided {
		of := key.sum(usage.SealOf(seals, key.month, upTo))
		if key.void != "" {
			of.Void, of.Sealed = key.void, usage.SealAfter(seals, key.after)
		}
		r.sums[of] = plus(r.sums[of], moved)
	}
}

// includeLists adds a content to the lists only.
func (r *recount) includeLists(c *content) {
	if r.events == 0 {
		r.first = c.first
	}
	r.events += c.events
	for key, sum := range c.sums {
		r.plays += sum.Plays
		l := r.lists[key.list()]
		l.Measures = plus(l.Measures, sum.Measures)
		r.lists[key.list()] = l
	}
	for at, weight := range c.weights {
		l, held := r.lists[at], c.held[at]
		l.weight += weight - held.weight
		l.Measures = plus(l.Measures, usage.Measures{Plays: -held.Plays, Milliseconds: -held.Milliseconds, Excess: -held.Excess})
		r.lists[at] = l
	}
	for _, g := range c.gaps {
		r.differences = append(r.differences, usage.Difference{
			What: fmt.Sprintf("%d events are missing from the log, from position %d on", g.Count, g.From),
		})
	}
}

// sum returns the key of a sum of the ledger.
func (k sumKey) sum(sealed usage.Month) usage.Sum {
	return usage.Sum{Account: k.account, Month: k.month, Client: k.client, Sandbox: k.sandbox, Sealed: sealed}
}

// read counts the events after a position, up to another.
func (v *verification) read(ctx context.Context, from, to event.Position, m *derived) (*content, error) {
	c, query := newContent(), store.EventQuery{UpTo: to, Dropped: m.dropped}
	look := func(last, next event.Position) {
		last = max(last, m.dropped)
		if missing := next - last - 1 - m.skippedBetween(last, next); missing > 0 {
			c.miss(last+1, missing)
		}
	}
	last := from
	for last < to {
		begun := time.Now()
		events, err := v.Log.Read(ctx, query, last, maxRead)
		if err != nil && !v.whole { // a whole verification names all damaged events of the log
			err = Damage(ctx, v.Log, last, to, err)
		}
		if err != nil {
			return nil, err
		}
		for i := range events {
			look(last, events[i].Position)
			c.add(&events[i], m, v.weigh)
			last = events[i].Position
		}
		if err := v.rest(ctx, time.Since(begun)); err != nil {
			return nil, err
		}
		if len(events) < maxRead {
			break
		}
	}
	look(last, to+1)
	return c, nil
}

// skippedBetween returns the number of skipped events between two positions.
func (m *derived) skippedBetween(after, before event.Position) int64 {
	from, _ := slices.BinarySearch(m.skipped, after+1)
	to, _ := slices.BinarySearch(m.skipped, max(before, after+1))
	return int64(to - from)
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
