package counting

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
)

// Run counts until the context ends, and verifies now and then.
func (c *Counter) Run(ctx context.Context) {
	c.running.Store(true)
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

const (
	// verifyPoll is the time between two looks whether it is time to verify, and what other processes have found.
	verifyPoll = time.Minute
	// verifyDelay is the longest time from the start of a process to its first verification.
	verifyDelay = 10 * time.Minute
)

// verifyOn verifies once in a while, if this process counts.
func (c *Counter) verifyOn(ctx context.Context) {
	from := time.Now().Add(min(c.VerifyEvery/10, verifyDelay))
	for ctx.Err() == nil {
		if due := c.isVerificationDue(ctx); due && time.Now().After(from) && !c.verifyNow(ctx) {
			from = time.Now().Add(c.VerifyEvery / 10)
		}
		background.Sleep(ctx, min(c.VerifyEvery/10, verifyPoll), nil)
	}
}

// isVerificationDue learns what other processes have found, and reports whether it is this process's turn to verify.
func (c *Counter) isVerificationDue(ctx context.Context) (due bool) {
	err := background.Protect(ctx, func(ctx context.Context) error {
		_, state, err := c.readVerification(ctx)
		if err != nil || !c.lease.Held() {
			return err
		}
		if state.Since.IsZero() {
			state.Since = c.Now()
			if err := c.storeVerification(ctx, state); err != nil {
				return err
			}
		}
		due = state.Last == nil || c.Now().Sub(state.Last.At) >= c.VerifyEvery
		return nil
	})
	if err != nil && ctx.Err() == nil {
		c.Logger.WarnContext(ctx, "the state of the verification of usage could not be read, will try again", "error", err)
	}
	return due && err == nil
}

// verifyNow logs the result of VerifyNext, and reports whether it came to an end.
func (c *Counter) verifyNow(ctx context.Context) bool {
	var report Report
	err := background.Protect(ctx, func(ctx context.Context) (err error) {
		report, err = c.VerifyNext(ctx)
		return err
	})
	switch {
	case ctx.Err() != nil || errors.Is(err, errOtherProcess):
	case err != nil:
		c.Logger.Log(ctx, severity(err), "usage could not be verified, will try again", "error", err)
	case !report.Agrees():
		c.Logger.ErrorContext(ctx, "usage differs from the event log", "differences", report.Different, "first", report.Differences[0].String())
	default:
		c.Logger.InfoContext(ctx, "usage agrees with the event log", "events", report.Events, "countedAgain", report.Recounted,
			"allSince", report.Since, "statements", report.Statements, "took", report.Took)
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
