package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// The engine remembers the highest position that was ever committed, also when the entry itself has
// been trimmed. There is one writer at a time, over all processes, and a write that fails takes its
// positions back: so positions have no gaps, their order is the order of commits, and whoever sees
// an entry can see every entry before it.
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

// Changes implements store.Catalogue. A position that the log has not reached (the file was replaced
// by an older one) is ErrTrimmed too.
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

// trim forgets all but the last keep entries of a log.
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
