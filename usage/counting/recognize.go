package counting

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// checkDropped returns an error of code Conflict if the log has dropped events that were not counted: the counts were restored from
// before that drop. Nobody would be billed for those events.
func (c *Counter) checkDropped(ctx context.Context, counted usage.Progress) error {
	dropped, err := c.Log.Dropped(ctx)
	if err != nil || counted.Position >= dropped {
		return err
	}
	return fault.Errorf(fault.Conflict, "usage is counted up to event %d and retention has dropped events up to %d: the counts are older than "+
		"that drop. Restore counts and log from the same backup, or accept with 'filmstrip usage skip-dropped' that the dropped events are never billed",
		counted.Position, dropped)
}

// SkipDropped moves the counts to the position up to which events were dropped, and counts those up to there that remain. Nobody is
// billed for the others. It returns the positions between which events were lost, both 0 if there are none.
func (c *Counter) SkipDropped(ctx context.Context) (after, upTo event.Position, err error) {
	from, head, err := c.look(ctx)
	if fault.CodeOf(err) != fault.Conflict {
		return 0, 0, err
	}
	dropped, errDropped := c.Log.Dropped(ctx)
	if errDropped != nil {
		return 0, 0, errDropped
	}
	if from.Position >= dropped || head < from.Position {
		return 0, 0, err // another conflict, which this does not resolve
	}
	for at := from; at.Position < dropped; {
		to, plays, err := c.read(ctx, at, dropped, dropped, c.Batch)
		if err != nil {
			return 0, 0, err
		}
		if err := c.Usage.Apply(ctx, at, to, plays); err != nil {
			return 0, 0, err
		}
		at = to
	}
	return from.Position, dropped, nil
}

// recognize returns an error of code Conflict if the log is not the one that was counted: one of the two was restored without the
// other. Such a log assigns positions again, and an event at a position that is already counted would never be counted. The event at
// the counted position shows it: in another log it was received later than all that was counted. A position is checked once.
func (c *Counter) recognize(ctx context.Context, counted usage.Progress, head event.Position) error {
	if counted.Position == 0 || counted.Position == c.recognized.Load() {
		return nil
	}
	if counted.Position > head {
		return fault.Errorf(fault.Conflict,
			"usage is counted up to event %d and the log ends at %d: one of the two was restored without the other", counted.Position, head)
	}
	received, err := c.receivedAt(ctx, counted.Position)
	if err != nil {
		return err
	}
	if received > counted.AsOf {
		return fault.Errorf(fault.Conflict,
			"usage is counted up to event %d as of %s, and that event of the log is another, of %s: one of the two was restored without the other",
			counted.Position, counted.AsOf, received)
	}
	c.recognized.Store(counted.Position)
	return nil
}

// receivedAt returns when the event at a position was received, or 0 if its month was dropped.
func (c *Counter) receivedAt(ctx context.Context, position event.Position) (event.Instant, error) {
	found, err := c.Log.Read(ctx, store.EventQuery{UpTo: position, Dropped: position}, position-1, 1)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0].Received, nil
}

// sealTime is how much later than the time of a seal or void its last event may have been received: the events that came before are
// counted first, and clocks differ.
const sealTime = time.Hour

// checkSealed returns an error of code Conflict if months were sealed, or plays voided, up to an event that the log has lost. It was
// then restored to an earlier time and gives the positions of lost events to new ones. A recount would take late plays of a sealed
// month for billed ones, and void other plays.
func (c *Counter) checkSealed(ctx context.Context) error {
	head, err := c.Log.Head(ctx)
	if err != nil {
		return err
	}
	seals, err := c.Usage.Seals(ctx)
	if err != nil {
		return err
	}
	for _, seal := range seals {
		if err := c.checkKept(ctx, head, seal.Month.String()+" was sealed", seal.Position, seal.At); err != nil {
			return err
		}
	}
	voids, err := c.Usage.Voids(ctx)
	if err != nil {
		return err
	}
	for _, void := range voids {
		if !void.Active() {
			continue
		}
		if err := c.checkKept(ctx, head, "plays were voided", void.Position, void.Made.At); err != nil {
			return err
		}
	}
	return nil
}

// checkKept returns an error of code Conflict if the log, which ends at head, has no event at a position, or one that was received
// long after a time.
func (c *Counter) checkKept(ctx context.Context, head event.Position, done string, position event.Position, at time.Time) error {
	if position == 0 {
		return nil
	}
	lost := position > head
	if !lost {
		received, err := c.receivedAt(ctx, position)
		if err != nil {
			return err
		}
		lost = received.Time().After(at.Add(sealTime))
	}
	if !lost {
		return nil
	}
	return fault.Errorf(fault.Conflict,
		"%s on %s up to event %d, which the log has lost: it was restored to an earlier time. Restore usage.db and events.db from one backup, and seal again",
		done, at.UTC().Format(time.RFC3339), position)
}
