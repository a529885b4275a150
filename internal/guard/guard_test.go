package guard_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
)

var errBroken = errors.New("broken")

func fail(context.Context) error { return errBroken }
func work(context.Context) error { return nil }
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func newGuard() *guard.Guard {
	return guard.New(guard.Options{Engine: "the engine", Timeout: time.Second, Concurrent: 2, Failures: 3, Pause: 10 * time.Second})
}

func wantUnavailable(t *testing.T, err error, message string) {
	t.Helper()
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), message) {
		t.Errorf("%v, want UNAVAILABLE with %q", err, message)
	}
}

func TestOpensAfterARowOfFailuresAndClosesByOneSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		for range 3 {
			err := g.Do(t.Context(), fail)
			wantUnavailable(t, err, "the engine failed")
			if !errors.Is(err, errBroken) {
				t.Errorf("%v has lost its cause", err)
			}
		}
		called := false
		wantUnavailable(t, g.Do(t.Context(), func(context.Context) error { called = true; return nil }), "does not answer")
		if called || !g.Open() {
			t.Errorf("after three failures: called %v, open %v", called, g.Open())
		}
		time.Sleep(11 * time.Second)
		if err := g.Do(t.Context(), work); err != nil || g.Open() {
			t.Errorf("after the pause: %v, open %v", err, g.Open())
		}
	})
}

func TestAnAnswerOfTheDomainIsNoFailure(t *testing.T) {
	g := newGuard()
	for range 10 {
		err := g.Do(t.Context(), func(context.Context) error { return fault.Errorf(fault.Conflict, "taken") })
		if fault.CodeOf(err) != fault.Conflict {
			t.Fatalf("%v, want CONFLICT", err)
		}
	}
}

func TestACallerThatHangsUpIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if err := g.Do(ctx, hang); !errors.Is(err, context.DeadlineExceeded) || fault.CodeOf(err) != fault.Internal {
				t.Errorf("%v, want the caller's own error", err)
			}
			cancel()
		}
		if err := g.Do(t.Context(), work); err != nil {
			t.Error(err)
		}
	})
}

// TestCallersWhoseTimeRunsOutLateAreFailures checks that the guard detects a hanging engine even if callers have less
// time than the guard. Callers that hang up, however late, do not count as failures.
func TestCallersWhoseTimeRunsOutLateAreFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(900*time.Millisecond, cancel)
			if err := g.Do(ctx, hang); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want the caller's own error", err)
			}
		}
		if g.Open() {
			t.Error("callers who hang up open the breaker")
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
			if err := g.Do(ctx, hang); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want the caller's own error", err)
			}
			cancel()
		}
		if !g.Open() {
			t.Error("an engine that never answers in time is still called")
		}
	})
}

// TestACallerThatHangsUpWhileTryingLeavesTheNextOneTry checks that a caller that tries an open breaker and gives up
// does not keep it open forever.
func TestACallerThatHangsUpWhileTryingLeavesTheNextOneTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		for range 3 {
			_ = g.Do(t.Context(), fail)
		}
		time.Sleep(11 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_ = g.Do(ctx, hang)
		cancel()
		time.Sleep(11 * time.Second)
		if err := g.Do(t.Context(), work); err != nil {
			t.Error(err)
		}
	})
}

func TestASlowEngineFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		started := time.Now()
		wantUnavailable(t, g.Do(t.Context(), hang), "too slow")
		if took := time.Since(started); took != time.Second {
			t.Errorf("given up after %s", took)
		}
		patient := g.Within(5 * time.Second)
		if err := patient.Do(t.Context(), func(context.Context) error { time.Sleep(4 * time.Second); return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestOnlySoManyRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard()
		for range 2 {
			go func() { _ = g.Do(t.Context(), hang) }()
		}
		synctest.Wait()
		var ran atomic.Bool
		go func() { _ = g.Do(t.Context(), func(context.Context) error { ran.Store(true); return nil }) }()
		synctest.Wait()
		if ran.Load() {
			t.Error("a third call runs beside two")
		}
		time.Sleep(2 * time.Second)
	})
}

func TestAPanicCountsAsAFailure(t *testing.T) {
	g := newGuard()
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			_ = g.Do(t.Context(), func(context.Context) error { panic("planned") })
		}()
	}
	if !g.Open() {
		t.Error("three panics leave the breaker closed")
	}
}
