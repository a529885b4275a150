package counting

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Recount counts the log again from its beginning, beside the present counts, and replaces them at the end. Until then, queries and
// counting go on as before. An interrupted recount is resumed by the next call. Seals and statements remain, as do months of which
// the log has dropped events. The recount begins again if a month is sealed or a person is forgotten meanwhile. An error leaves the
// counts as they were; if the log cannot be read, the error names the positions. The error is of code Conflict if the log was restored
// to a time before a seal or void.
func (c *Counter) Recount(ctx context.Context) error {
	from, dropped, err := c.countable(ctx)
	if err != nil {
		return err
	}
	if err := c.Usage.SettleVoids(ctx); err != nil {
		return err
	}
	if err := c.checkSealed(ctx); err != nil {
		return err
	}
	recount, err := c.beginRecount(ctx, from)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var ahead readAhead
	defer func() {
		cancel()
		ahead.stop()
	}()
	for waited := time.Duration(0); ; {
		done, err := c.recountStep(ctx, &recount, dropped, &ahead)
		switch code := fault.CodeOf(err); {
		case done:
			c.recognized.Store(0)
			return nil
		case code == fault.Conflict: // the recount must begin again, or the counts have moved on
			if from, dropped, err = c.countable(ctx); err != nil {
				return err
			}
			before := recount.ID
			if recount, err = c.beginRecount(ctx, from); err != nil {
				return err
			}
			if recount.ID != before {
				ahead.stop() // persons may have been forgotten since the log was read
			}
		case code == fault.Unavailable && waited < recountPatience:
			background.Sleep(ctx, c.MaxBackOff, nil)
			waited += c.MaxBackOff
		case err != nil:
			return err
		case recount.Stage != usage.Following: // what was counted meanwhile does not bring the end closer
			waited = 0
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// DiscardRecount makes the next Recount begin with the first event, even if it could resume an interrupted one, whose counts may be
// damaged.
func (c *Counter) DiscardRecount(ctx context.Context) error {
	from, _, err := c.countable(ctx)
	if err != nil {
		return err
	}
	_, err = c.Usage.BeginRecount(ctx, from, false)
	return err
}

// beginRecount begins a recount, or resumes one of the same log.
func (c *Counter) beginRecount(ctx context.Context, from usage.Month) (recount usage.Recount, err error) {
	if recount, err = c.Usage.BeginRecount(ctx, from, true); err != nil {
		return recount, err
	}
	head, err := c.Log.Head(ctx)
	if err != nil {
		return recount, err
	}
	if err = c.recognize(ctx, recount.Progress, head); fault.CodeOf(err) == fault.Conflict {
		return c.Usage.BeginRecount(ctx, from, false)
	}
	return recount, err
}

// recountPatience is how long a recount waits for a busy store, or for a person to be forgotten.
const recountPatience = time.Minute

// countable returns the first month of which the log has all plays, and the position up to which events were dropped.
func (c *Counter) countable(ctx context.Context) (from usage.Month, dropped event.Position, err error) {
	counted, err := c.Usage.Progress(ctx)
	if err != nil {
		return from, 0, err
	}
	if err := c.checkDropped(ctx, counted); err != nil {
		return from, 0, err
	}
	if dropped, err = c.Log.Dropped(ctx); err != nil || dropped == 0 {
		return usage.FirstMonth, 0, err
	}
	first, err := c.Log.Read(ctx, store.EventQuery{Dropped: dropped}, 0, 1)
	if err != nil {
		return from, 0, err
	}
	if len(first) == 0 {
		return from, 0, fault.Errorf(fault.Conflict, "all events of the log were dropped: the counts are all that is left of them")
	}
	// See recount.holdsMonth.
	return usage.MonthOf(first[0].Received).Next(), dropped, nil
}

// recountStep counts one batch of a recount, gathers counts or ends it, and reports whether it ended. A recount is never ahead of
// the counts, so that it belongs to the same seals. It gathers once it has reached them, and adds what they have counted meanwhile
// afterwards. While the store counts a batch, the next ones are read.
func (c *Counter) recountStep(ctx context.Context, recount *usage.Recount, dropped event.Position, ahead *readAhead) (done bool, err error) {
	counted, err := c.Usage.Progress(ctx)
	if err != nil {
		return false, err
	}
	head, err := c.Log.Head(ctx)
	if err != nil {
		return false, err
	}
	from, end := recount.Progress.Position, min(counted.Position, head) // the log may have become shorter
	switch {
	case from > end: // the stores have lost their last transactions: continue with what they have
		c.recognized.Store(0)
		return false, fault.Errorf(fault.Conflict, "the recount has come to event %d, and events up to %d are counted", from, end)
	case from != end && recount.Stage != usage.Gathering:
	case recount.Stage != usage.Following:
		*recount, err = c.Usage.GatherRecount(ctx, *recount)
		return false, err
	default:
		err := c.settled(ctx, func() error { return c.Usage.EndRecount(ctx, *recount, counted) })
		return err == nil, err
	}
	read := func(from, to event.Position) (p played) {
		p.to, p.plays, p.err = c.read(ctx, usage.Progress{Position: from}, to, dropped, maxBatch)
		return p
	}
	size := event.Position(min(c.Batch*recountBatches, maxBatch))
	ahead.fill(from, end, size, read)
	next := ahead.first()
	if err := next.err; err != nil {
		err = Damage(ctx, c.Log, from, head, err)
		if damaged, ok := errors.AsType[*DamagedError](err); ok {
			damaged.note = "; the counts are as they were"
		}
		return false, err
	}
	ahead.fill(next.to.Position, end, size, read)
	next.to.AsOf = max(next.to.AsOf, recount.Progress.AsOf)
	*recount, err = c.Usage.ApplyRecount(ctx, *recount, next.to, next.plays)
	return false, err
}

const (
	// recountBatches is the number of batches that a recount counts in one transaction: a large step makes few blocks.
	recountBatches = 10
	// recountReads is the number of batches that a recount reads at once: reading takes longer than storing.
	recountReads = 2
)

// readAhead reads parts of the log in the background. The zero value reads nothing.
type readAhead struct {
	// parts follow one another in the log.
	parts []part
}

// part is a part of the log that is being read.
type part struct {
	from, to event.Position
	read     <-chan played
}

// played is the plays of a part, and the position that they reach. AsOf disregards earlier parts.
type played struct {
	to    usage.Progress
	plays []usage.Play
	err   error
}

// fill reads the next parts from a position, up to end.
func (r *readAhead) fill(from, end, size event.Position, read func(from, to event.Position) played) {
	if n := len(r.parts); n > 0 && (r.parts[0].from != from || r.parts[n-1].to > end) {
		r.stop()
	}
	for len(r.parts) < recountReads {
		begin := from
		if n := len(r.parts); n > 0 {
			begin = r.parts[n-1].to
		}
		if begin >= end {
			return
		}
		result, to := make(chan played, 1), min(begin+size, end)
		go func() { result <- read(begin, to) }()
		r.parts = append(r.parts, part{begin, to, result})
	}
}

// first removes the first part, and returns its plays once they are read.
func (r *readAhead) first() played {
	first := r.parts[0]
	r.parts = r.parts[1:]
	return <-first.read
}

// stop waits for what is being read, and forgets it.
func (r *readAhead) stop() {
	for len(r.parts) > 0 {
		r.first()
	}
}
