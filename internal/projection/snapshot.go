package projection

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// saveSnapshots saves the index when it has not changed for a while, or when that takes too long.
func (f *Follower) saveSnapshots(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.applied:
		}
		for f.awaitRest(ctx) && !f.saving.Try(ctx, f.Save) {
		}
	}
}

// awaitRest waits until the index has not changed for SnapshotQuiet, at most SnapshotWithin. It returns false if the context has
// ended.
func (f *Follower) awaitRest(ctx context.Context) bool {
	quiet, within := time.NewTimer(f.options.SnapshotQuiet), time.NewTimer(f.options.SnapshotWithin)
	defer quiet.Stop()
	defer within.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-f.applied:
			quiet.Reset(f.options.SnapshotQuiet)
		case <-quiet.C:
			return true
		case <-within.C:
			return true
		}
	}
}

// Save saves the index and has the store attest to the snapshot. Without that, the next start does not use it: a crash between the
// two costs a rebuild. An index that may belong to another store is not saved. Save may be called with or without Run.
func (f *Follower) Save(ctx context.Context) error {
	if f.options.Snapshots == nil || !f.believed.Load() {
		return nil
	}
	saved, err := f.options.Snapshots.Save(ctx)
	if err != nil || saved.Token == "" {
		return err
	}
	return f.options.Store.Attest(ctx, saved.Token, saved.Position)
}

// believe reports whether the content of the index up to a position belongs to this store. A snapshot belongs to the store that
// attests to it. Position and content do not prove it: a store that was replaced, or restored from a backup and written to, may
// have reached the same position by other writes, which the log behind it would never repair.
func (f *Follower) believe(ctx context.Context, position store.Position) (bool, error) {
	if f.believed.Load() {
		return true, nil
	}
	if position > 0 { // position 0 is always right
		snapshot := f.options.Snapshots.Snapshot()
		known, err := f.options.Store.Attested(ctx, snapshot.Token, snapshot.Position)
		if err != nil {
			return false, err
		}
		if !known {
			f.options.Logger.WarnContext(ctx, "the store does not attest the index's snapshot, so it is not used: "+
				"the store was replaced or restored, or the server did not stop by itself", "position", position)
			return false, nil
		}
	}
	f.believed.Store(true)
	return true, nil
}
