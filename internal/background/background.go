// Package background runs tasks that repeat for as long as the process lives: each is retried after an error, and
// its current error is known to the health check.
package background

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Task is one repeated task. Only one goroutine may call Try at a time; Err may be called concurrently.
type Task struct {
	// Name completes "cannot …", as in "follow the log".
	Name   string
	Logger *slog.Logger
	// BackOff is the pause after a first error. It doubles with each further one, up to MaxBackOff. 0: 100 ms.
	BackOff time.Duration
	// MaxBackOff is the longest pause. 0: 5 s.
	MaxBackOff time.Duration
	// Level returns the level at which an error is logged; nil: slog.LevelWarn for all.
	Level func(error) slog.Level

	pause time.Duration // after the last error
	err   atomic.Pointer[error]
}

// Err returns the error of the last run, nil if it succeeded.
func (t *Task) Err() error {
	if err := t.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Try runs do once and reports whether it succeeded. After an error, Try waits before it returns, longer with each
// error in a row. A panic counts as an error. If ctx ends, Try returns false and keeps the error of the run before.
func (t *Task) Try(ctx context.Context, do func(context.Context) error) bool {
	err := Protect(ctx, do)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		t.log(ctx, fmt.Errorf("%s: %w", t.Name, err))
		t.pause = min(max(2*t.pause, cmp.Or(t.BackOff, 100*time.Millisecond)), cmp.Or(t.MaxBackOff, 5*time.Second))
		Sleep(ctx, t.pause, nil)
		return false
	}
	if t.err.Swap(nil) != nil {
		t.Logger.InfoContext(ctx, "works again", "task", t.Name)
	}
	t.pause = 0
	return true
}

// log records an error. Of several in a row, only the first and each that is graver than the one before are logged
// above slog.LevelDebug.
func (t *Task) log(ctx context.Context, err error) {
	before := t.err.Swap(&err)
	level := t.level(err)
	if before != nil && t.level(*before) >= level {
		level = slog.LevelDebug
	}
	t.Logger.Log(ctx, level, "failed, will try again", "task", t.Name, "error", err)
}

func (t *Task) level(err error) slog.Level {
	if t.Level == nil {
		return slog.LevelWarn
	}
	return t.Level(err)
}

// Protect calls do and returns a panic as an error.
func Protect(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return do(ctx)
}

// Sleep waits for d, for a token in wake, or for the end of ctx. It returns false if ctx has ended.
func Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// Signal puts a token into a channel that holds at most one. It never waits.
func Signal(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}
