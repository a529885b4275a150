package intake

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// commitAll commits what waits until nothing more will arrive.
func (c *Commits) commitAll(committer int) {
	for {
		group := c.next(committer)
		if group == nil {
			return
		}
		began := time.Now()
		c.commit(group)
		c.mu.Lock()
		c.begun[committer] = time.Time{}
		c.mu.Unlock()
		c.rest(group, time.Since(began))
	}
}

// next waits for a group to commit. It returns nil if nothing more will arrive.
func (c *Commits) next(committer int) []*entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.queue.first() == nil {
		if c.closed {
			return nil
		}
		c.work.Wait()
	}
	c.begun[committer] = time.Now()
	return c.queue.take(load{c.options.CommitEvents, c.options.CommitBytes})
}

// commit stores a group and notifies its submitters. If the log refuses a submission, halves of the group are tried separately
// until all others are stored.
func (c *Commits) commit(group []*entry) {
	began := time.Now()
	verdicts, err := c.append(group)
	if len(group) > 1 && fault.CodeOf(err) == fault.Invalid {
		c.commit(group[:len(group)/2])
		c.commit(group[len(group)/2:])
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.fail(group, err)
		return
	}
	c.succeed(group, verdicts, time.Since(began))
}

// append stores a group in one transaction. It returns a panic as an error.
func (c *Commits) append(group []*entry) (verdicts []event.Verdict, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("commits: the log panicked: %v\n%s", problem, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout())
	defer cancel()
	submissions := make([]event.Submission, len(group))
	for i, e := range group {
		submissions[i] = e.submission
	}
	verdicts, err = c.options.Log.Append(ctx, submissions)
	if err == nil && len(verdicts) != len(group) {
		err = fmt.Errorf("commits: %d verdicts on %d submissions", len(verdicts), len(group))
	}
	return verdicts, err
}

// timeout returns the time limit of a commit. It is shorter for one that tries whether the log is back, because others wait for it.
func (c *Commits) timeout() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed >= failuresInARow {
		return c.options.Timeout / 5
	}
	return c.options.Timeout
}

func (c *Commits) succeed(group []*entry, verdicts []event.Verdict, took time.Duration) {
	if c.failed > 0 {
		c.options.Logger.Info("events are stored again")
	}
	c.failed = 0
	c.pace = (c.pace + took) / 2
	c.stats.Commits++
	for i, e := range group {
		var err error
		switch verdicts[i] {
		case event.Stored:
			c.stats.Submissions++
			c.stats.Events += int64(len(e.submission.Events))
		case event.Repeated:
			c.stats.Submissions++
		default:
			err = event.ErrMismatched(e.submission.Key)
		}
		e.verdict = verdicts[i]
		c.answer(e, err)
	}
}

// fail notifies a group that it may not be stored. After consecutive failures it also refuses what waits, which would fail too.
func (c *Commits) fail(group []*entry, err error) {
	if fault.CodeOf(err) != fault.Invalid {
		if c.failed++; c.failed == 1 {
			c.options.Logger.Error("events are not stored, they are refused until they can be", "error", err)
		}
		err = unavailable("the event log did not answer; the events may be there", err)
	}
	c.stats.Failed += int64(len(group))
	for _, e := range group {
		c.answer(e, err)
	}
	if c.failed >= failuresInARow {
		c.paused = time.Now().Add(c.options.Pause)
		c.turnAway(unavailable("the event log does not answer", err))
	}
}

// turnAway refuses everything that waits. The caller holds the lock.
func (c *Commits) turnAway(err error) {
	for e := c.queue.first(); e != nil; e = c.queue.first() {
		c.queue.remove(e)
		c.stats.Refused++
		c.answer(e, err)
	}
}

// answer sends a submission its outcome, and releases the memory that it held.
func (c *Commits) answer(e *entry, err error) {
	c.held.subtract(e.load)
	e.outcome <- err
}
