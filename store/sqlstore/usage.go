package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage implements store.Usage. It is safe for concurrent use.
type Usage struct {
	on[UsageDatabase]
	// gather is the number of plays that a recount gathers in one transaction.
	gather int64
	// recounted contains the numbers of terms that a recount has used.
	recounted usagelogic.Numbers
}

var _ store.Usage = (*Usage)(nil)

// NewUsage returns the usage of a database. gather is the number of plays that a recount gathers in one transaction
// (usagelogic.GatherBlocks).
func NewUsage(db UsageDatabase, gather int64) *Usage {
	return &Usage{on: on[UsageDatabase]{db}, gather: gather}
}

// UsageDatabase is the Database of usage. Its Write blocks other writers of the counts, as Count does.
type UsageDatabase interface {
	Database
	// Snapshot runs fn with one snapshot of the counts. It may run fn again.
	Snapshot(ctx context.Context, fn func(ctx context.Context, counts Counts) error) error
	// Count is like Write, for a transaction that changes the counts.
	Count(ctx context.Context, fn func(ctx context.Context, tx CountsTx) error) error
	// ForgetPlays deletes the blocks before a horizon, in small transactions. First it calls CountsConn.BeginSweep and then
	// cells, for each account that has such blocks.
	ForgetPlays(ctx context.Context, horizon event.Instant, cells func(ctx context.Context, account usagelogic.Number) error) error
	// DropReplaced deletes the counts that a recount has replaced, if CountsTx.ReplaceCounts has left them.
	DropReplaced(ctx context.Context) error
}

// Counts is one snapshot of the counts, or their state in a transaction. Only one goroutine may use it, and only within
// the fn that received it. An engine may send a statement of Do or Ask after those of the other methods.
type Counts interface {
	Conn
	usagelogic.VoidSource
}

// CountsTx is a transaction that changes the counts. It blocks other writers of the counts.
type CountsTx interface {
	Counts
	usagelogic.VoidTx
	usagelogic.ForgetTx
	usagelogic.GatherTx
	RecountTx
}

// CountsConn is a Conn with the methods of Counts and CountsTx that need no engine-specific code.
type CountsConn struct{ Conn }

var (
	selectProgress = define(`SELECT position, as_of FROM usage_progress WHERE one`)
	updateProgress = define(`UPDATE usage_progress SET position = $1, as_of = $2 WHERE one`)
)

// Progress implements usagelogic.Source.
func (c CountsConn) Progress(ctx context.Context) (usage.Progress, error) {
	return selectOne(ctx, c, scanProgress, selectProgress)
}

func scanProgress(row Row) (progress usage.Progress, err error) {
	err = row.Scan(&progress.Position, (*int64)(&progress.AsOf))
	return progress, err
}

// Progress implements store.Usage.
func (u *Usage) Progress(ctx context.Context) (usage.Progress, error) {
	return readOne(ctx, u.db, scanProgress, selectProgress)
}

// Apply implements store.Usage. If several processes count at once, one succeeds; the others wait and then find that
// the progress has moved.
func (u *Usage) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	if err := usagelogic.CheckPlays(from, to, plays); err != nil {
		return err
	}
	return u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		progress, err := tx.Progress(ctx)
		if err != nil {
			return err
		}
		if progress != from {
			return usagelogic.ErrMoved(progress, from)
		}
		if err := count(ctx, tx, plays, nil, usagelogic.Dictionary{}, true); err != nil {
			return err
		}
		tx.Do(ctx, updateProgress, to.Position, int64(to.AsOf))
		return nil
	})
}

// count adds plays, as voids change them, to the counts, but to cells only if gathers is true. known contains numbers of
// terms, and receives those that are missing.
func count(ctx context.Context, tx CountsTx, plays []usage.Play, voids usage.Voids, known usagelogic.Dictionary, gathers bool) error {
	if err := learn(ctx, tx, known, usagelogic.Terms(plays)); err != nil {
		return err
	}
	if err := learn(ctx, tx, known, usagelogic.Users(plays, known)); err != nil {
		return err
	}
	numbered := usagelogic.Translate(plays, known, voids)
	if err := usagelogic.AddPlays(ctx, tx, numbered); err != nil {
		return err
	}
	if gathers {
		if err := tx.AddCells(ctx, usagelogic.Gather(numbered)); err != nil {
			return err
		}
	}
	seals, err := tx.Seals(ctx)
	if err != nil {
		return err
	}
	return tx.AddSums(ctx, usagelogic.Sums(plays, seals, voids))
}

// Table implements store.Usage.
func (u *Usage) Table(ctx context.Context, query usage.Query) (usage.Table, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) (usage.Table, error) {
		return usagelogic.Table(ctx, counts, query)
	})
}

// Curve implements store.Usage.
func (u *Usage) Curve(ctx context.Context, query usage.CurveQuery) (usage.Curve, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) (usage.Curve, error) {
		return usagelogic.Curve(ctx, counts, query)
	})
}

// Lists implements store.Usage.
func (u *Usage) Lists(ctx context.Context, weigh func(video string) usage.Weight) (usage.Lists, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) (usage.Lists, error) {
		return usagelogic.Lists(ctx, counts, weigh)
	})
}
