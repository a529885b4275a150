// Package turns has requests that come in crowds stand in a line of their own.
//
// A commit of the event log ends the waiting of hundreds of requests at once, each with an answer to write.
// Whatever else is asked then would get a processor behind all of them. Where only a few are at work at a time, it
// gets one behind these few.
//
// A turn is a courtesy, not a lock: it ends by itself (Longest), so that nobody can hold up the line, and what it
// stands before must be right without it.
package turns

import (
	"context"
	"sync/atomic"
	"time"
)

// Longest is how long a turn lasts at most. Who has more to do goes on, but no longer alone.
const Longest = 50 * time.Millisecond

// Line lets a few be at work at a time.
type Line struct{ places chan struct{} }

// New makes a line in which n are at work at a time, at least one.
func New(n int) *Line { return &Line{make(chan struct{}, max(1, n))} }

// Turn is somebody's place in a Line, or none. It is used by one goroutine.
type Turn struct {
	line  *Line
	held  atomic.Bool
	limit *time.Timer
}

type turnKey struct{}

// Take waits for a turn, until the context ends. Away finds it by the context that is returned. End has to be
// called. A nil Line lets everybody go on at once.
func (l *Line) Take(ctx context.Context) (context.Context, *Turn) {
	if l == nil {
		return ctx, nil
	}
	turn := &Turn{line: l}
	turn.take(ctx)
	return context.WithValue(ctx, turnKey{}, turn), turn
}

// Away gives up the turn that came with a context, while its owner waits for others; back waits for it again. Where
// there is none, neither does anything.
func Away(ctx context.Context) (back func()) {
	turn, _ := ctx.Value(turnKey{}).(*Turn)
	if turn == nil {
		return func() {}
	}
	turn.End()
	return func() { turn.take(ctx) }
}

// End lets the next one go on. It may be called again, and on nil.
func (t *Turn) End() {
	if t == nil {
		return
	}
	if t.limit != nil {
		t.limit.Stop()
	}
	t.pass()
}

func (t *Turn) take(ctx context.Context) {
	select {
	case t.line.places <- struct{}{}:
	case <-ctx.Done():
		return
	}
	t.held.Store(true)
	t.limit = time.AfterFunc(Longest, t.pass)
}

// pass frees the place, once. A limit of a place that was given up already may pass the one taken after it, which
// is then shorter than it might be.
func (t *Turn) pass() {
	if t.held.CompareAndSwap(true, false) {
		<-t.line.places
	}
}
