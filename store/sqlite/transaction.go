package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var errOver = errors.New("store/sqlite: the transaction is over")

// transaction is the store.Tx of one Write.
type transaction struct {
	*session
	settings
	// The last numbers that were given: catalogue.Ref's version, entities.number, videos.seq.
	position, number, sequence int64
	// failed is the first fault of a statement. What came of it is not known, so nothing is committed
	// after it, whatever the caller makes of the error.
	failed error
	over   bool
}

// Write implements store.Catalogue.
func (c *Catalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	return c.write(ctx, func(s *session) error {
		tx := &transaction{session: s, settings: c.settings}
		defer func() { tx.over = true }()
		if err := tx.readSequences(ctx); err != nil {
			return err
		}
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return tx.failed
	})
}

var selectSequences = define(`SELECT name, seq FROM sqlite_sequence`)

// readSequences learns which numbers come next. Rows bring their numbers along, so that they can be
// told before the rows are written; the engine keeps the highest by itself.
func (t *transaction) readSequences(ctx context.Context) error {
	last := map[string]*int64{"outbox": &t.position, "entities": &t.number, "videos": &t.sequence}
	return t.query(ctx, selectSequences, func(rows *sql.Rows) error {
		var (
			name string
			seq  int64
		)
		err := rows.Scan(&name, &seq)
		if number, ok := last[name]; ok {
			*number = seq
		}
		return err
	})
}

// doing runs one call of the transaction.
func (t *transaction) doing(fn func() error) error {
	switch {
	case t.over:
		return errOver
	case t.failed != nil:
		return t.failed
	}
	t.failed = fn()
	return t.failed
}

var (
	selectVideoItems  = selectVideos
	selectEntityItems = define(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.body
		FROM json_each(?) AS asked
		CROSS JOIN entities AS e ON e.id = asked.value AND e.kind = ?`)
)

// Items implements store.Tx.
func (t *transaction) Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error) {
	items := make(map[catalogue.ID]catalogue.Item, len(ids))
	err := t.doing(func() error {
		if kind == catalogue.KindVideo {
			return t.query(ctx, selectVideoItems, func(rows *sql.Rows) error {
				video, err := scanVideo(rows)
				if err == nil {
					items[video.ID] = video
				}
				return err
			}, idList(ids))
		}
		return t.query(ctx, selectEntityItems, func(rows *sql.Rows) error {
			item, err := scanEntity(rows)
			if err == nil {
				items[item.Head().ID] = item
			}
			return err
		}, idList(ids), string(kind))
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

var (
	selectVideosOf   = define(`SELECT id FROM videos WHERE source = ? AND id > ? ORDER BY id LIMIT ?`)
	selectEntitiesOf = define(`SELECT id FROM entities WHERE kind = ? AND source = ? AND id > ? ORDER BY id LIMIT ?`)
)

// Of implements store.Tx.
func (t *transaction) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error) {
	var ids []catalogue.ID
	collect := func(rows *sql.Rows) error {
		var id catalogue.ID
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}
	err := t.doing(func() error {
		if kind == catalogue.KindVideo {
			return t.query(ctx, selectVideosOf, collect, source, string(after), max(0, limit))
		}
		return t.query(ctx, selectEntitiesOf, collect, string(kind), source, string(after), max(0, limit))
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

var insertOutbox = defineInsertion(4, `INSERT INTO outbox (position, kind, id, deleted)`, ``)

// entry adds an entry to the log and returns its position.
func (t *transaction) entry(log *batch, kind catalogue.Kind, id catalogue.ID, deleted bool) int64 {
	t.position++
	log.add(t.position, string(kind), string(id), flag(deleted))
	return t.position
}
