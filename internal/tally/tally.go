// Package tally sums values by key in memory and writes the sums to a store every few seconds, so that no request waits
// for the store. What is not written when the process dies is lost.
package tally

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
)

// Options are the settings of a Tally. Only Own and Logger are optional.
type Options[K comparable, V any] struct {
	// Name is the name of the task that writes, for logs.
	Name string
	// Every is the pause between two writes.
	Every time.Duration
	// Most is how many keys wait to be written at most.
	Most int
	// Merge adds a value to the sum of those before.
	Merge func(before, added V) V
	// Own returns a key that shares no memory with a request; nil: keys never do.
	Own func(K) K
	// Write writes sums. After an error they are kept and written again.
	Write  func(ctx context.Context, sums map[K]*V) error
	Logger *slog.Logger
}

// Tally sums values. Its methods may be called concurrently.
type Tally[K comparable, V any] struct {
	options Options[K, V]
	task    background.Task
	dropped atomic.Int64

	writing sync.Mutex // held during a write

	mu    sync.Mutex
	sums  map[K]*V
	taken int // keys that are being written
}

// New returns a Tally, which writes once it runs.
func New[K comparable, V any](options Options[K, V]) *Tally[K, V] {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Tally[K, V]{
		options: options, sums: map[K]*V{},
		task: background.Task{Name: options.Name, Logger: options.Logger},
	}
}

// Add adds a value to the sum of a key. If Most keys wait already, a value of another key is dropped.
func (t *Tally[K, V]) Add(key K, value V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.sums[key]; known != nil {
		*known = t.options.Merge(*known, value)
		return
	}
	if len(t.sums)+t.taken >= t.options.Most {
		t.dropped.Add(1)
		return
	}
	if t.options.Own != nil {
		key = t.options.Own(key)
	}
	added := value // only a new sum is on the heap
	t.sums[key] = &added
}

// Dropped returns how many values were dropped since New.
func (t *Tally[K, V]) Dropped() int64 { return t.dropped.Load() }

// writeTime is how long a write may take.
const writeTime = 5 * time.Second

// Run writes every few seconds until the context ends, and then a last time.
func (t *Tally[K, V]) Run(ctx context.Context) {
	warned := t.Dropped()
	for background.Sleep(ctx, t.options.Every, nil) {
		t.task.Try(ctx, t.Write)
		if dropped := t.Dropped(); dropped > warned {
			t.options.Logger.WarnContext(ctx, "too many counts wait to be written, so some are lost", "task", t.options.Name, "lost", dropped-warned)
			warned = dropped
		}
	}
	if err := background.Protect(context.WithoutCancel(ctx), t.Write); err != nil {
		t.options.Logger.WarnContext(ctx, "the last counts are lost", "task", t.options.Name, "error", err)
	}
}

// Write writes the present sums now.
func (t *Tally[K, V]) Write(ctx context.Context) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	sums := t.take()
	if len(sums) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	err := t.options.Write(ctx, sums)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = 0
	if err == nil {
		return nil
	}
	for key, before := range sums {
		if since := t.sums[key]; since != nil {
			*before = t.options.Merge(*before, *since)
		}
		t.sums[key] = before
	}
	return err
}

func (t *Tally[K, V]) take() map[K]*V {
	t.mu.Lock()
	defer t.mu.Unlock()
	sums := t.sums
	t.sums, t.taken = map[K]*V{}, len(sums)
	return sums
}
