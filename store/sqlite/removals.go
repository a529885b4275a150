package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertRemovals = defineInsertion(4, `INSERT INTO removals (id, at, position, reason)`,
		`ON CONFLICT (id) DO UPDATE SET at = excluded.at, position = excluded.position, reason = excluded.reason`)
	deleteRemovals = define(`DELETE FROM removals WHERE id IN (SELECT value FROM json_each(?))`)
)

// writeRemovals is the part of Apply that writes removals.
func (t *transaction) writeRemovals(ctx context.Context, changes *storelogic.Changes) error {
	if len(changes.NoRemovals) > 0 {
		if _, err := t.exec(ctx, deleteRemovals, idList(changes.NoRemovals)); err != nil {
			return err
		}
	}
	rows := batch{insertion: insertRemovals}
	for _, row := range changes.Removals {
		rows.add(string(row.ID), micros(row.At), row.Position, string(row.Reason))
	}
	return rows.flush(ctx, t.session)
}
