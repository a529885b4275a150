// Package guard protects callers of an engine across the network that is slow or away: every call has a time limit, the number of
// concurrent calls is limited (a bulkhead), and after consecutive failures calls are refused at once for a while (a circuit
// breaker).
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/filmstrip/filmstrip/fault"
)

// Options are the settings of a Guard. Zero values stand for the defaults.
type Options struct {
	// Engine is the name of the engine in messages and logs.
	Engine string
	// Timeout is the time limit of each call. 0: 5 s.
	Timeout time.Duration
	// Concurrent is the greatest number of concurrent calls; others wait within Timeout. 0: 64.
	Concurrent int
	// Failures is the number of consecutive failures that open the breaker. 0: 5.
	Failures int
	// Pause is how long the breaker stays open before one call may try again. 0: one second.
	Pause time.Duration
	// Logger logs when the breaker opens or closes; nil: nothing is logged.
	Logger *slog.Logger
}

// Guard protects the calls of one engine. It may be used concurrently.
type Guard struct {
	engine  string
	timeout time.Duration
	turns   chan struct{}
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
	last    *atomic.Pointer[error] // the last failure
}

// OpenError is the cause of an error of Do that did not call the engine. It does not wrap Last, the last failure of a call,
// which is the reason for the open breaker.
type OpenError struct{ Last error }

// Error returns the text of the failure.
func (e *OpenError) Error() string { return fmt.Sprintf("the circuit breaker is open: %v", e.Last) }

// New returns a Guard with a closed breaker, which lets calls through.
func New(options Options) *Guard {
	if options.Timeout <= 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Concurrent <= 0 {
		options.Concurrent = 64
	}
	if options.Failures <= 0 {
		options.Failures = 5
	}
	if options.Pause <= 0 {
		options.Pause = time.Second
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Guard{
		engine:  options.Engine,
		timeout: options.Timeout,
		turns:   make(chan struct{}, options.Concurrent),
		last:    &atomic.Pointer[error]{},
		breaker: gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			Name:        options.Engine,
			Timeout:     options.Pause,
			MaxRequests: 1,
			ReadyToTrip: func(counts gobreaker.Counts) bool {
				return int(counts.ConsecutiveFailures) >= options.Failures
			},
			OnStateChange: func(name string, _, to gobreaker.State) {
				options.Logger.Warn("calls to an engine", "engine", name, "breaker", to.String())
			},
			IsSuccessful: func(err error) bool { return !isFailure(err) },
			IsExcluded:   func(err error) bool { return errors.Is(err, errGaveUp) },
		}),
	}
}

// What the breaker learns of a call without an answer.
var (
	// errGaveUp: the caller hung up, or its own deadline came early. It says nothing about the engine.
	errGaveUp = errors.New("the caller gave up")
	// errWaited: the caller's own deadline came, but for half of Timeout or more there was no answer. If all callers have
	// deadlines shorter than Timeout, this is the only sign of an engine that hangs.
	errWaited   = errors.New("no answer in the caller's time")
	errPanicked = errors.New("the call panicked")
)

// Do runs one call with a context that ends after Timeout. If the engine failed, was too slow, or is not called because it
// failed before, the error is a *fault.Error of code Unavailable. Errors of other codes, and the end of the caller's own context,
// are returned unchanged and are no failures of the engine, except a deadline of the caller that comes after half of Timeout or
// more without an answer.
func (g *Guard) Do(ctx context.Context, call func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := g.breaker.Allow()
	if err != nil {
		if last := g.last.Load(); last != nil {
			err = &OpenError{*last}
		}
		return g.unavailable("does not answer", err)
	}
	verdict := errPanicked
	defer func() { done(verdict) }()
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	err = g.inTurn(limited, call)
	switch {
	case err == nil:
	case over(ctx):
		verdict = errGaveUp
		if !errors.Is(ctx.Err(), context.Canceled) && time.Since(begun) >= g.timeout/2 {
			verdict = errWaited
		}
		return err
	case over(limited):
		err = g.unavailable("is too slow", err)
	case isFailure(err) && fault.CodeOf(err) != fault.Unavailable:
		err = g.unavailable("failed", err)
	}
	if verdict = err; isFailure(err) {
		g.last.Store(&err)
	}
	return err
}

// over reports whether the deadline of a context has passed. The deadline of a connection fires a little before that of the
// context from which it was set.
func over(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, limited := ctx.Deadline()
	return limited && !time.Now().Before(deadline)
}

// Within returns a Guard with the same breaker and bulkhead and another time limit.
func (g *Guard) Within(timeout time.Duration) *Guard {
	other := *g
	other.timeout = timeout
	return &other
}

// Open reports whether calls are refused at present.
func (g *Guard) Open() bool { return g.breaker.State() == gobreaker.StateOpen }

// inTurn runs the call when fewer than Concurrent others run.
func (g *Guard) inTurn(ctx context.Context, call func(ctx context.Context) error) error {
	select {
	case g.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-g.turns }()
	return call(ctx)
}

func (g *Guard) unavailable(problem string, cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: g.engine + " " + problem, Cause: cause}
}

// isFailure reports whether an error is a failure of the engine. A domain error of another code than Unavailable is an answer.
func isFailure(err error) bool {
	if err == nil {
		return false
	}
	var known *fault.Error
	return !errors.As(err, &known) || known.Code == fault.Unavailable || known.Code == fault.Internal
}
