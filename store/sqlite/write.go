package sqlite

import (
	"context"

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
		return storelogic.Begin(sqlstore.NewCatalogueTx(s), last, c.now).Run(ctx, fn)
	})
}

// FanOut implements store.Catalogue.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	err = c.write(ctx, func(s *session) error {
		last, err := s.last(ctx)
		if err != nil {
			return err
		}
		more, err = storelogic.Propagate(ctx, sqlstore.NewCatalogueTx(s), &last, c.now(), limit)
		return err
	})
	return more, err
}

var selectSequences = define(`SELECT name, seq FROM sqlite_sequence`)

// last returns the last assigned numbers. Rows contain their numbers when they are written, so that Put can return them
// beforehand. The engine itself keeps the highest number.
func (s *session) last(ctx context.Context) (last storelogic.Last, err error) {
	var ofRecord int64
	kept := map[string]*int64{
		"outbox": &last.Position, "entities": &last.Number, "catalogue_records": &ofRecord, "videos": &last.Sequence,
	}
	err = s.Query(ctx, selectSequences, func(row sqlstore.Row) error {
		var (
			name string
			seq  int64
		)
		err := row.Scan(&name, &seq)
		if number, ok := kept[name]; ok {
			*number = seq
		}
		return err
	})
	last.Number = max(last.Number, ofRecord)
	return last, err
}
