package rollup

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// recognise refuses, by an error of code Conflict, a log that is not the one that was counted so far: one of the
// two was restored without the other. Such a log gives positions out a second time, and whatever gets one that
// is counted already would never be. Its event at that place tells, for it was received after all that was
// counted. What was recognised once needs no second look.
func (c *Counter) recognise(ctx context.Context, counted usage.Progress, head event.Position) error {
	if counted.Position == 0 || counted.Position == c.recognised.Load() {
		return nil
	}
	if counted.Position > head {
		return catalogue.Errorf(catalogue.Conflict,
			"use is counted up to event %d and the log ends at %d: one of the two was restored without the other", counted.Position, head)
	}
	last, err := c.Log.Read(ctx, store.EventQuery{UpTo: counted.Position}, counted.Position-1, 1)
	if err != nil {
		return err
	}
	for i := range last { // none where its month was dropped
		if last[i].Received > counted.AsOf {
			return catalogue.Errorf(catalogue.Conflict,
				"use is counted up to event %d as of %s, and that event of the log is another, of %s: one of the two was restored without the other",
				counted.Position, counted.AsOf, last[i].Received)
		}
	}
	c.recognised.Store(counted.Position)
	return nil
}
