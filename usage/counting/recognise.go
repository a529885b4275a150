package counting

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// checkDropped refuses, by an error of code Conflict, a log that has dropped events which were not counted: the counts
// were restored from before that drop. What those events came to would be on nobody's bill.
func (c *Counter) checkDropped(ctx context.Context, counted usage.Progress) error {
	dropped, err := c.Log.Dropped(ctx)
	if err != nil || counted.Position >= dropped {
		return err
	}
	return fault.Errorf(fault.Conflict, "use is counted up to event %d and retention has dropped events up to %d: the counts are older than "+
		"that drop. Restore counts and log from the same backup, or accept with 'filmstrip usage skip-dropped' that nobody is billed for what was dropped",
		counted.Position, dropped)
}

// SkipDropped moves the counts to the position up to which events were dropped, and counts those up to there that are
// left. Nobody is billed for the others. It returns the positions between which events were lost, both 0 where none
// were.
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
		return 0, 0, err // another conflict, which this does not settle
	}
	for at := from; at.Position < dropped; {
		to, plays, err := c.read(ctx, at, dropped, dropped)
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

// recognise refuses, by an error of code Conflict, a log that is not the one that was counted so far: one of the
// two was restored without the other. Such a log gives positions out a second time, and whatever gets one that
// is counted already would never be. Its event at that place tells, for it was received after all that was
// counted. What was recognised once needs no second look.
func (c *Counter) recognise(ctx context.Context, counted usage.Progress, head event.Position) error {
	if counted.Position == 0 || counted.Position == c.recognised.Load() {
		return nil
	}
	if counted.Position > head {
		return fault.Errorf(fault.Conflict,
			"use is counted up to event %d and the log ends at %d: one of the two was restored without the other", counted.Position, head)
	}
	last, err := c.Log.Read(ctx, store.EventQuery{UpTo: counted.Position, Dropped: counted.Position}, counted.Position-1, 1)
	if err != nil {
		return err
	}
	for i := range last { // none where its month was dropped
		if last[i].Received > counted.AsOf {
			return fault.Errorf(fault.Conflict,
				"use is counted up to event %d as of %s, and that event of the log is another, of %s: one of the two was restored without the other",
				counted.Position, counted.AsOf, last[i].Received)
		}
	}
	c.recognised.Store(counted.Position)
	return nil
}
