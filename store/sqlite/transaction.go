package sqlite

import (
	"context"
	"database/sql"

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
	sqlstore.CatalogueTx
	log, entities, entityLinks, videos, bodies, videoLinks, transcripts, records batch
}

var (
	_ storelogic.Engine     = (*transaction)(nil)
	_ storelogic.Propagator = (*transaction)(nil)
)

func newTransaction(s *session) *transaction {
	return &transaction{
		session: s, CatalogueTx: sqlstore.NewCatalogueTx(&conn{session: s}),
		log: batch{insertion: insertOutbox}, entities: batch{insertion: insertEntities},
		entityLinks: batch{insertion: insertEntityLinks}, videos: batch{insertion: insertVideos},
		bodies: batch{insertion: insertBodies}, videoLinks: batch{insertion: insertVideoLinks},
		transcripts: batch{insertion: insertTranscripts}, records: batch{insertion: insertOwnedItems},
	}
}
