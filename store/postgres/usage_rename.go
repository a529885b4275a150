package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var selectAccountSum = define(`
	SELECT dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, body FROM usage_cells WHERE account = $1`)

// ReplacePerson implements sqlstore.CountsTx.
func (s *session) ReplacePerson(ctx context.Context, account, old, by usagelogic.Number) (usagelogic.Moved, error) {
	var changed []usagelogic.Part
	moved := usagelogic.Moved{}
	err := s.rows(ctx, selectAccountSum, func(rows pgx.Rows) error {
		stored, number, err := scanPart(rows, account)
		if err == nil && stored.ReplacePerson(old, by, moved) {
			changed = append(changed, stored.Part(number, stored.Body()))
		}
		return err
	}, int32(account))
	if err != nil {
		return nil, err
	}
	return moved, s.send(ctx, func(p *pipeline) { p.updateParts(changed) })
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
