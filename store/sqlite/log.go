package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// The engine keeps the highest position that was ever committed, even after the entry was trimmed. There is one writer
// at a time across all processes, and a failed write frees its positions. Therefore positions have no gaps, their order
// is the order of commits, and a reader that sees an entry sees every earlier entry.
var selectHead = define(`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`)

// Head implements store.Catalogue.
func (c *Catalogue) Head(ctx context.Context) (head store.Position, err error) {
	err = c.read(ctx, func(s *session) error {
		head, err = s.number(ctx, selectHead)
		return err
	})
	return head, err
}

var selectChanges = define(`SELECT position, kind, id, deleted FROM outbox WHERE position > ? ORDER BY position LIMIT ?`)

// Changes implements store.Catalogue. It also returns ErrTrimmed for a position beyond the head, which occurs after an
// older file replaced this one.
func (c *Catalogue) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	var (
		head    store.Position
		changes []store.Change
	)
	err := c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() (err error) {
			if head, err = s.number(ctx, selectHead); err != nil || head == after {
				return err
			}
			return s.query(ctx, selectChanges, func(rows *sql.Rows) error {
				var change store.Change
				err := rows.Scan(&change.Position, &change.Kind, &change.ID, &change.Deleted)
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

var (
	selectFirst = define(`SELECT COALESCE(MIN(position), 0) FROM outbox`)
	deleteUpTo  = define(`DELETE FROM outbox WHERE position <= ?`)
)

// Trim implements store.Catalogue.
func (c *Catalogue) Trim(ctx context.Context, keep int) error {
	return c.trim(ctx, selectFirst, selectHead, deleteUpTo, keep)
}

// trim deletes all but the last keep entries of a log.
func (d *database) trim(ctx context.Context, selectFirst, selectHead, deleteUpTo *statement, keep int) error {
	for more := true; more; {
		err := d.write(ctx, func(s *session) error {
			head, err := s.number(ctx, selectHead)
			if err != nil {
				return err
			}
			first, err := s.number(ctx, selectFirst)
			if err != nil {
				return err
			}
			var upTo store.Position
			if upTo, more = storelogic.TrimTo(first, head, keep); upTo == 0 {
				return nil
			}
			_, err = s.exec(ctx, deleteUpTo, upTo)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
