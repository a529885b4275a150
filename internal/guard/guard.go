// Package guard stands before an engine that lies across a wire, so that one that is slow or away costs
// its callers little: every call has a time limit, only so many run at once (a bulkhead), and after a
// row of failures calls are refused at once for a while (a circuit breaker).
package guard

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/filmstrip/filmstrip/fault"
)

// Options are the settings of a Guard. Zero settings stand for the defaults.
type Options struct {
	// Engine is what messages and logs call it.
	Engine string
	// Timeout bounds each call. 0: 5 s.
	Timeout time.Duration
	// Concurrent is how many calls run at once; others wait for their turn within Timeout. 0: 64.
	Concurrent int
	// Failures in a row open the breaker. 0: 5.
	Failures int
	// Pause is how long it stays open before one call is let through to try. 0: one second.
	Pause time.Duration
	// Logger takes a line whenever the breaker opens or closes; nil: none.
	Logger *slog.Logger
}

// Guard guards one engine. It may be used concurrently.
type Guard struct {
	engine  string
	timeout time.Duration
	turns   chan struct{}
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
}

// New makes a Guard whose breaker is closed: calls pass.
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

// What the breaker is told of a call that came to no answer.
var (
	// errGaveUp: the caller hung up, or its own time ran out soon. It says nothing of the engine.
	errGaveUp = errors.New("the caller gave up")
	// errWaited: the caller's own time ran out, but for half of Timeout there was no answer. Where all
	// callers have less time than Timeout, nothing else tells of an engine that hangs.
	errWaited   = errors.New("no answer in the caller's time")
	errPanicked = errors.New("the call panicked")
)

// Do runs one call with a context that ends after Timeout. Where the engine failed, was too slow, or is
// not asked at all because it failed before, the error is a *catalogue.Error of code Unavailable. Other
// errors of code other than Unavailable, and the end of the caller's own context, come back as they are
// and are no failures of the engine; only a deadline of the caller's that leaves it half of Timeout or more
// without an answer is one.
func (g *Guard) Do(ctx context.Context, call func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := g.breaker.Allow()
	if err != nil {
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
	verdict = err
	return err
}

// over reports whether the time of a context has run out. The deadline of a connection fires a little
// before that of the context that it was taken from.
func over(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, limited := ctx.Deadline()
	return limited && !time.Now().Before(deadline)
}

// Within returns a Guard of the same engine, with the same breaker and the same turns, whose calls may
// take another time.
func (g *Guard) Within(timeout time.Duration) *Guard {
	other := *g
	other.timeout = timeout
	return &other
}

// Open reports whether calls are refused just now.
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

// isFailure reports whether an error is the engine's fault. A domain error of another code than
// Unavailable is an answer.
func isFailure(err error) bool {
	if err == nil {
		return false
	}
	var known *fault.Error
	return !errors.As(err, &known) || known.Code == fault.Unavailable || known.Code == fault.Internal
}
