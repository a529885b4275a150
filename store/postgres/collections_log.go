package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectCollectionHead    = define(`SELECT position FROM col_head WHERE one`)
	lockCollectionHead      = define(`SELECT position FROM col_head WHERE one FOR UPDATE`)
	updateCollectionHead    = define(`UPDATE col_head SET position = $1 WHERE one`)
	selectCollectionChanges = define(`SELECT position, id, deleted FROM col_log WHERE position > $1 ORDER BY position LIMIT $2`)
	// The first entry, 0 where there is none.
	selectFirstCollectionChange = define(`SELECT COALESCE((SELECT position FROM col_log ORDER BY position LIMIT 1), 0)`)
	deleteCollectionChangesUpTo = define(`DELETE FROM col_log WHERE position <= $1`)
)

// Head implements store.Collections.
func (c *Collections) Head(ctx context.Context) (head store.Position, err error) {
	err = c.read(ctx, func(p *pipeline) { p.number(selectCollectionHead, &head) })
	if err != nil {
		return 0, err
	}
	return head, nil
}

// Changes implements store.Collections.
func (c *Collections) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	var (
		head    store.Position
		changes []store.Change
	)
	err := c.readTogether(ctx, func(p *pipeline) {
		changes = nil
		p.number(selectCollectionHead, &head)
		p.ask(selectCollectionChanges, func(rows pgx.Rows) error {
			change := store.Change{Kind: store.KindCollection}
			err := rows.Scan(&change.Position, (*string)(&change.ID), &change.Deleted)
			changes = append(changes, change)
			return err
		}, after, max(1, limit))
	})
	if err != nil {
		return nil, err
	}
	return storelogic.Behind(after, head, changes, limit)
}

// Trim implements store.Collections.
func (c *Collections) Trim(ctx context.Context, keep int) error {
	for more := true; more; {
		err := c.writing(ctx, func(ctx context.Context, s *session, head store.Position, last *pipeline) error {
			var first int64
			if err := s.send(ctx, func(p *pipeline) { p.number(selectFirstCollectionChange, &first) }); err != nil {
				return err
			}
			var upTo store.Position
			if upTo, more = storelogic.TrimTo(first, head, keep); upTo > 0 {
				last.do(deleteCollectionChangesUpTo, upTo)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
