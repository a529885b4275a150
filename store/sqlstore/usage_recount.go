package sqlstore

import (
	"context"
	"crypto/rand"
	"math"
	"strings"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// RecountTx is the part of CountsTx for the second set of counts, whose tables exist only during a recount. Both sets
// share terms, seals and statements.
type RecountTx interface {
	// HasRecount reports whether the tables exist, and whether their recount_progress has the columns of this release.
	HasRecount(ctx context.Context) (exists, isCurrent bool, err error)
	// RecountTables describes the tables of a recount that begins now.
	RecountTables(ctx context.Context) (string, error)
	// CreateRecount drops the second set and creates a new one, with an empty table recount_progress. tables is the result
	// of RecountTables.
	CreateRecount(ctx context.Context, tables string) error
	DropRecount(ctx context.Context) error
	// Recounting runs fn while the other methods of the transaction use the second set.
	Recounting(fn func() error) error
	// ReplaceCounts replaces the counts of a month and of later months by the second set, and ends the recount.
	ReplaceCounts(ctx context.Context, from usage.Month) error
}

// StoredRecount is a recount with what the engine stores beside it.
type StoredRecount struct {
	usage.Recount
	// Changes is the number of changes at the beginning (usagelogic.VoidTx.NoteChange). If it differs from the current
	// number, the recount must begin again.
	Changes int64
	// Tables describes the tables of the recount. A release that has others does not resume it.
	Tables string
	// Gathered is the last block whose plays are in cells.
	Gathered usagelogic.BlockKey
}

// OfRecount replaces the names of tables by those of the second set of counts: the statements of the first set read and
// write the second one. Only SQLite has usage_cell_bodies.
var OfRecount = strings.NewReplacer(
	"usage_blocks", "recount_blocks", "usage_cells", "recount_cells", "usage_cell_bodies", "recount_cell_bodies", "usage_ledger", "recount_ledger")

var (
	selectRecountChanges = define(`SELECT changes FROM usage_progress WHERE one`)
	noteChange           = define(`UPDATE usage_progress SET changes = changes + 1 WHERE one`)
	countRenames         = define(`SELECT count(*) FROM usage_renames`)

	selectRecount = DefinePer(`
		SELECT id, month, position, as_of, changes, tables, stage, gathered_account, gathered_month, gathered_number FROM recount_progress`, `
		SELECT id, month, position, as_of, changes, columns, stage, gathered_account, gathered_month, gathered_number FROM recount_progress`)
	insertRecount = define(`INSERT INTO recount_progress VALUES ($1, $2, 0, 0, $3, $4, $5, $6, $7, $8)`)
	moveRecount   = define(`
		UPDATE recount_progress SET position = $1, as_of = $2, stage = $3, gathered_account = $4, gathered_month = $5, gathered_number = $6`)
)

// storedRecount returns the stored recount, or nil if there is none. Of a recount of an earlier release, it may return only
// Changes, as -1.
func storedRecount(ctx context.Context, tx CountsTx) (*StoredRecount, error) {
	exists, isCurrent, err := tx.HasRecount(ctx)
	if err != nil || !exists {
		return nil, err
	}
	if !isCurrent {
		return &StoredRecount{Changes: -1}, nil
	}
	return selectOne(ctx, tx, func(row Row) (*StoredRecount, error) {
		var (
			stored                StoredRecount
			month, stage, account int64
		)
		err := row.Scan(&stored.ID, &month, &stored.Progress.Position, (*int64)(&stored.Progress.AsOf), &stored.Changes, &stored.Tables,
			&stage, &account, &stored.Gathered.Month, &stored.Gathered.Number)
		stored.From, stored.Stage = usage.MonthNumber(int(month)), usage.RecountStage(stage)
		stored.Gathered.Account = usagelogic.Number(account)
		return &stored, err
	}, selectRecount)
}

// move stores the progress, the stage and the last gathered block of a recount.
func (r *StoredRecount) move(ctx context.Context, c Conn) {
	c.Do(ctx, moveRecount, r.Progress.Position, int64(r.Progress.AsOf), int64(r.Stage),
		int64(r.Gathered.Account), r.Gathered.Month, r.Gathered.Number)
}

// recountOf returns the stored recount, or nil if there is none, and whether it must begin again.
func recountOf(ctx context.Context, tx CountsTx) (stored *StoredRecount, stale bool, err error) {
	if stored, err = storedRecount(ctx, tx); err != nil || stored == nil {
		return nil, false, err
	}
	changes, err := selectOne(ctx, tx, number, selectRecountChanges)
	return stored, stored.Changes != changes, err
}

// checkRecount returns the stored recount. The error has the code Conflict if it differs from the given one or must
// begin again.
func checkRecount(ctx context.Context, tx CountsTx, recount usage.Recount) (*StoredRecount, error) {
	stored, stale, err := recountOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	if stored == nil || stale || stored.Recount != recount {
		return nil, usagelogic.ErrRecountMoved
	}
	return stored, nil
}

// BeginRecount implements store.Usage.
func (u *Usage) BeginRecount(ctx context.Context, from usage.Month, resume bool) (usage.Recount, error) {
	if err := u.db.DropReplaced(ctx); err != nil {
		return usage.Recount{}, err
	}
	return valueOf(ctx, u.db.Count, func(ctx context.Context, tx CountsTx) (usage.Recount, error) {
		stored, stale, err := recountOf(ctx, tx)
		if err != nil {
			return usage.Recount{}, err
		}
		fresh := &StoredRecount{Recount: usage.Recount{ID: rand.Text(), From: from}, Gathered: usagelogic.FirstBlock}
		if fresh.Tables, err = tx.RecountTables(ctx); err != nil {
			return usage.Recount{}, err
		}
		if resume && stored != nil && !stale && stored.From == from && stored.Tables == fresh.Tables {
			return stored.Recount, nil
		}
		if fresh.Changes, err = selectOne(ctx, tx, number, selectRecountChanges); err != nil {
			return usage.Recount{}, err
		}
		if err := tx.CreateRecount(ctx, fresh.Tables); err != nil {
			return usage.Recount{}, err
		}
		tx.Do(ctx, insertRecount, fresh.ID, from.Number(), fresh.Changes, fresh.Tables, int64(fresh.Stage),
			int64(fresh.Gathered.Account), fresh.Gathered.Month, fresh.Gathered.Number)
		return fresh.Recount, nil
	})
}

// dropStaleRecount drops the second set of counts if the recount must begin again. Otherwise an interrupted recount
// that nobody resumes would show forever who played what.
func (u *Usage) dropStaleRecount(ctx context.Context) error {
	if err := u.db.DropReplaced(ctx); err != nil {
		return err
	}
	return u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		_, stale, err := recountOf(ctx, tx)
		if err != nil || !stale {
			return err
		}
		return tx.DropRecount(ctx)
	})
}

// ApplyRecount implements store.Usage.
func (u *Usage) ApplyRecount(ctx context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error) {
	if err := usagelogic.CheckPlays(recount.Progress, to, plays); err != nil {
		return recount, err
	}
	var known usagelogic.Dictionary
	err := u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		stored, err := checkRecount(ctx, tx, recount)
		if err != nil {
			return err
		}
		if recount.Stage == usage.Gathering {
			return usagelogic.ErrUngathered
		}
		if err := refuseRenaming(ctx, tx); err != nil {
			return err
		}
		voids, err := tx.Voids(ctx) // a void removes only plays that were counted before it
		if err != nil {
			return err
		}
		// A repeated transaction takes an empty dictionary: the numbers that the aborted one added are not stored.
		known = u.recounted.Take(recount.ID)
		err = tx.Recounting(func() error {
			return count(ctx, tx, usagelogic.Since(plays, recount.From), voids, known, recount.Stage == usage.Following)
		})
		if err != nil {
			return err
		}
		stored.Progress = to
		stored.move(ctx, tx)
		return nil
	})
	if err != nil {
		return recount, err
	}
	u.recounted.Keep(recount.ID, known)
	recount.Progress = to
	return recount, nil
}

// GatherRecount implements store.Usage.
func (u *Usage) GatherRecount(ctx context.Context, recount usage.Recount) (usage.Recount, error) {
	stage := recount.Stage
	err := u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		stored, err := checkRecount(ctx, tx, recount)
		if err != nil || recount.Stage == usage.Following {
			return err
		}
		done := false
		err = tx.Recounting(func() (err error) {
			stored.Gathered, done, err = usagelogic.GatherBlocks(ctx, tx, stored.Gathered, u.gather)
			return err
		})
		if err != nil {
			return err
		}
		if stored.Stage = usage.Gathering; done {
			stored.Stage = usage.Following
		}
		stage = stored.Stage
		stored.move(ctx, tx)
		return nil
	})
	if err == nil {
		recount.Stage = stage
	}
	return recount, err
}

// EndRecount implements store.Usage. Readers see the previous counts until it commits.
func (u *Usage) EndRecount(ctx context.Context, recount usage.Recount, counted usage.Progress) error {
	err := u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		if err := checkEnd(ctx, tx, recount, counted); err != nil {
			return err
		}
		if err := tx.ReplaceCounts(ctx, recount.From); err != nil {
			return err
		}
		tx.Do(ctx, deleteSpans, int64(0), int64(math.MaxInt64))
		tx.Do(ctx, updateProgress, recount.Progress.Position, int64(recount.Progress.AsOf))
		tx.Do(ctx, noteChange)
		return nil
	})
	if err != nil {
		return err
	}
	_ = u.db.DropReplaced(ctx) // the next recount or ForgetPersons repeats it
	return nil
}

// checkEnd returns an error if EndRecount may not end the recount.
func checkEnd(ctx context.Context, tx CountsTx, recount usage.Recount, counted usage.Progress) error {
	if _, err := checkRecount(ctx, tx, recount); err != nil {
		return err
	}
	if recount.Stage != usage.Following {
		return usagelogic.ErrUngathered
	}
	progress, err := tx.Progress(ctx)
	if err != nil {
		return err
	}
	if err := refusePending(ctx, tx); err != nil {
		return err
	}
	if progress != counted {
		return usagelogic.ErrMoved(progress, counted)
	}
	return refuseRenaming(ctx, tx)
}

// refuseRenaming returns an error while a person is being forgotten. The log may still have the name.
func refuseRenaming(ctx context.Context, c Conn) error {
	renames, err := selectOne(ctx, c, number, countRenames)
	if err == nil && renames > 0 {
		err = usagelogic.ErrRenaming
	}
	return err
}
