package counting

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
)

// Run counts until the context ends, and verifies now and then.
func (c *Counter) Run(ctx context.Context) {
	defer c.lease.Keep(ctx)()
	var loops sync.WaitGroup
	defer loops.Wait()
	if c.VerifyEvery > 0 {
		loops.Go(func() { c.verifyOn(ctx) })
	}
	for ctx.Err() == nil {
		begun, more := time.Now(), false
		counted := c.counting.Try(ctx, func(ctx context.Context) (err error) {
			more, err = c.follow(ctx)
			return err
		})
		if c.Polled != nil {
			c.Polled()
		}
		if !counted {
			continue
		}
		background.Sleep(ctx, max(c.Rest, time.Since(begun)), nil)
		if !more {
			background.Sleep(ctx, c.Poll, c.wake)
		}
	}
}

// verifyOn verifies once in a while, if this process counts.
func (c *Counter) verifyOn(ctx context.Context) {
	for background.Sleep(ctx, c.VerifyEvery/10, nil) {
		if c.lease.Held() && c.verifyNow(ctx) {
			background.Sleep(ctx, c.VerifyEvery-c.VerifyEvery/10, nil)
		}
	}
}

// verifyNow logs the result of Verify, and reports whether Verify came to an end.
func (c *Counter) verifyNow(ctx context.Context) bool {
	var report Report
	err := background.Protect(ctx, func(ctx context.Context) (err error) {
		report, err = c.Verify(ctx)
		return err
	})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		c.Logger.WarnContext(ctx, "usage could not be verified, will try again", "error", err)
	case !report.Agrees():
		c.Logger.ErrorContext(ctx, "usage differs from the event log", "differences", report.Different, "first", report.Differences[0].String())
	default:
		c.Logger.InfoContext(ctx, "usage agrees with the event log", "events", report.Events, "statements", report.Statements, "took", report.Took)
	}
	return err == nil
}

// follow counts one batch if this process holds the lease, and reports whether the log holds more. Other processes only
// look how far the log is counted.
func (c *Counter) follow(ctx context.Context) (more bool, err error) {
	if err := c.lease.Err(); err != nil {
		return false, err
	}
	if !c.lease.Held() {
		progress, head, err := c.look(ctx)
		if err == nil && progress.Position >= head {
			c.move()
		}
		return false, c.explain(ctx, err)
	}
	// An interrupted void keeps months from being sealed.
	if err := c.Usage.SettleVoids(ctx); err != nil {
		return false, err
	}
	counted, head, err := c.count(ctx)
	if err == nil && counted >= head {
		c.move()
	}
	return counted < head, c.explain(ctx, err)
}

// severity is the level at which an error of counting is logged: some end only when an operator acts.
func severity(err error) slog.Level {
	if needsRepair(err) {
		return slog.LevelError
	}
	return slog.LevelWarn
}
