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
// counts as they were; if the log cannot be read, the error names the positions.
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
	ctx, cancel := context.WithCancel(ctx)
	var next *readAhead
	defer func() {
		cancel()
		next.wait()
	}()
	for waited := time.Duration(0); ; {
		done, err := c.recountStep(ctx, &recount, dropped, &next)
		switch code := fault.CodeOf(err); {
		case done:
			c.recognized.Store(0)
			return nil
		case code == fault.Conflict: // the recount must begin again, or the counts have moved on
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
// afterwards. While the store counts a batch, the next one is read.
func (c *Counter) recountStep(ctx context.Context, recount *usage.Recount, dropped event.Position, next **readAhead) (done bool, err error) {
	counted, err := c.Usage.Progress(ctx)
	if err != nil {
		return false, err
	}
	head, err := c.Log.Head(ctx)
	if err != nil {
		return false, err
	}
	end := min(counted.Position, head) // the log may have become shorter
	switch {
	case recount.Progress.Position != end && recount.Stage != usage.Gathering:
	case recount.Stage != usage.Following:
		*recount, err = c.Usage.GatherRecount(ctx, *recount)
		return false, err
	default:
		err := c.settled(ctx, func() error { return c.Usage.EndRecount(ctx, *recount, counted) })
		return err == nil, err
	}
	read := *next
	if *next = nil; read == nil || read.from != recount.Progress || read.end > end {
		read.wait()
		read = c.readAhead(ctx, recount.Progress, end, dropped)
	}
	read.wait()
	if err := read.err; err != nil {
		err = Damage(ctx, c.Log, recount.Progress.Position, head, err)
		if damaged, ok := errors.AsType[*DamagedError](err); ok {
			damaged.note = "; the counts are as they were"
		}
		return false, err
	}
	if read.to.Position < end {
		*next = c.readAhead(ctx, read.to, end, dropped)
	}
	*recount, err = c.Usage.ApplyRecount(ctx, *recount, read.to, read.plays)
	return false, err
}

// recountBatches is the number of batches that a recount counts in one transaction: a large step writes most cells once.
const recountBatches = 20

// readAhead is a batch of plays that is read in the background.
type readAhead struct {
	from, to usage.Progress
	end      event.Position
	plays    []usage.Play
	err      error
	done     chan struct{}
}

func (c *Counter) readAhead(ctx context.Context, from usage.Progress, end, dropped event.Position) *readAhead {
	r := &readAhead{from: from, end: end, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.to, r.plays, r.err = c.read(ctx, from, end, dropped, min(c.Batch*recountBatches, maxBatch))
	}()
	return r
}

// wait waits until the batch is read.
func (r *readAhead) wait() {
	if r != nil {
		<-r.done
	}
}
