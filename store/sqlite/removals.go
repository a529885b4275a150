package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectRemovals = define(`
		SELECT at, position, id, reason FROM removals
		WHERE (at, position) > (?, ?) AND at >= ? ORDER BY at, position LIMIT ?`)
	selectPassed = define(`
		SELECT available_until, id FROM videos
		WHERE available_until IS NOT NULL AND (available_until, id) > (?, ?) AND available_until >= ? AND available_until < ?
			AND retired = 0 AND NOT EXISTS (SELECT 1 FROM removals AS gone WHERE gone.id = videos.id)
		ORDER BY available_until, id LIMIT ?`)
	selectLastRemoval = define(`SELECT at FROM removals ORDER BY at DESC LIMIT 1`)

	insertRemovals = defineInsertion(4, `INSERT INTO removals (id, at, position, reason)`,
		`ON CONFLICT (id) DO UPDATE SET at = excluded.at, position = excluded.position, reason = excluded.reason`)
	deleteRemovals = define(`DELETE FROM removals WHERE id IN (SELECT value FROM json_each(?))`)
)

// Removals implements store.Catalogue.
func (c *Catalogue) Removals(ctx context.Context, query store.RemovalQuery) (page store.RemovalPage, err error) {
	var (
		rows   []storelogic.Removed
		passed []storelogic.Passed
		after  = query.After
		limit  = max(1, query.Size) + 1
	)
	until, id := storelogic.PassedAfter(query)
	err = c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			err := s.query(ctx, selectRemovals, func(r *sql.Rows) error {
				var row storelogic.Removed
				err := r.Scan(&row.At, &row.Position, (*string)(&row.ID), (*string)(&row.Reason))
				rows = append(rows, row)
				return err
			}, after.At, after.Position, storelogic.RemovedFrom(query), limit)
			if err != nil {
				return err
			}
			return s.query(ctx, selectPassed, func(r *sql.Rows) error {
				var one storelogic.Passed
				err := r.Scan((*int32)(&one.Until), (*string)(&one.ID))
				passed = append(passed, one)
				return err
			}, int64(until), string(id), int64(storelogic.PassedFrom(query)), int64(query.Today), limit)
		})
	})
	if err != nil {
		return store.RemovalPage{}, err
	}
	return storelogic.MergeRemovals(query, rows, passed), nil
}

// LastRemoval implements storelogic.RemovalEngine.
func (t *transaction) LastRemoval(ctx context.Context) (last time.Time, err error) {
	err = t.query(ctx, selectLastRemoval, func(rows *sql.Rows) error {
		var at int64
		err := rows.Scan(&at)
		last = instant(at)
		return err
	})
	return last, err
}

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
