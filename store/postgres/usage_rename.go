package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	keepAlias        = define(`INSERT INTO usage_renames (person, alias) VALUES ($1, $2) ON CONFLICT DO NOTHING`)
	selectAlias      = define(`SELECT alias FROM usage_renames WHERE person = $1`)
	deleteAlias      = define(`DELETE FROM usage_renames WHERE person = $1`)
	renameTerm       = define(`UPDATE usage_terms SET text = $3 WHERE dimension = $1 AND number = $2`)
	deleteTerm       = define(`DELETE FROM usage_terms WHERE dimension = $1 AND number = $2`)
	selectAccountSum = define(`
		SELECT dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, body FROM usage_cells WHERE account = $1`)
)

// Rename implements store.Usage. Counts identify a person by a number, so Rename usually only changes the name of the
// number. If plays of the alias have already been counted, because the call is a repetition, Rename merges two numbers.
func (u *Usage) Rename(ctx context.Context, account, person, alias string) (used string, counted event.Position, err error) {
	if person == "" || alias == "" || person == alias {
		return alias, 0, ctx.Err()
	}
	key := usagelogic.RenameKey(account, person)
	err = u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		counted = c.progress.Position
		err := c.send(ctx, func(p *pipeline) {
			p.do(keepAlias, key, []byte(alias))
			p.ask(selectAlias, func(rows pgx.Rows) error {
				var kept []byte
				err := rows.Scan(&kept)
				used = string(kept)
				return err
			}, key)
		})
		if err != nil {
			return err
		}
		return c.rename(ctx, account, person, used, last)
	})
	return used, counted, err
}

// EndRename implements store.Usage.
func (u *Usage) EndRename(ctx context.Context, account, person string) error {
	return u.counting(ctx, func(_ context.Context, _ *count, last *pipeline) error {
		last.do(deleteAlias, usagelogic.RenameKey(account, person))
		last.do(noteChange) // a recount may have read events from before the change
		return nil
	})
}

func (c *count) rename(ctx context.Context, account, person, alias string, last *pipeline) error {
	known := usagelogic.Dictionary{}
	owner := usagelogic.Term{Dimension: usage.ByAccount, Text: account}
	if account != "" {
		if err := c.find(ctx, []usagelogic.Term{owner}, known); err != nil {
			return err
		}
		if known[owner] == 0 {
			return nil
		}
	}
	old := usagelogic.Term{Dimension: usage.ByUser, Owner: known[owner], Text: person}
	other := usagelogic.Term{Dimension: usage.ByUser, Owner: known[owner], Text: alias}
	if err := c.find(ctx, []usagelogic.Term{old, other}, known); err != nil {
		return err
	}
	switch {
	case known[old] == 0:
	case known[other] == 0:
		last.do(renameTerm, int16(usage.ByUser), int32(known[old]), []byte(alias))
	default:
		return c.unitePersons(ctx, known[owner], known[old], known[other])
	}
	return nil
}

// unitePersons assigns all plays of a person of an account to another person. It scans all cells of the account.
func (c *count) unitePersons(ctx context.Context, account, old, by usagelogic.Number) error {
	if err := usagelogic.ReplacePerson(ctx, c, account, old, by); err != nil {
		return err
	}
	var changed []usagelogic.Part
	moved := usagelogic.Moved{}
	err := c.send(ctx, func(p *pipeline) {
		p.do(deleteTerm, int16(usage.ByUser), int32(old))
		p.ask(selectAccountSum, func(rows pgx.Rows) error {
			stored, number, err := scanPart(rows, account)
			if err == nil && stored.ReplacePerson(old, by, moved) {
				changed = append(changed, stored.Part(number, stored.Body()))
			}
			return err
		}, int32(account))
	})
	if err != nil || len(changed) == 0 {
		return err
	}
	if err := c.send(ctx, func(p *pipeline) { p.updateParts(changed) }); err != nil {
		return err
	}
	return c.AddCells(ctx, moved.Cells())
}

// scanPart scans a part of a cell of the account, and returns it with its number.
func scanPart(rows pgx.Rows, account usagelogic.Number) (read *usagelogic.Cell, number int64, err error) {
	var (
		dimension, grain            int16
		value                       int32
		plays, milliseconds, excess int64
		body                        pgtype.DriverBytes
	)
	read = &usagelogic.Cell{}
	key := &read.Key
	if err := rows.Scan(&dimension, &grain, &key.Bucket, &value, &key.Sandbox, &number, &plays, &milliseconds, &excess, &body); err != nil {
		return nil, 0, err
	}
	key.Account, key.Dimension, key.Grain, key.Value = account, usage.Dimension(dimension), usagelogic.Grain(grain), usagelogic.Number(value)
	return read, number, read.Absorb(plays, milliseconds, excess, body)
}
