package sqlite

import (
	"context"
	"database/sql"
)

var (
	selectLineage = define(`SELECT name FROM lineage WHERE one = 1`)
	renewLineage  = define(`UPDATE lineage SET name = lower(hex(randomblob(8))) WHERE one = 1`)
)

// Lineage implements store.Historian. A restored file cannot detect the restore. It keeps its name until RenewLineage
// is called (filmstrip restored).
func (c *Catalogue) Lineage(ctx context.Context) (name string, err error) {
	err = c.read(ctx, func(s *session) error {
		return s.query(ctx, selectLineage, func(rows *sql.Rows) error { return rows.Scan(&name) })
	})
	return name, err
}

// RenewLineage implements store.Historian.
func (c *Catalogue) RenewLineage(ctx context.Context) error {
	return c.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, renewLineage)
		return err
	})
}
