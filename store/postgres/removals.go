package postgres

import (
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertRemoval = define(`
		INSERT INTO removals (id, at, position, reason) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at, position = excluded.position, reason = excluded.reason`)
	deleteRemovals = define(`DELETE FROM removals WHERE id = ANY($1::text[])`)
)

// removals adds the statements of Apply that change removals.
func (p *pipeline) removals(changes *storelogic.Changes) {
	if len(changes.NoRemovals) > 0 {
		p.do(deleteRemovals, idList(changes.NoRemovals))
	}
	for _, row := range changes.Removals {
		p.do(insertRemoval, string(row.ID), micros(row.At), row.Position, string(row.Reason))
	}
}
