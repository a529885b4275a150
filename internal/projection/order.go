package projection

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// span is the part of the log behind from, up to to.
type span struct{ from, to store.Position }

// doubt is what the index may have missed, or received in the wrong order, because an order failed or
// came too late: it may arrive yet, after others that were given later. Once that is past, at due, the
// span is sent again.
type doubt struct {
	span
	due time.Time
}

// doubt remembers that a span must be sent again, at an instant or later.
func (l *lease) doubt(s span, due time.Time) {
	next := &doubt{span: s, due: due}
	if d := l.doubted; d != nil {
		next.from, next.to = min(d.from, s.from), max(d.to, s.to)
		if d.due.After(due) {
			next.due = d.due
		}
	}
	l.doubted = next
}

// arrived reports whether no order of this process can arrive any more.
func (l *lease) arrived() bool { return l.doubted == nil || !time.Now().Before(l.doubted.due) }

// due returns what must be sent again now; nil: nothing.
func (l *lease) due() *doubt {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.arrived() {
		return nil
	}
	return l.doubted
}

// settle forgets a doubt, unless there is a newer one.
func (l *lease) settle(d *doubt) {
	if d == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubted == d {
		l.doubted = nil
	}
}

// order gives the index one order, which carries a span of the log. It ends with the tenure, after half
// a lease at the latest, and not with ctx: an order that is broken off leaves a doubt behind.
func (l *lease) order(ctx context.Context, s span, give func(context.Context) error) error {
	if l == nil {
		return give(ctx)
	}
	held := l.held()
	if held == nil {
		return errNotHeld
	}
	l.note(s)
	defer l.note(s) // a renewal in between is of no use to an order that goes on
	limited, cancel := context.WithTimeout(held, l.For/2)
	defer cancel()
	done := false
	defer func() {
		if !done {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.doubt(s, time.Now().Add(l.For/2))
		}
	}()
	err := give(limited)
	if l.held() != held {
		return errNotHeld
	}
	done = err == nil
	return err
}

// note remembers a span as ordered since the last renewal.
func (l *lease) note(s span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.given != nil {
		s = span{min(l.given.from, s.from), max(l.given.to, s.to)}
	}
	l.given = &s
}

// during does work that may take longer than a lease, in orders that the engine bounds. It ends with
// the tenure or with ctx, whichever is first.
func (l *lease) during(ctx context.Context, work func(context.Context) error) error {
	if l == nil {
		return work(ctx)
	}
	held := l.held()
	if held == nil {
		return errNotHeld
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(held, cancel)()
	err := work(ctx)
	if l.held() != held {
		return errNotHeld
	}
	return err
}
