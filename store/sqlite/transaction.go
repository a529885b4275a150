package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Write implements store.Catalogue.
func (c *Catalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	return c.write(ctx, func(s *session) error {
		last, err := s.last(ctx)
		if err != nil {
			return err
		}
		return storelogic.Begin(newTransaction(s), last, c.now).Run(ctx, fn)
	})
}

var selectSequences = define(`SELECT name, seq FROM sqlite_sequence`)

// last returns the last assigned numbers. Rows contain their numbers when they are written, so that Put can return them
// beforehand. The engine itself keeps the highest number.
func (s *session) last(ctx context.Context) (last storelogic.Last, err error) {
	var ofRecord int64
	kept := map[string]*int64{
		"outbox": &last.Position, "entities": &last.Number, "catalogue_records": &ofRecord, "videos": &last.Sequence,
	}
	err = s.query(ctx, selectSequences, func(rows *sql.Rows) error {
		var (
			name string
			seq  int64
		)
		err := rows.Scan(&name, &seq)
		if number, ok := kept[name]; ok {
			*number = seq
		}
		return err
	})
	last.Number = max(last.Number, ofRecord)
	return last, err
}

// transaction is the storelogic.Engine of one Write.
type transaction struct {
	*session
	log, entities, entityLinks, videos, bodies, videoLinks, transcripts, records batch
}

var (
	_ storelogic.Engine     = (*transaction)(nil)
	_ storelogic.Propagator = (*transaction)(nil)
)

func newTransaction(s *session) *transaction {
	return &transaction{
		session: s,
		log:     batch{insertion: insertOutbox}, entities: batch{insertion: insertEntities},
		entityLinks: batch{insertion: insertEntityLinks}, videos: batch{insertion: insertVideos},
		bodies: batch{insertion: insertBodies}, videoLinks: batch{insertion: insertVideoLinks},
		transcripts: batch{insertion: insertTranscripts}, records: batch{insertion: insertOwnedItems},
	}
}

var (
	selectVideoItems  = selectVideos
	selectEntityItems = define(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.body
		FROM json_each(?) AS asked
		CROSS JOIN entities AS e ON e.id = asked.value AND e.kind = ?`)
	selectRecordItems = selectOwnedItems
)

// Items implements storelogic.Engine.
func (t *transaction) Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error) {
	items := make(map[catalogue.ID]catalogue.Item, len(ids))
	if kind == catalogue.KindVideo {
		return items, t.query(ctx, selectVideoItems, func(rows *sql.Rows) error {
			video, err := scanVideo(rows)
			if err == nil {
				items[video.ID] = video
			}
			return err
		}, idList(ids))
	}
	st := selectEntityItems
	if kind.IsRecord() {
		st = selectRecordItems
	}
	return items, t.query(ctx, st, func(rows *sql.Rows) error {
		item, err := scanEntity(rows)
		if err == nil {
			items[item.Head().ID] = item
		}
		return err
	}, idList(ids), string(kind))
}

var (
	selectVideosOf        = define(`SELECT id FROM videos WHERE source = ? AND id > ? ORDER BY id LIMIT ?`)
	selectEntitiesOf      = define(`SELECT id FROM entities WHERE kind = ? AND source = ? AND id > ? ORDER BY id LIMIT ?`)
	selectRecordsOfSource = define(`SELECT id FROM catalogue_records WHERE kind = ? AND source = ? AND id > ? ORDER BY id LIMIT ?`)
)

// Of implements storelogic.Engine.
func (t *transaction) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) (ids []catalogue.ID, err error) {
	collect := func(rows *sql.Rows) error {
		var id catalogue.ID
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}
	switch {
	case kind == catalogue.KindVideo:
		err = t.query(ctx, selectVideosOf, collect, source, string(after), limit)
	case kind.IsRecord():
		err = t.query(ctx, selectRecordsOfSource, collect, string(kind), source, string(after), limit)
	default:
		err = t.query(ctx, selectEntitiesOf, collect, string(kind), source, string(after), limit)
	}
	return ids, err
}

// AddEntries implements storelogic.RemovalEngine.
func (t *transaction) AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error {
	c := &conn{session: t.session}
	sqlstore.AddCatalogueEntries(ctx, c, entries)
	return c.failed
}
