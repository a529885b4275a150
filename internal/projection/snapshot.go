package projection

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// saveSnapshots saves the index when it has come to rest, or when that takes too long.
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

// awaitRest waits until the index has not changed for SnapshotQuiet, SnapshotWithin at most. It
// returns false when the context has ended.
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

// Save saves the index and has the store vouch for the snapshot, without which the next start does not
// believe it: a crash between the two costs a rebuild. An index that is not believed to be of this
// store is not saved. Save may be called with or without Run, which calls it by itself.
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

// believe reports whether what the index holds, up to a position, is of this store. A snapshot is of
// the store that vouches for it. Position and content say nothing: a store that was replaced, or
// restored from a backup and written to, may have reached the same position by other writes, and the
// log behind it would never mend what came before.
func (f *Follower) believe(ctx context.Context, position store.Position) (bool, error) {
	if f.believed.Load() {
		return true, nil
	}
	if position > 0 { // at 0 there is nothing to believe
		snapshot := f.options.Snapshots.Snapshot()
		known, err := f.options.Store.Attested(ctx, snapshot.Token, snapshot.Position)
		if err != nil {
			return false, err
		}
		if !known {
			f.options.Logger.WarnContext(ctx, "the store does not vouch for the index's snapshot, so it is not used: "+
				"the store was replaced or restored, or the server did not stop by itself", "position", position)
			return false, nil
		}
	}
	f.believed.Store(true)
	return true, nil
}
