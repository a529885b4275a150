package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// flightLimit is the greatest duration of work that several callers may wait for.
const flightLimit = 30 * time.Second

// flights lets callers that want the same thing at the same time share one piece of work. The zero value is ready for use.
type flights[T any] struct {
	mu      sync.Mutex
	pending map[string]*flight[T]
}

// flight is a piece of work that callers wait for.
type flight[T any] struct {
	waiting int // guarded by flights.mu
	cancel  context.CancelFunc
	landed  chan struct{} // closed when value and err are set
	value   T
	err     error
}

// join waits for the work of a key, and starts it if there is none. A caller whose context ends stops waiting; the work goes on
// as long as any caller waits.
func (f *flights[T]) join(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	joined := f.enter(ctx, key, work)
	select {
	case <-ctx.Done():
		f.leave(key, joined)
		var none T
		return none, ctx.Err()
	case <-joined.landed:
		return joined.value, joined.err
	}
}

func (f *flights[T]) enter(ctx context.Context, key string, work func(context.Context) (T, error)) *flight[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.pending[key]; known != nil {
		known.waiting++
		return known
	}
	// The work has the context values of its first caller, but not its end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flightLimit)
	started := &flight[T]{waiting: 1, cancel: cancel, landed: make(chan struct{})}
	if f.pending == nil {
		f.pending = map[string]*flight[T]{}
	}
	f.pending[key] = started
	go func() {
		defer cancel()
		started.value, started.err = sheltered(ctx, work)
		f.mu.Lock()
		f.forget(key, started)
		f.mu.Unlock()
		close(started.landed)
	}()
	return started
}

// leave removes a caller from a flight. The flight ends with its last caller; the next caller starts another.
func (f *flights[T]) leave(key string, left *flight[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if left.waiting--; left.waiting == 0 {
		left.cancel()
		f.forget(key, left)
	}
}

// forget removes a flight if its key still stands for it. The caller holds the lock.
func (f *flights[T]) forget(key string, ended *flight[T]) {
	if f.pending[key] == ended {
		delete(f.pending, key)
	}
}

// sheltered does the work and returns a panic as an error. No caller could recover it, because the work has a goroutine of its
// own.
func sheltered[T any](ctx context.Context, work func(context.Context) (T, error)) (done T, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("cache: panic: %v\n%s", problem, debug.Stack())
		}
	}()
	done, err = work(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &fault.Error{Code: fault.Unavailable, Message: "no answer within " + flightLimit.String(), Cause: err}
	}
	return done, err
}
