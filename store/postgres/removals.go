package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectRemovals = define(`
		SELECT at, position, id, reason FROM removals
		WHERE (at, position) > ($1, $2) AND at >= $3 ORDER BY at, position LIMIT $4`)
	selectPassed = define(`
		SELECT available_until, id FROM videos
		WHERE available_until IS NOT NULL AND (available_until, id) > ($1, $2) AND available_until >= $3 AND available_until < $4
			AND NOT retired AND NOT EXISTS (SELECT 1 FROM removals AS gone WHERE gone.id = videos.id)
		ORDER BY available_until, id LIMIT $5`)
	selectLastRemoval = define(`SELECT at FROM removals ORDER BY at DESC LIMIT 1`)

	insertRemoval = define(`
		INSERT INTO removals (id, at, position, reason) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at, position = excluded.position, reason = excluded.reason`)
	deleteRemovals = define(`DELETE FROM removals WHERE id = ANY($1::text[])`)
)

// Removals implements store.Catalogue.
func (c *Catalogue) Removals(ctx context.Context, query store.RemovalQuery) (store.RemovalPage, error) {
	var (
		removed []storelogic.Removed
		passed  []storelogic.Passed
		after   = query.After
		limit   = max(1, query.Size) + 1
	)
	until, id := storelogic.PassedAfter(query)
	err := c.readTogether(ctx, func(p *pipeline) {
		removed, passed = nil, nil
		p.ask(selectRemovals, func(rows pgx.Rows) error {
			var row storelogic.Removed
			err := rows.Scan(&row.At, &row.Position, (*string)(&row.ID), (*string)(&row.Reason))
			removed = append(removed, row)
			return err
		}, after.At, after.Position, storelogic.RemovedFrom(query), limit)
		p.ask(selectPassed, func(rows pgx.Rows) error {
			var one storelogic.Passed
			err := rows.Scan((*int32)(&one.Until), (*string)(&one.ID))
			passed = append(passed, one)
			return err
		}, int32(until), string(id), int32(storelogic.PassedFrom(query)), int32(query.Today), limit)
	})
	if err != nil {
		return store.RemovalPage{}, err
	}
	return storelogic.MergeRemovals(query, removed, passed), nil
}

// LastRemoval implements storelogic.RemovalEngine.
func (t *transaction) LastRemoval(ctx context.Context) (last time.Time, err error) {
	err = t.send(ctx, func(p *pipeline) {
		p.ask(selectLastRemoval, func(rows pgx.Rows) error {
			var at int64
			err := rows.Scan(&at)
			last = instant(at)
			return err
		})
	})
	return last, err
}

// removals adds the statements of Apply that change removals.
func (p *pipeline) removals(changes *storelogic.Changes) {
	if len(changes.NoRemovals) > 0 {
		p.do(deleteRemovals, idList(changes.NoRemovals))
	}
	for _, row := range changes.Removals {
		p.do(insertRemoval, string(row.ID), micros(row.At), row.Position, string(row.Reason))
	}
}
