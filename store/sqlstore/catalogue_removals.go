package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectRemovals = define(`
		SELECT at, position, id, reason FROM removals
		WHERE (at, position) > ($1, $2) AND at >= $3 ORDER BY at, position LIMIT $4`)
	selectPassed = DefinePer(selectPassedWhere(`retired = 0`), selectPassedWhere(`NOT retired`))
)

// selectPassedWhere returns a statement with the dialect's condition for a video that is not retired.
func selectPassedWhere(isShown string) string {
	return `
		SELECT available_until, id FROM videos
		WHERE available_until IS NOT NULL AND (available_until, id) > ($1, $2) AND available_until >= $3 AND available_until < $4
			AND ` + isShown + ` AND NOT EXISTS (SELECT 1 FROM removals AS gone WHERE gone.id = videos.id)
		ORDER BY available_until, id LIMIT $5`
}

// Removals implements store.Catalogue.
func (c *Catalogue) Removals(ctx context.Context, query store.RemovalQuery) (store.RemovalPage, error) {
	var (
		removed []storelogic.Removed
		passed  []storelogic.Passed
		after   = query.After
		limit   = max(1, query.Size) + 1
	)
	until, id := storelogic.PassedAfter(query)
	err := c.db.ReadTogether(ctx, func(c Conn) {
		askAll(ctx, c, &removed, scanRemoved, selectRemovals, after.At, after.Position, storelogic.RemovedFrom(query), limit)
		askAll(ctx, c, &passed, scanPassed, selectPassed,
			int32(until), string(id), int32(storelogic.PassedFrom(query)), int32(query.Today), limit)
	})
	if err != nil {
		return store.RemovalPage{}, err
	}
	return storelogic.MergeRemovals(query, removed, passed), nil
}

func scanRemoved(row Row) (removed storelogic.Removed, err error) {
	err = row.Scan(&removed.At, &removed.Position, (*string)(&removed.ID), (*string)(&removed.Reason))
	return removed, err
}

func scanPassed(row Row) (passed storelogic.Passed, err error) {
	err = row.Scan((*int32)(&passed.Until), (*string)(&passed.ID))
	return passed, err
}
