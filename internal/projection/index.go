package projection

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/store"
)

// followIndex brings the index up to the announced position, again and again. It polls a shared index as often as the log,
// because other processes write it, and its server may lose data.
func (f *Follower) followIndex(ctx context.Context) {
	var tick <-chan time.Time
	if f.lease != nil {
		ticker := time.NewTicker(f.options.Poll)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.news:
		case <-tick:
		}
		for ctx.Err() == nil && !f.bringing.Try(ctx, f.bringIndex) {
		}
	}
}

// Rebuild rebuilds the index from the store and brings it up to date; searches go on meanwhile. It may be called with or without
// Run. If processes share the index, it first asks for the lease, and keeps it until the index is up to date.
func (f *Follower) Rebuild(ctx context.Context) error {
	defer f.lease.Keep(ctx)()
	done, err := f.lease.Wish(ctx)
	if err != nil {
		return err
	}
	defer done()
	f.indexing.Lock()
	defer f.indexing.Unlock()
	return f.rebuild(ctx)
}

func (f *Follower) bringIndex(ctx context.Context) error {
	f.indexing.Lock()
	defer f.indexing.Unlock()
	position, err := f.subject.position(ctx)
	if err != nil {
		return err
	}
	f.indexed.Store(position)
	if f.start.Load() == unknown {
		return nil
	}
	if err := f.bringFrom(ctx, position); errors.Is(err, lease.ErrNotHeld) {
		f.watch(position)
	} else if err != nil {
		return err
	} else {
		f.ready.Store(true)
	}
	return nil
}

// watch is called while another process writes the index.
func (f *Follower) watch(position store.Position) {
	switch {
	case position > f.head.Load():
		f.Wake()
	case position >= f.start.Load():
		f.ready.Store(true)
	}
}

// bringFrom brings the index from its position up to the announced one.
func (f *Follower) bringFrom(ctx context.Context, position store.Position) error {
	if err := f.mayWrite(ctx); err != nil {
		return err
	}
	believed, err := f.believe(ctx, position)
	switch {
	case err != nil:
		return err
	case believed:
		return f.catchUp(ctx, position)
	default:
		return f.rebuild(ctx)
	}
}

// mayWrite returns lease.ErrNotHeld while another process writes the index.
func (f *Follower) mayWrite(ctx context.Context) error {
	if err := f.lease.HandOver(ctx); err != nil {
		return err
	}
	if !f.lease.Held() {
		return lease.ErrNotHeld
	}
	return nil
}

// catchUp sends doubted entries again, and then new ones.
func (f *Follower) catchUp(ctx context.Context, position store.Position) error {
	if position > f.announced.Load() { // another process may just have brought it there
		if err := f.advance(ctx); err != nil {
			return err
		}
	}
	doubted := f.lease.Due()
	anew, err := f.mustRebuild(ctx, position, doubted)
	if err != nil {
		return err
	}
	if !anew && doubted != nil {
		again := lease.Span{From: doubted.From, To: min(doubted.To, position)}
		if err = f.replay(ctx, again.From, position, func() store.Position { return again.To }); err == nil {
			f.lease.Settle(doubted)
		}
	}
	if !anew && err == nil {
		err = f.replay(ctx, position, position, f.announced.Load)
	}
	if anew || errors.Is(err, store.ErrTrimmed) {
		return f.rebuild(ctx)
	}
	return err
}

// mustRebuild reports whether the index is ahead of the store, so that it belongs to another, or so far behind that reading the
// videos is faster than reading the log. That is checked at the start, to settle a doubt, and when a shared index is empty again.
func (f *Follower) mustRebuild(ctx context.Context, position store.Position, doubted *lease.Doubt) (bool, error) {
	head, behind := f.announced.Load(), f.announced.Load()-position
	if doubted != nil {
		behind += max(0, min(doubted.To, position)-doubted.From)
	}
	switch {
	case position > head:
		return true, nil
	case behind == 0:
		return false, nil
	case position == 0 && (f.lease != nil || !f.ready.Load()):
		return true, nil
	case doubted == nil && f.ready.Load():
		return false, nil
	}
	documents, err := f.subject.size(ctx)
	return float64(behind) > f.options.RebuildShare*float64(documents), err
}

// rebuild reads the position of the log first. Changes during the scan are behind it, and are replayed after the scan.
func (f *Follower) rebuild(ctx context.Context) error {
	if err := f.advance(ctx); err != nil {
		return err
	}
	position, doubted := f.announced.Load(), f.lease.Due()
	f.options.Logger.InfoContext(ctx, "the index is built anew", "position", position)
	err := f.lease.During(ctx, func(ctx context.Context) error {
		return f.subject.rebuild(ctx, position, f.options.Batch, f.ensureAnnounced)
	})
	if err != nil {
		return err
	}
	f.lease.Settle(doubted)
	f.believed.Store(true)
	f.reached(position)
	if err := f.advance(ctx); err != nil {
		return err
	}
	return f.replay(ctx, position, position, f.announced.Load)
}

// ensureAnnounced makes sure that changes up to a position are announced to subscribers.
func (f *Follower) ensureAnnounced(ctx context.Context, position store.Position) error {
	if position <= f.announced.Load() {
		return nil
	}
	if err := f.advance(ctx); err != nil {
		return err
	}
	if announced := f.announced.Load(); position > announced {
		return fmt.Errorf("version %d is stored, the log shows no more than %d yet", position, announced)
	}
	return nil
}

// replay applies the log behind from, up to upTo, which is no further than the announced position. position is that of the index;
// entries before it that are sent again do not change it.
func (f *Follower) replay(ctx context.Context, from, position store.Position, upTo func() store.Position) error {
	for next, err := range ahead(ctx, f.changesBehind(from, upTo)) {
		if err != nil {
			return err
		}
		if err := f.mayWrite(ctx); err != nil {
			return err
		}
		if err := f.ensureAnnounced(ctx, next.newest); err != nil {
			return err
		}
		reached := max(position, next.position)
		err = f.lease.Order(ctx, lease.Span{From: from, To: next.position}, func(ctx context.Context) error { return next.apply(ctx, reached) })
		if err != nil {
			return err
		}
		from = next.position
		f.reached(reached)
	}
	return nil
}

func (f *Follower) reached(position store.Position) {
	f.indexed.Store(position)
	background.Signal(f.applied)
}

// changesBehind returns a function that reads the next log entries and the changed videos.
func (f *Follower) changesBehind(position store.Position, upTo func() store.Position) func(context.Context) (chunk, bool, error) {
	var waiting []store.Change // read, but not yet applied
	return func(ctx context.Context) (chunk, bool, error) {
		if len(waiting) == 0 {
			var err error
			if waiting, err = f.someChanges(ctx, position, upTo()); err != nil || len(waiting) == 0 {
				return chunk{}, false, err
			}
		}
		next, err := f.subject.read(ctx, waiting, f.options.Batch)
		if err != nil {
			return chunk{}, false, err
		}
		position = next.position
		for len(waiting) > 0 && waiting[0].Position <= position {
			waiting = waiting[1:]
		}
		return next, true, nil
	}
}

// someChanges reads changes behind a position, up to last.
func (f *Follower) someChanges(ctx context.Context, position, last store.Position) ([]store.Change, error) {
	if position >= last {
		return nil, nil
	}
	limit := f.options.Gather
	if f.lease != nil {
		limit = f.options.Batch
	}
	changes, err := f.subject.changes(ctx, position, limit)
	for len(changes) > 0 && changes[len(changes)-1].Position > last {
		changes = changes[:len(changes)-1]
	}
	return changes, err
}
