//go:build race

package live_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// memoryLog replaces SQLite, which takes long to compile with the race detector. It has what a hub and these tests use.
type memoryLog struct {
	store.Events
	mu      sync.Mutex
	events  []event.Event
	dropped event.Position
}

func openLog(testing.TB) store.Events { return &memoryLog{} }

func (l *memoryLog) Append(_ context.Context, submissions []event.Submission) ([]event.Verdict, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, submission := range submissions {
		for _, e := range submission.Events {
			e.Position = event.Position(len(l.events) + 1)
			l.events = append(l.events, e)
		}
	}
	return slices.Repeat([]event.Verdict{event.Stored}, len(submissions)), nil
}

func (l *memoryLog) Head(context.Context) (event.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return event.Position(len(l.events)), nil
}

func (l *memoryLog) Read(_ context.Context, _ store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < l.dropped {
		return nil, fault.Errorf(fault.Conflict, "events after %d were dropped", after)
	}
	return slices.Clone(l.events[after:min(int(after)+limit, len(l.events))]), nil
}

func (l *memoryLog) Drop(context.Context, usage.Month) (event.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped = event.Position(len(l.events))
	return l.dropped, nil
}
