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
	keepAlias   = define(`INSERT INTO usage_renames (person, alias) VALUES ($1, $2) ON CONFLICT DO NOTHING`)
	selectAlias = define(`SELECT alias FROM usage_renames WHERE person = $1`)
	deleteAlias = define(`DELETE FROM usage_renames WHERE person = $1`)
	renameTerm  = define(`UPDATE usage_terms SET text = $1 WHERE dimension = $2 AND number = $3`)
	deleteTerm  = define(`DELETE FROM usage_terms WHERE dimension = $1 AND number = $2`)
)

// Rename implements store.Usage. Counts identify a person by a number, so Rename usually changes only the name of the
// number. If plays of the alias have already been counted, because the call is repeated, Rename merges two numbers.
func (u *Usage) Rename(ctx context.Context, account, person, alias string) (used string, counted event.Position, err error) {
	if person == "" || alias == "" || person == alias {
		return alias, 0, ctx.Err()
	}
	key := usagelogic.RenameKey(account, person)
	err = u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		progress, err := tx.Progress(ctx)
		if err != nil {
			return err
		}
		counted = progress.Position
		tx.Do(ctx, keepAlias, key, alias)
		err = tx.Query(ctx, selectAlias, func(row Row) error { return row.Scan(&used) }, key)
		if err != nil {
			return err
		}
		return rename(ctx, tx, account, person, used)
	})
	return used, counted, err
}

// EndRename implements store.Usage.
func (u *Usage) EndRename(ctx context.Context, account, person string) error {
	return u.db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, deleteAlias, usagelogic.RenameKey(account, person))
		c.Do(ctx, noteChange) // a recount may have read events from before the rename
		return nil
	})
}

func rename(ctx context.Context, tx CountsTx, account, person, alias string) error {
	owner, old, err := numbersOf(ctx, tx, account, person)
	if err != nil || old == 0 {
		return err
	}
	other, err := tx.Number(ctx, usagelogic.Term{Dimension: usage.ByUser, Owner: owner, Text: alias})
	if err != nil {
		return err
	}
	if other == 0 {
		tx.Do(ctx, renameTerm, alias, int64(usage.ByUser), int64(old))
		return nil
	}
	return unitePersons(ctx, tx, owner, old, other)
}

// numbersOf returns the numbers of an account and of a person of the account. The person's number is 0 if no play of the
// person is counted.
func numbersOf(ctx context.Context, counts Counts, account, person string) (owner, number usagelogic.Number, err error) {
	if account != "" {
		owner, err = counts.Number(ctx, usagelogic.Term{Dimension: usage.ByAccount, Text: account})
		if err != nil || owner == 0 {
			return 0, 0, err
		}
	}
	number, err = counts.Number(ctx, usagelogic.Term{Dimension: usage.ByUser, Owner: owner, Text: person})
	return owner, number, err
}

// unitePersons reassigns all plays of a person of an account to another person. It reads all cells of the account.
func unitePersons(ctx context.Context, tx CountsTx, account, old, by usagelogic.Number) error {
	tx.Do(ctx, deleteTerm, int64(usage.ByUser), int64(old))
	if err := usagelogic.ReplacePerson(ctx, tx, account, old, by); err != nil {
		return err
	}
	moved, err := tx.ReplacePerson(ctx, account, old, by)
	if err != nil {
		return err
	}
	return tx.AddCells(ctx, moved.Cells())
}

// PlaysOf implements store.Usage.
func (u *Usage) PlaysOf(ctx context.Context, account, person string) ([]usage.Play, error) {
	if person == "" {
		return nil, ctx.Err()
	}
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) ([]usage.Play, error) {
		owner, number, err := numbersOf(ctx, counts, account, person)
		if err != nil || number == 0 {
			return nil, err
		}
		return usagelogic.PlaysOf(ctx, counts, owner, number, account, person)
	})
}

var (
	selectHorizon = define(`SELECT horizon FROM usage_retention WHERE one`)
	raiseHorizon  = define(`UPDATE usage_retention SET horizon = $1 WHERE one AND horizon < $1`)
	setSweeping   = define(`UPDATE usage_retention SET sweeping = $1 WHERE one`)
	isSweeping    = define(`SELECT count(*) FROM usage_retention WHERE one AND sweeping`)
	lastUser      = define(`SELECT COALESCE(max(number), 0) FROM usage_terms WHERE dimension = $1`)
	selectUsers   = define(`SELECT number FROM usage_terms WHERE dimension = $1 AND number > $2 AND number <= $3`)
	deleteUsers   = definePer(
		`DELETE FROM terms WHERE dimension = $1 AND number IN (SELECT value FROM json_each($2))`,
		`DELETE FROM usage_terms WHERE dimension = $1 AND number = ANY ($2::integer[])`)
	summariesBehind = definePer(
		`SELECT summary FROM play_blocks WHERE last_position > $1`,
		`SELECT summary FROM usage_blocks WHERE last_position > $1`)
)

// usersAtOnce is the number of users that one transaction examines, so that other writers wait only briefly.
const usersAtOnce = 2000

// Horizon implements usagelogic.Source.
func (c CountsConn) Horizon(ctx context.Context) (event.Instant, error) {
	horizon, err := selectOne(ctx, c, number, selectHorizon)
	return event.Instant(horizon), err
}

// BeginSweep makes the next ForgetPersons look for users without plays, and makes a recount begin again.
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
	if err := u.db.ForgetPlays(ctx, horizon); err != nil {
		return err
	}
	if err := u.sweepUsers(ctx); err != nil {
		return err
	}
	return u.dropStaleRecount(ctx)
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
		askNumber(ctx, counts, &last, lastUser, int64(usage.ByUser))
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
