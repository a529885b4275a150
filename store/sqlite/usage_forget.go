package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	keepAlias       = define(`INSERT INTO renames (person, alias) VALUES (?, ?) ON CONFLICT DO NOTHING`)
	selectAlias     = define(`SELECT alias FROM renames WHERE person = ?`)
	deleteAlias     = define(`DELETE FROM renames WHERE person = ?`)
	renameTerm      = define(`UPDATE terms SET text = ? WHERE dimension = ? AND number = ?`)
	deleteTerm      = define(`DELETE FROM terms WHERE dimension = ? AND number = ?`)
	selectCellParts = define(`
		SELECT c.dimension, c.grain, c.bucket, c.value, c.sandbox, c.part, c.plays, c.milliseconds, c.excess, c.apart, coalesce(c.body, b.body)
		FROM cells AS c LEFT JOIN cell_bodies AS b ON b.number = c.apart WHERE c.account = ?`)
)

// Rename implements store.Usage. A person is a number, so a rename usually changes only the name of that number. If
// plays of the alias have been counted, because the call is repeated, Rename merges two numbers into one.
func (u *Usage) Rename(ctx context.Context, account, person, alias string) (used string, counted event.Position, err error) {
	if person == "" || alias == "" || person == alias {
		return alias, 0, ctx.Err()
	}
	err = u.write(ctx, func(s *session) error {
		progress, err := s.progress(ctx)
		if err != nil {
			return err
		}
		counted = progress.Position
		if used, err = s.keepAlias(ctx, usagelogic.RenameKey(account, person), alias); err != nil {
			return err
		}
		return s.rename(ctx, account, person, used)
	})
	return used, counted, err
}

// keepAlias stores an alias under a key unless the key has one, and returns the stored alias.
func (s *session) keepAlias(ctx context.Context, key []byte, alias string) (kept string, err error) {
	if _, err := s.exec(ctx, keepAlias, key, alias); err != nil {
		return "", err
	}
	err = s.query(ctx, selectAlias, func(rows *sql.Rows) error { return rows.Scan(&kept) }, key)
	return kept, err
}

// EndRename implements store.Usage.
func (u *Usage) EndRename(ctx context.Context, account, person string) error {
	return u.write(ctx, func(s *session) error {
		if _, err := s.exec(ctx, deleteAlias, usagelogic.RenameKey(account, person)); err != nil {
			return err
		}
		_, err := s.exec(ctx, noteChange) // a recount may have read events from before the rename
		return err
	})
}

func (s *session) rename(ctx context.Context, account, person, alias string) error {
	owner, err := s.number(ctx, selectNumber, int64(usage.ByAccount), account, 0)
	if err != nil || (owner == 0 && account != "") {
		return err
	}
	old, err := s.number(ctx, selectNumber, int64(usage.ByUser), person, owner)
	if err != nil || old == 0 {
		return err
	}
	other, err := s.number(ctx, selectNumber, int64(usage.ByUser), alias, owner)
	if err != nil {
		return err
	}
	if other == 0 {
		_, err := s.exec(ctx, renameTerm, alias, int64(usage.ByUser), old)
		return err
	}
	return s.unitePersons(ctx, owner, old, other)
}

// unitePersons reassigns all plays of a person of an account to another person. It reads all cells of the account.
func (s *session) unitePersons(ctx context.Context, account, old, by int64) error {
	if _, err := s.exec(ctx, deleteTerm, int64(usage.ByUser), old); err != nil {
		return err
	}
	if err := usagelogic.ReplacePerson(ctx, s, usagelogic.Number(account), usagelogic.Number(old), usagelogic.Number(by)); err != nil {
		return err
	}
	type changed struct {
		cell  *usagelogic.Cell
		part  int64
		apart sql.NullInt64
	}
	var cells []changed
	moved := usagelogic.Moved{}
	err := s.query(ctx, selectCellParts, func(rows *sql.Rows) error {
		c := changed{cell: &usagelogic.Cell{}}
		key := &c.cell.Key
		key.Account = usagelogic.Number(account)
		var (
			plays, milliseconds, excess int64
			body                        sql.RawBytes
		)
		if err := rows.Scan(&key.Dimension, &key.Grain, &key.Bucket, &key.Value, &key.Sandbox, &c.part, &plays, &milliseconds, &excess, &c.apart, &body); err != nil {
			return err
		}
		if err := c.cell.Absorb(plays, milliseconds, excess, body); err != nil {
			return err
		}
		if c.cell.ReplacePerson(usagelogic.Number(old), usagelogic.Number(by), moved) {
			cells = append(cells, c)
		}
		return nil
	}, account)
	if err != nil {
		return err
	}
	rows := batch{insertion: replaceParts}
	for _, c := range cells {
		if err := s.addPart(ctx, &rows, c.cell, c.part, c.apart); err != nil {
			return err
		}
	}
	if err := rows.flush(ctx, s); err != nil {
		return err
	}
	return s.AddCells(ctx, moved.Cells())
}
