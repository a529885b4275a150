package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertLease = define(`
		INSERT INTO leases (name, holder, until, settled, wisher, wish_until) VALUES ($1, '', 0, 0, '', 0)
		ON CONFLICT (name) DO NOTHING`)
	lockLease = define(`SELECT holder, until, settled, wisher, wish_until FROM leases WHERE name = $1 FOR UPDATE`)
	// A statement of its own, so that it is the time after waiting for the lock.
	selectTime  = define(`SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint`)
	updateLease = define(`
		UPDATE leases SET holder = $2, until = $3, settled = $4, wisher = $5, wish_until = $6 WHERE name = $1`)
	releaseLease = define(`UPDATE leases SET until = 0 WHERE name = $1 AND holder = $2`)
)

// Lease implements store.Leases. Time is the server's.
func (c *Catalogue) Lease(ctx context.Context, request store.LeaseRequest) (answer store.Lease, err error) {
	if err := storelogic.CheckLease(request); err != nil {
		return store.Lease{}, err
	}
	var (
		row storelogic.LeaseRow
		now int64
	)
	first := func(p *pipeline) {
		p.do(insertLease, []byte(request.Name))
		p.ask(lockLease, func(rows pgx.Rows) error {
			var holder, wisher []byte
			err := rows.Scan(&holder, &row.Until, &row.Settled, &wisher, &row.WishUntil)
			row.Holder, row.Wisher = string(holder), string(wisher)
			return err
		}, []byte(request.Name))
		p.number(selectTime, &now)
	}
	err = c.changing(ctx, first, func(_ context.Context, _ *session, last *pipeline) error {
		row, answer = row.Ask(request, now)
		last.do(updateLease, []byte(request.Name), []byte(row.Holder), row.Until, row.Settled, []byte(row.Wisher), row.WishUntil)
		return nil
	})
	if err != nil {
		return store.Lease{}, err
	}
	return answer, nil
}

// Release implements store.Leases.
func (c *Catalogue) Release(ctx context.Context, name, holder string) error {
	return c.changing(ctx, func(p *pipeline) { p.do(releaseLease, []byte(name), []byte(holder)) },
		func(context.Context, *session, *pipeline) error { return nil })
}
