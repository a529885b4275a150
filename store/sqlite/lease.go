package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	_ store.Leases    = (*Catalogue)(nil)
	_ store.Historian = (*Catalogue)(nil)
)

var (
	selectLease = define(`SELECT holder, until, settled, wisher, wish_until FROM leases WHERE name = ?`)
	putLease    = define(`
		INSERT OR REPLACE INTO leases (name, holder, until, settled, wisher, wish_until) VALUES (?, ?, ?, ?, ?, ?)`)
	releaseLease = define(`UPDATE leases SET until = 0 WHERE name = ? AND holder = ?`)
)

// Lease implements store.Leases. All processes that share the file share a machine, and so its clock.
func (c *Catalogue) Lease(ctx context.Context, request store.LeaseRequest) (answer store.Lease, err error) {
	if err := storelogic.CheckLease(request); err != nil {
		return store.Lease{}, err
	}
	err = c.write(ctx, func(s *session) error {
		var row storelogic.LeaseRow
		err := s.query(ctx, selectLease, func(rows *sql.Rows) error {
			return rows.Scan(&row.Holder, &row.Until, &row.Settled, &row.Wisher, &row.WishUntil)
		}, request.Name)
		if err != nil {
			return err
		}
		row, answer = row.Ask(request, micros(c.now()))
		_, err = s.exec(ctx, putLease, request.Name, row.Holder, row.Until, row.Settled, row.Wisher, row.WishUntil)
		return err
	})
	if err != nil {
		return store.Lease{}, err
	}
	return answer, nil
}

// Release implements store.Leases.
func (c *Catalogue) Release(ctx context.Context, name, holder string) error {
	return c.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, releaseLease, name, holder)
		return err
	})
}

var (
	selectLineage = define(`SELECT name FROM lineage WHERE one = 1`)
	renewLineage  = define(`UPDATE lineage SET name = lower(hex(randomblob(8))) WHERE one = 1`)
)

// Lineage implements store.Historian. A file that was copied back knows nothing of it, and keeps its
// name until RenewLineage is called (filmstrip restored).
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
