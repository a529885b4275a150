package intake

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
)

// Gate takes the events of a process (events.Sink of the resolvers): it decides whether they may be queued, and queues
// them. All fields are required.
type Gate struct {
	Commits *Commits
	// Ready returns why the process cannot store events safely at the moment, or nil.
	Ready func() error
	// Limit counts events towards the limits of the context's caller, and returns an error beyond them.
	Limit func(ctx context.Context, events int) error
	// KeepAddresses reports whether events keep the network address of their caller.
	KeepAddresses bool
	// Recalled is store.Events.Recall.
	Recalled func(ctx context.Context, submission event.Submission) (event.Verdict, error)
	// Stored is called after events are stored. It must not wait.
	Stored func()
}

// Append implements events.Sink.
func (g *Gate) Append(ctx context.Context, submission event.Submission) (event.Verdict, error) {
	if err := g.Ready(); err != nil {
		return 0, err
	}
	if err := g.Limit(ctx, len(submission.Events)); err != nil {
		return 0, err
	}
	if !g.KeepAddresses {
		for i := range submission.Events {
			submission.Events[i].Address = ""
		}
	}
	verdict, err := g.Commits.Append(ctx, submission)
	if err == nil {
		g.Stored()
	}
	return verdict, err
}

// Recall implements events.Sink.
func (g *Gate) Recall(ctx context.Context, submission event.Submission) (event.Verdict, error) {
	return g.Recalled(ctx, submission)
}
