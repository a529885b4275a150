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

// Recount counts the log from its beginning beside the counts, and puts the result in their place at the end. Until
// then all is answered and counted as before; where it is interrupted, the next call resumes it. Seals and statements
// stay, and so do months of which the log has dropped events. It begins again where a month is sealed or somebody is
// forgotten meanwhile. An error leaves the counts as they were. Where the log cannot be read, it names the positions.
func (c *Counter) Recount(ctx context.Context) error {
	from, dropped, err := c.countable(ctx)
	if err != nil {
		return err
	}
	if err := c.Usage.SettleVoids(ctx); err != nil {
		return err
	}
	recount, err := c.beginRecount(ctx, from)
	if err != nil {
		return err
	}
	for waited := time.Duration(0); ; {
		done, err := c.recountStep(ctx, &recount, dropped)
		switch code := fault.CodeOf(err); {
		case done:
			c.recognised.Store(0)
			return nil
		case code == fault.Conflict: // it must begin again, or the counts have gone on
			if from, dropped, err = c.countable(ctx); err != nil {
				return err
			}
			if recount, err = c.beginRecount(ctx, from); err != nil {
				return err
			}
		case code == fault.Unavailable && waited < recountPatience:
			background.Sleep(ctx, c.MaxBackOff, nil)
			waited += c.MaxBackOff
		case err != nil:
			return err
		default:
			waited = 0
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
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
	if err = c.recognise(ctx, recount.Progress, head); fault.CodeOf(err) == fault.Conflict {
		return c.Usage.BeginRecount(ctx, from, false)
	}
	return recount, err
}

// recountPatience is how long a recount waits for a store that is busy, or for somebody who is being forgotten.
const recountPatience = time.Minute

// countable returns the first month of which the log holds all plays, and the position up to which events were dropped.
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

// recountStep counts one batch of a recount, or ends it, which it reports. A recount is never ahead of the counts, so
// that it belongs to the same seals.
func (c *Counter) recountStep(ctx context.Context, recount *usage.Recount, dropped event.Position) (done bool, err error) {
	counted, err := c.Usage.Progress(ctx)
	if err != nil {
		return false, err
	}
	head, err := c.Log.Head(ctx)
	if err != nil {
		return false, err
	}
	end := min(counted.Position, head) // the log may have gone back
	if recount.Progress.Position == end {
		err := c.settled(ctx, func() error { return c.Usage.EndRecount(ctx, *recount, counted) })
		return err == nil, err
	}
	to, plays, err := c.read(ctx, recount.Progress, end, dropped)
	if err != nil {
		err = Damage(ctx, c.Log, recount.Progress.Position, head, err)
		var damaged *DamagedError
		if errors.As(err, &damaged) {
			damaged.note = "; the counts are as they were"
		}
		return false, err
	}
	*recount, err = c.Usage.ApplyRecount(ctx, *recount, to, plays)
	return false, err
}
