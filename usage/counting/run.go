package counting

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// firstBackOff is the pause after a first fault. It doubles with each.
const firstBackOff = 100 * time.Millisecond

// Run counts, and verifies now and then, until the context ends.
func (c *Counter) Run(ctx context.Context) {
	defer c.turn.end(ctx)
	var loops sync.WaitGroup
	defer loops.Wait()
	if c.VerifyEvery > 0 {
		loops.Go(func() { c.verifyOn(ctx) })
	}
	var pause time.Duration
	for ctx.Err() == nil {
		begun, more := time.Now(), false
		err := sheltered(ctx, func(ctx context.Context) (err error) {
			more, err = c.follow(ctx)
			return err
		})
		if ctx.Err() != nil {
			return
		}
		c.tell(ctx, err)
		if err != nil {
			pause = min(max(2*pause, firstBackOff), c.MaxBackOff)
			sleep(ctx, pause, nil)
			continue
		}
		pause = 0
		sleep(ctx, max(c.Rest, time.Since(begun)), nil)
		if !more {
			sleep(ctx, c.Poll, c.wake)
		}
	}
}

// verifyOn verifies once in a while, where this process counts.
func (c *Counter) verifyOn(ctx context.Context) {
	for sleep(ctx, c.VerifyEvery/10, nil); ctx.Err() == nil; {
		if !c.turn.mine.Load() || !c.verifyNow(ctx) {
			sleep(ctx, c.VerifyEvery/10, nil)
			continue
		}
		sleep(ctx, c.VerifyEvery, nil)
	}
}

// verifyNow tells what Verify found, and whether it came to an end.
func (c *Counter) verifyNow(ctx context.Context) bool {
	var report Report
	err := sheltered(ctx, func(ctx context.Context) (err error) {
		report, err = c.Verify(ctx)
		return err
	})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		c.Logger.WarnContext(ctx, "use could not be verified, will try again", "error", err)
	case !report.Agrees():
		c.Logger.ErrorContext(ctx, "use does not agree with the log", "differences", report.Different, "first", report.Differences[0].String())
	default:
		c.Logger.InfoContext(ctx, "use agrees with the log", "events", report.Events, "statements", report.Statements, "took", report.Took)
	}
	return err == nil
}

// follow makes one step, where it is this process's turn, and reports whether the log holds more.
func (c *Counter) follow(ctx context.Context) (more bool, err error) {
	mine, err := c.turn.ask(ctx)
	if err != nil {
		return false, err
	}
	if !mine {
		progress, head, err := c.look(ctx)
		if err == nil && progress.Position >= head {
			c.move()
		}
		return false, c.explain(ctx, err)
	}
	// A void that was cut short keeps months from being sealed.
	if err := c.Usage.SettleVoids(ctx); err != nil {
		return false, err
	}
	counted, head, err := c.count(ctx)
	if err == nil && counted >= head {
		c.move()
	}
	return counted < head, c.explain(ctx, err)
}

// tell says what keeps failing, at the first time and when it is over.
func (c *Counter) tell(ctx context.Context, err error) {
	if err == nil {
		if c.fault.Swap(nil) != nil {
			c.Logger.InfoContext(ctx, "use is counted again")
		}
		return
	}
	before := c.fault.Swap(&err)
	switch {
	case needsRepair(err) && (before == nil || !needsRepair(*before)):
		c.Logger.ErrorContext(ctx, "use is not counted until somebody repairs it", "error", err)
	case before == nil:
		c.Logger.WarnContext(ctx, "use cannot be counted, will try again", "error", err)
	}
}

func sheltered(ctx context.Context, task func(context.Context) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return task(ctx)
}

func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}
