package httpserver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// timeLimit ends the context of a request at its deadline and when the request has been answered. Most requests are
// answered from memory, and nobody waits for the end of their context. The timer therefore starts when somebody does.
type timeLimit struct {
	deadline time.Time // zero: none
	once     sync.Once
	limited  atomic.Pointer[context.Context] // nil until somebody waits
	cancel   context.CancelFunc
	over     atomic.Bool
}

// ended is closed.
var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Deadline implements context.Context.
func (p *requestState) Deadline() (time.Time, bool) {
	if p.deadline.IsZero() {
		return p.Context.Deadline()
	}
	return p.deadline, true
}

// Done implements context.Context.
func (p *requestState) Done() <-chan struct{} {
	p.once.Do(func() {
		var limited context.Context
		if p.deadline.IsZero() {
			limited, p.cancel = context.WithCancel(p.Context)
		} else {
			limited, p.cancel = context.WithDeadline(p.Context, p.deadline)
		}
		p.limited.Store(&limited)
	})
	if limited := p.limited.Load(); limited != nil {
		return (*limited).Done()
	}
	return ended
}

// Err implements context.Context.
func (p *requestState) Err() error {
	if limited := p.limited.Load(); limited != nil {
		return (*limited).Err()
	}
	err := p.Context.Err()
	switch {
	case err != nil:
	case p.over.Load():
		err = context.Canceled
	case !p.deadline.IsZero() && !time.Now().Before(p.deadline):
		err = context.DeadlineExceeded
	}
	return err
}

// end ends the context of an answered request.
func (p *requestState) end() {
	p.over.Store(true)
	p.once.Do(func() {}) // Done starts no timer anymore
	if p.cancel != nil {
		p.cancel()
	}
}
