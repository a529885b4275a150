package projection

import (
	"context"
	"errors"
)

// InTurn gives the index an order of another kind than those that bring it up to date, between two of them,
// where it is this process's turn to write the index and that is up to date; else it does nothing and reports
// false. The order ends with the tenure, after half a lease at the latest, and not with ctx. Where it fails
// it may arrive yet: until it cannot any more the lease stays here. InTurn is for the time of Run.
func (f *Follower) InTurn(ctx context.Context, order func(context.Context) error) (given bool, err error) {
	if !f.Ready() {
		return false, nil
	}
	defer f.lease.keep(ctx)()
	f.indexing.Lock()
	defer f.indexing.Unlock()
	if err := f.mayWrite(ctx); errors.Is(err, errNotHeld) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	at := f.indexed.Load() // it carries no part of the log
	err = f.lease.order(ctx, span{at, at}, func(ctx context.Context) error { return sheltered(ctx, order) })
	if errors.Is(err, errNotHeld) {
		return false, nil
	}
	return true, err
}
