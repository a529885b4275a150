package graph

import (
	"context"
	"sync/atomic"
)

// Ending is where a subscription leaves why it ends: its channel can only be closed.
type Ending struct{ reason atomic.Pointer[error] }

type endingKey struct{}

// WithEnding returns a context for one subscription, and where its reason to end will be.
func WithEnding(ctx context.Context) (context.Context, *Ending) {
	ending := &Ending{}
	return context.WithValue(ctx, endingKey{}, ending), ending
}

// EndWith says why the subscription of a context ends. It is called before the channel is closed.
func EndWith(ctx context.Context, reason error) {
	if ending, ok := ctx.Value(endingKey{}).(*Ending); ok {
		ending.reason.Store(&reason)
	}
}

// Reason is why the subscription has ended; nil: it gave none.
func (e *Ending) Reason() error {
	if reason := e.reason.Load(); reason != nil {
		return *reason
	}
	return nil
}
