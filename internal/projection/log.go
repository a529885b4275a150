package projection

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
)

// followLog reads the log again and again.
func (f *Follower) followLog(ctx context.Context) {
	for ctx.Err() == nil {
		if f.following.Try(ctx, f.advance) {
			background.Sleep(ctx, f.options.Poll, f.wake)
		}
	}
}

// advance announces everything in the log to subscribers.
func (f *Follower) advance(ctx context.Context) error {
	f.log.Lock()
	defer f.log.Unlock()
	head, err := f.subject.head(ctx)
	if err != nil {
		return err
	}
	f.head.Store(head)
	if !f.begun || head < f.announced.Load() {
		f.announceAll(head)
		return nil
	}
	for more := true; more && f.announced.Load() < head; {
		if more, err = f.announce(ctx); err != nil {
			return err
		}
	}
	return nil
}

// announceAll begins again at a position that was the head before the call: subscribers that now forget everything and read again
// read nothing older.
func (f *Follower) announceAll(head store.Position) {
	for _, subscriber := range f.options.Subscribers {
		subscriber.InvalidateAll()
	}
	if !f.begun {
		f.begun = true
		f.start.Store(head)
	}
	f.announced.Store(head)
	background.Signal(f.news)
	background.Signal(f.fanOut)
}

// announce passes on the next part of the log. It returns false if the log shows no more for now: a writer may hold back entries.
func (f *Follower) announce(ctx context.Context) (bool, error) {
	changes, err := f.subject.changes(ctx, f.announced.Load(), f.options.Batch)
	if errors.Is(err, store.ErrTrimmed) {
		f.announceAll(f.head.Load())
		return true, nil
	}
	if err != nil || len(changes) == 0 {
		return false, err
	}
	for _, subscriber := range f.options.Subscribers {
		subscriber.Invalidate(changes)
	}
	f.announced.Store(changes[len(changes)-1].Position)
	background.Signal(f.news)
	if f.subject.fansOut(changes) {
		background.Signal(f.fanOut)
	}
	return true, nil
}

// tendStore propagates changes to the videos that show them, and trims the log now and then.
func (f *Follower) tendStore(ctx context.Context) {
	trim := time.NewTicker(f.options.TrimEvery)
	defer trim.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.fanOut:
			for ctx.Err() == nil && !f.tending.Try(ctx, f.propagate) {
			}
		case <-trim.C:
			f.tending.Try(ctx, func(ctx context.Context) error { return f.subject.trim(ctx, f.options.KeepLog) })
		}
	}
}

// propagate lets the store fan out in chunks until no work is left.
func (f *Follower) propagate(ctx context.Context) error {
	for {
		more, err := f.subject.fanOut(ctx, f.options.FanOut)
		if err != nil {
			return err
		}
		f.Wake()
		if !more || !background.Sleep(ctx, f.options.FanOutPause, nil) {
			return nil
		}
	}
}
