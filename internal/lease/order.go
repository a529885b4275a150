package lease

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// Span is the part of a log behind From, up to and including To.
type Span struct{ From, To store.Position }

// Doubt is a span whose order failed or ended too late. The order may still arrive, after orders that were given
// later, so the span must be sent again once that is no longer possible.
type Doubt struct {
	Span
	due time.Time
}

// doubt remembers that a span must be sent again at an instant or later. The caller holds mu.
func (c *Client) doubt(s Span, due time.Time) {
	if c.options.Settled == nil {
		return
	}
	next := &Doubt{Span: s, due: due}
	if d := c.doubted; d != nil {
		next.From, next.To = min(d.From, s.From), max(d.To, s.To)
		if d.due.After(due) {
			next.due = d.due
		}
	}
	c.doubted = next
}

// arrived reports whether no order of this process can arrive any more. The caller holds mu.
func (c *Client) arrived() bool { return c.doubted == nil || !time.Now().Before(c.doubted.due) }

// Due returns what must be sent again now, nil if there is nothing.
func (c *Client) Due() *Doubt {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.arrived() {
		return nil
	}
	return c.doubted
}

// Settle forgets a doubt, unless there is a newer one. nil is ignored.
func (c *Client) Settle(d *Doubt) {
	if d == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubted == d {
		c.doubted = nil
	}
}

// Order calls give with one order, which carries a span of the log. The order's context ends with the tenure, after
// half a lease at the latest, and not with ctx: an order that is broken off is in doubt. Order returns ErrNotHeld if
// the lease is not held before or after the order.
func (c *Client) Order(ctx context.Context, s Span, give func(context.Context) error) error {
	if c == nil {
		return give(ctx)
	}
	held := c.current()
	if held == nil {
		return ErrNotHeld
	}
	c.note(s)
	defer c.note(s) // a renewal during the order does not end the risk that it arrives late
	limited, cancel := context.WithTimeout(held, c.options.For/2)
	defer cancel()
	done := false
	defer func() {
		if !done {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.doubt(s, time.Now().Add(c.options.For/2))
		}
	}()
	err := give(limited)
	if c.current() != held {
		return ErrNotHeld
	}
	done = err == nil
	return err
}

// note remembers a span as ordered since the last renewal.
func (c *Client) note(s Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given != nil {
		s = Span{min(c.given.From, s.From), max(c.given.To, s.To)}
	}
	c.given = &s
}

// During calls work, which may take longer than a lease and gives orders that the engine bounds. The context of work
// ends with the tenure or with ctx, whichever is first. During returns ErrNotHeld if the lease is not held before or
// after the work.
func (c *Client) During(ctx context.Context, work func(context.Context) error) error {
	if c == nil {
		return work(ctx)
	}
	held := c.current()
	if held == nil {
		return ErrNotHeld
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(held, cancel)()
	err := work(ctx)
	if c.current() != held {
		return ErrNotHeld
	}
	return err
}
