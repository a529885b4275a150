package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectHorizon   = define(`SELECT horizon FROM usage_retention WHERE one`)
	raiseHorizon    = define(`UPDATE usage_retention SET horizon = $1 WHERE one AND horizon < $1`)
	setSweeping     = define(`UPDATE usage_retention SET sweeping = $1 WHERE one`)
	isSweeping      = define(`SELECT count(*) FROM usage_retention WHERE one AND sweeping`)
	selectUsers     = define(`SELECT number FROM usage_terms WHERE dimension = $1 AND number > $2 AND number <= $3`)
	deleteUsers     = define(`DELETE FROM usage_terms WHERE dimension = $1 AND number IN NUMBERS ($2)`)
	summariesBehind = define(`SELECT summary FROM usage_blocks WHERE last_position > $1`)
)

// usersAtOnce is the number of users that one transaction examines, so that other writers wait only briefly.
const usersAtOnce = 2000

// Horizon implements usagelogic.Source.
func (c CountsConn) Horizon(ctx context.Context) (event.Instant, error) {
	horizon, err := selectOne(ctx, c, number, selectHorizon)
	return event.Instant(horizon), err
}

// BeginSweep makes this call of ForgetPersons, or the next one if it is interrupted, delete users without plays. It also
// makes a recount begin again.
func (c CountsConn) BeginSweep(ctx context.Context) {
	c.Do(ctx, setSweeping, true)
	c.Do(ctx, noteChange)
}

// ForgetPersons implements store.Usage.
func (u *Usage) ForgetPersons(ctx context.Context, before usage.Month) error {
	if err := u.SettleVoids(ctx); err != nil {
		return err
	}
	horizon, err := valueOf(ctx, u.db.Count, func(ctx context.Context, tx CountsTx) (event.Instant, error) {
		if err := refusePending(ctx, tx); err != nil {
			return 0, err
		}
		tx.Do(ctx, raiseHorizon, int64(before.Start()))
		return tx.Horizon(ctx)
	})
	if err != nil {
		return err
	}
	err = u.db.ForgetPlays(ctx, horizon, func(ctx context.Context, account usagelogic.Number) error {
		return u.forgetCells(ctx, account, horizon)
	})
	if err != nil {
		return err
	}
	if err := u.sweepUsers(ctx); err != nil {
		return err
	}
	return u.dropStaleRecount(ctx)
}

// forgetCells removes the persons from the cells of an account before the horizon, or deletes these cells.
func (u *Usage) forgetCells(ctx context.Context, account usagelogic.Number, horizon event.Instant) error {
	return usagelogic.EachForgettable(func(dimension usage.Dimension, grain usagelogic.Grain) error {
		after := usagelogic.CellKey{Account: account, Dimension: dimension, Grain: grain, Bucket: math.MinInt64}
		for found := true; found; {
			var last usagelogic.CellKey
			err := u.db.Count(ctx, func(ctx context.Context, tx CountsTx) (err error) {
				last, found, err = usagelogic.ForgetCells(ctx, tx, after, horizon)
				return err
			})
			if err != nil {
				return err
			}
			after = last
		}
		return nil
	})
}

// sweep looks for users without plays.
type sweep struct {
	// present contains the persons of the plays up to counted.
	present usagelogic.Persons
	counted event.Position
}

// sweepUsers deletes the users that no play refers to. Every cell with persons still has its plays.
func (u *Usage) sweepUsers(ctx context.Context) error {
	var (
		sweeping, last int64
		s              sweep
	)
	err := u.db.Snapshot(ctx, func(ctx context.Context, counts Counts) error {
		askNumber(ctx, counts, &sweeping, isSweeping)
		askNumber(ctx, counts, &last, lastNumber, int64(usage.ByUser))
		if err := counts.Send(ctx); err != nil || sweeping == 0 {
			return err
		}
		s = sweep{counted: math.MinInt64}
		return s.advance(ctx, counts)
	})
	if err != nil || sweeping == 0 {
		return err
	}
	for after := int64(0); after < last; after += usersAtOnce {
		err := u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
			if err := s.advance(ctx, tx); err != nil {
				return err
			}
			return s.deleteUsers(ctx, tx, after)
		})
		if err != nil {
			return err
		}
	}
	return exec(ctx, u.db, setSweeping, false)
}

// advance adds the persons of the plays that were counted since the last call.
func (s *sweep) advance(ctx context.Context, counts Counts) error {
	err := counts.Query(ctx, summariesBehind, func(row Row) error {
		var summary sql.RawBytes
		if err := row.Scan(&summary); err != nil {
			return err
		}
		return s.present.Add(summary)
	}, s.counted)
	if err != nil {
		return err
	}
	progress, err := counts.Progress(ctx)
	if err == nil {
		s.counted = progress.Position
	}
	return err
}

// deleteUsers deletes the next users after a number that are not present.
func (s *sweep) deleteUsers(ctx context.Context, c Conn, after int64) error {
	users, err := selectAll(ctx, c, number, selectUsers, int64(usage.ByUser), after, after+usersAtOnce)
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(user int64) bool { return s.present.Has(usagelogic.Number(user)) })
	if len(users) > 0 {
		c.Do(ctx, deleteUsers, int64(usage.ByUser), users)
		c.Do(ctx, noteChange) // a recount may refer to them
	}
	return nil
}
