package intake

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// accept queues a submission or refuses it.
func (c *Commits) accept(ctx context.Context, submission event.Submission) (*entry, error) {
	e := &entry{submission: submission, load: loadOf(&submission), outcome: make(chan error, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refusal(ctx, e.load); err != nil {
		c.stats.Refused++
		return nil, err
	}
	c.held.add(e.load)
	c.queue.push(e)
	c.work.Signal()
	return e, nil
}

// refusal returns why a submission may not wait, nil if it may. The caller holds the lock.
func (c *Commits) refusal(ctx context.Context, l load) error {
	now := time.Now()
	switch {
	case ctx.Err() != nil:
		return unavailable("the request's time ended before its events were stored", ctx.Err())
	case c.closed:
		return unavailable("the service stops", nil)
	case c.isAway(now):
		return unavailable("the event log does not answer", nil)
	case c.idle():
		return nil // one must test how long commits take now
	case c.held.with(l).exceeds(load{c.options.HeldEvents, c.options.HeldBytes}):
		return unavailable("too many events wait to be stored", nil)
	case c.wait(now, l) > c.patience(ctx, now):
		return unavailable("the event log is too slow for the rate of events", nil)
	}
	return nil
}

// isAway reports whether commits failed in a row and this submission may not try again.
func (c *Commits) isAway(now time.Time) bool {
	return c.failed >= failuresInARow && (now.Before(c.paused) || !c.idle())
}

func (c *Commits) idle() bool { return c.held.events == 0 && c.held.bytes == 0 }

// patience returns how long a submission may wait.
func (c *Commits) patience(ctx context.Context, now time.Time) time.Duration {
	if deadline, limited := ctx.Deadline(); limited {
		return min(c.options.Patience, deadline.Sub(now))
	}
	return c.options.Patience
}

// wait returns how long a submission that arrives now will take: the rest of the current commits, and all commits until the
// submission is in one.
func (c *Commits) wait(now time.Time, l load) time.Duration {
	ahead := c.queue.load.with(l)
	commits := max((ahead.events+c.options.CommitEvents-1)/c.options.CommitEvents, (ahead.bytes+c.options.CommitBytes-1)/c.options.CommitBytes)
	commits = min(commits, c.queue.entries.Len()+1)
	rounds := (commits + c.options.Concurrent - 1) / c.options.Concurrent
	return c.untilNext(now) + time.Duration(rounds)*(c.pace+restAfter(c.pace))
}

// untilNext returns about how long it takes until the next commit begins. A commit that takes longer than others is expected to
// take as long again, so that a log that hangs is noticed before the commit's time limit.
func (c *Commits) untilNext(now time.Time) time.Duration {
	soonest := time.Duration(-1)
	for _, begun := range c.begun {
		if begun.IsZero() {
			return 0
		}
		left := now.Sub(begun)
		if left <= c.pace {
			left = c.pace - left
		}
		if soonest < 0 || left < soonest {
			soonest = left
		}
	}
	return soonest
}
