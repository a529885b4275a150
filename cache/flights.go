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

// flightLimit limits the duration of shared work.
const flightLimit = 30 * time.Second

// flights lets concurrent callers with the same key share one execution of their work. The zero value is ready for use.
type flights[T any] struct {
	mu      sync.Mutex
	pending map[string]*flight[T]
}

// flight is one execution of work that callers wait for.
type flight[T any] struct {
	waiting int // guarded by flights.mu
	cancel  context.CancelFunc
	done    chan struct{} // closed when value and err are set
	value   T
	err     error
}

// join waits for the pending work of a key, or starts the work if there is none. A caller whose context ends stops
// waiting; the work continues as long as any caller waits, for flightLimit at most. Work that exceeds the limit fails
// with code Unavailable.
func (f *flights[T]) join(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	joined := f.begin(ctx, key, work)
	select {
	case <-ctx.Done():
		f.finish(key, joined)
		var none T
		return none, ctx.Err()
	case <-joined.done:
		return joined.value, joined.err
	}
}

// begin adds a caller to the flight of a key, and starts the flight if there is none.
func (f *flights[T]) begin(ctx context.Context, key string, work func(context.Context) (T, error)) *flight[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.pending[key]; known != nil {
		known.waiting++
		return known
	}
	// The work has the context values of its first caller, but not its deadline or cancellation.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flightLimit)
	started := &flight[T]{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if f.pending == nil {
		f.pending = map[string]*flight[T]{}
	}
	f.pending[key] = started
	go func() {
		defer cancel()
		started.value, started.err = recovered(ctx, work)
		f.mu.Lock()
		f.forget(key, started)
		f.mu.Unlock()
		close(started.done)
	}()
	return started
}

// finish removes a caller from a flight. The last caller cancels the work; the next caller starts another flight.
func (f *flights[T]) finish(key string, left *flight[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if left.waiting--; left.waiting == 0 {
		left.cancel()
		f.forget(key, left)
	}
}

// forget removes a flight unless another one has its key. The caller holds the lock.
func (f *flights[T]) forget(key string, ended *flight[T]) {
	if f.pending[key] == ended {
		delete(f.pending, key)
	}
}

// recovered runs the work and returns a panic as an error. No caller could recover it, because the work runs in its own
// goroutine.
func recovered[T any](ctx context.Context, work func(context.Context) (T, error)) (done T, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("cache: panic: %v\n%s", problem, debug.Stack())
		}
	}()
	done, err = work(ctx)
	// An error of code Unavailable names the engine that did not answer within its own limit.
	if errors.Is(err, context.DeadlineExceeded) && fault.CodeOf(err) != fault.Unavailable {
		err = &fault.Error{Code: fault.Unavailable, Message: "no answer in time", Cause: err}
	}
	return done, err
}
