package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/usagelogic"
)

var selectCellParts = define(`
	SELECT c.dimension, c.grain, c.bucket, c.value, c.sandbox, c.part, c.plays, c.milliseconds, c.excess, c.apart, coalesce(c.body, b.body)
	FROM cells AS c LEFT JOIN cell_bodies AS b ON b.number = c.apart WHERE c.account = ?`)

// ReplacePerson implements sqlstore.CountsTx.
func (s *session) ReplacePerson(ctx context.Context, account, old, by usagelogic.Number) (usagelogic.Moved, error) {
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
		key.Account = account
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
		if c.cell.ReplacePerson(old, by, moved) {
			cells = append(cells, c)
		}
		return nil
	}, int64(account))
	if err != nil {
		return nil, err
	}
	rows := batch{insertion: replaceParts}
	for _, c := range cells {
		if err := s.addPart(ctx, &rows, c.cell, c.part, c.apart); err != nil {
			return nil, err
		}
	}
	return moved, rows.flush(ctx, s)
}
