package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// TestAFlightEndsWithItsLastCaller checks that work is canceled when its last caller leaves, and not earlier.
func TestAFlightEndsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flights[int]
		var begun, canceled atomic.Int32
		release := make(chan struct{})
		work := func(ctx context.Context) (int, error) {
			begun.Add(1)
			select {
			case <-ctx.Done():
				canceled.Add(1)
				return 0, ctx.Err()
			case <-release:
				return 7, nil
			}
		}
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		results := make(chan error, 2)
		for _, ctx := range []context.Context{first, second} {
			go func() {
				_, err := f.join(ctx, "key", work)
				results <- err
			}()
		}
		synctest.Wait()
		leaveFirst()
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("the first caller got %v", err)
		}
		synctest.Wait()
		if begun.Load() != 1 || canceled.Load() != 0 {
			t.Errorf("with one caller left, %d have begun and %d were canceled", begun.Load(), canceled.Load())
		}
		leaveSecond()
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("the second caller got %v", err)
		}
		synctest.Wait()
		if canceled.Load() != 1 {
			t.Error("the work goes on, though nobody waits for it")
		}
		time.AfterFunc(time.Second, func() { close(release) })
		if value, err := f.join(t.Context(), "key", work); value != 7 || err != nil {
			t.Errorf("a later caller got %d, %v", value, err)
		}
		if len(f.pending) != 0 {
			t.Errorf("%d flights are remembered", len(f.pending))
		}
	})
}

// TestAFlightKeepsTheErrorOfAnEngine checks that an engine's own limit is reported as the engine reports it.
func TestAFlightKeepsTheErrorOfAnEngine(t *testing.T) {
	hung := &fault.Error{Code: fault.Unavailable, Message: "the search engine is too slow", Cause: context.DeadlineExceeded}
	var f flights[int]
	_, err := f.join(t.Context(), "key", func(context.Context) (int, error) { return 0, hung })
	if err != error(hung) {
		t.Errorf("got %v", err)
	}
	_, err = f.join(t.Context(), "key", func(context.Context) (int, error) { return 0, context.DeadlineExceeded })
	if fault.CodeOf(err) != fault.Unavailable || err.Error() != "no answer in time: context deadline exceeded" {
		t.Errorf("got %v", err)
	}
}
