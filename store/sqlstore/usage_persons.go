package sqlstore

import (
	"context"

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
	other, err := numberOf(ctx, tx, usagelogic.Term{Dimension: usage.ByUser, Owner: owner, Text: alias})
	if err != nil {
		return err
	}
	if other == 0 {
		tx.Do(ctx, renameTerm, alias, int64(usage.ByUser), int64(old))
		return nil
	}
	tx.Do(ctx, deleteTerm, int64(usage.ByUser), int64(old))
	return usagelogic.ReplacePerson(ctx, tx, owner, old, other)
}

// numbersOf returns the numbers of an account and of a person of the account. The person's number is 0 if no play of the
// person is counted.
func numbersOf(ctx context.Context, counts Counts, account, person string) (owner, number usagelogic.Number, err error) {
	if account != "" {
		owner, err = numberOf(ctx, counts, usagelogic.Term{Dimension: usage.ByAccount, Text: account})
		if err != nil || owner == 0 {
			return 0, 0, err
		}
	}
	number, err = numberOf(ctx, counts, usagelogic.Term{Dimension: usage.ByUser, Owner: owner, Text: person})
	return owner, number, err
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
