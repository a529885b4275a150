package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectCollectionHead        = define(`SELECT seq FROM sqlite_sequence WHERE name = 'collection_log'`)
	selectCollectionChanges     = define(`SELECT position, id, deleted FROM collection_log WHERE position > ? ORDER BY position LIMIT ?`)
	selectFirstCollectionChange = define(`SELECT COALESCE(MIN(position), 0) FROM collection_log`)
	deleteCollectionChangesUpTo = define(`DELETE FROM collection_log WHERE position <= ?`)
)

// Head implements store.Collections.
func (c *Collections) Head(ctx context.Context) (head store.Position, err error) {
	err = c.read(ctx, func(s *session) error {
		head, err = s.number(ctx, selectCollectionHead)
		return err
	})
	return head, err
}

// Changes implements store.Collections.
func (c *Collections) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	var (
		head    store.Position
		changes []store.Change
	)
	err := c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() (err error) {
			if head, err = s.number(ctx, selectCollectionHead); err != nil || head == after {
				return err
			}
			return s.query(ctx, selectCollectionChanges, func(rows *sql.Rows) error {
				change := store.Change{Kind: store.KindCollection}
				err := rows.Scan(&change.Position, &change.ID, &change.Deleted)
				changes = append(changes, change)
				return err
			}, after, max(1, limit))
		})
	})
	if err != nil {
		return nil, err
	}
	return storelogic.Behind(after, head, changes, limit)
}

// Trim implements store.Collections.
func (c *Collections) Trim(ctx context.Context, keep int) error {
	return c.trim(ctx, selectFirstCollectionChange, selectCollectionHead, deleteCollectionChangesUpTo, keep)
}
