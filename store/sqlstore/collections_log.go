package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectCollectionHead    = define(`SELECT position FROM collection_head WHERE one`)
	lockCollectionHead      = define(`SELECT position FROM collection_head WHERE one FOR UPDATE`)
	updateCollectionHead    = define(`UPDATE collection_head SET position = $1 WHERE one`)
	insertCollectionChange  = define(`INSERT INTO collection_log (position, id, deleted) VALUES ($1, $2, $3)`)
	selectCollectionChanges = define(`SELECT position, id, deleted FROM collection_log WHERE position > $1 ORDER BY position LIMIT $2`)
	selectFirstChange       = define(`SELECT COALESCE(MIN(position), 0) FROM collection_log`)
	deleteChangesUpTo       = define(`DELETE FROM collection_log WHERE position <= $1`)
)

// Head implements store.Collections.
func (c *Collections) Head(ctx context.Context) (store.Position, error) {
	return readOne(ctx, c.db, number, selectCollectionHead)
}

// Changes implements store.Collections.
func (c *Collections) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	return read(ctx, c.db, func(ctx context.Context, conn Conn) ([]store.Change, error) {
		// The log may grow after the head is read. This does no harm, because its entries are committed in order.
		head, err := selectOne(ctx, conn, number, selectCollectionHead)
		if err != nil || head == after {
			return nil, err
		}
		changes, err := selectAll(ctx, conn, scanChange, selectCollectionChanges, after, max(1, limit))
		if err != nil {
			return nil, err
		}
		return storelogic.Behind(after, head, changes, limit)
	})
}

func scanChange(row Row) (store.Change, error) {
	change := store.Change{Kind: store.KindCollection}
	err := row.Scan(&change.Position, (*string)(&change.ID), &change.Deleted)
	return change, err
}

// Trim implements store.Collections.
func (c *Collections) Trim(ctx context.Context, keep int) error {
	change := func(ctx context.Context, fn func(ctx context.Context, conn Conn, head store.Position) error) error {
		return c.edit(ctx, func(ctx context.Context, e *collectionEdit) error { return fn(ctx, e, e.position) })
	}
	return trim(ctx, change, selectFirstChange, deleteChangesUpTo, keep)
}

// log adds an entry to the log and returns the entry's position.
func (e *collectionEdit) log(ctx context.Context, id string, deleted bool) store.Position {
	e.position++
	e.Do(ctx, insertCollectionChange, e.position, id, deleted)
	return e.position
}
