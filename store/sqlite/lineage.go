package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

var (
	selectLineage = define(`SELECT name FROM lineage WHERE one = 1`)
	renewLineage  = define(`UPDATE lineage SET name = lower(hex(randomblob(8))) WHERE one = 1`)
)

// Lineage implements store.Historian. A restored file cannot detect the restore. It keeps its name until RenewLineage
// is called (filmstrip restored).
func (c *Catalogue) Lineage(ctx context.Context) (name string, err error) {
	err = c.read(ctx, func(s *session) error {
		return s.Query(ctx, selectLineage, func(row sqlstore.Row) error { return row.Scan(&name) })
	})
	return name, err
}

// RenewLineage implements store.Historian.
func (c *Catalogue) RenewLineage(ctx context.Context) error {
	return c.write(ctx, func(s *session) error {
		s.Do(ctx, renewLineage)
		return nil
	})
}
