package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// Leases implements store.Leases. It is safe for concurrent use.
type Leases struct{ db Database }

var _ store.Leases = (*Leases)(nil)

// NewLeases returns the leases of a database.
func NewLeases(db Database) *Leases { return &Leases{db} }

var (
	insertLease = define(`
		INSERT INTO leases (name, holder, until, settled, wisher, wish_until) VALUES ($1, '', 0, 0, '', 0)
		ON CONFLICT (name) DO NOTHING`)
	lockLease   = define(`SELECT holder, until, settled, wisher, wish_until FROM leases WHERE name = $1 FOR UPDATE`)
	updateLease = define(`
		UPDATE leases SET holder = $2, until = $3, settled = $4, wisher = $5, wish_until = $6 WHERE name = $1`)
	releaseLease = define(`UPDATE leases SET until = 0 WHERE name = $1 AND holder = $2`)
)

// Lease implements store.Leases.
func (l *Leases) Lease(ctx context.Context, request store.LeaseRequest) (store.Lease, error) {
	if err := checkLease(request); err != nil {
		return store.Lease{}, err
	}
	return write(ctx, l.db, func(ctx context.Context, c Conn) (store.Lease, error) {
		c.Do(ctx, insertLease, request.Name)
		row, err := selectOne(ctx, c, scanLease, lockLease, request.Name)
		if err != nil {
			return store.Lease{}, err
		}
		now, err := c.SharedTime(ctx) // read after waiting for the lock
		if err != nil {
			return store.Lease{}, err
		}
		row, lease := row.apply(request, micros(now))
		c.Do(ctx, updateLease, request.Name, row.holder, row.until, row.settled, row.wisher, row.wishUntil)
		return lease, nil
	})
}

// Release implements store.Leases.
func (l *Leases) Release(ctx context.Context, name, holder string) error {
	return exec(ctx, l.db, releaseLease, name, holder)
}

// leaseRow is a stored lease. Times are in microseconds since 1970, UTC.
type leaseRow struct {
	// holder has the lease until the time until.
	holder  string
	until   int64
	settled store.Position
	// wisher requests the lease. The request expires at wishUntil.
	wisher    string
	wishUntil int64
}

func scanLease(row Row) (lease leaseRow, err error) {
	err = row.Scan(&lease.holder, &lease.until, &lease.settled, &lease.wisher, &lease.wishUntil)
	return lease, err
}

// apply returns the row after a request at the time now, and the response to the request.
func (row leaseRow) apply(request store.LeaseRequest, now int64) (leaseRow, store.Lease) {
	until := now + request.For.Microseconds()
	var answer store.Lease
	switch free := row.until <= now; {
	case free:
		answer.Held, answer.Taken = true, true
	case row.holder == request.Holder:
		answer.Held = true
		row.settled = max(row.settled, request.Settled)
	case request.Wanted:
		row.wisher, row.wishUntil = request.Holder, until
	}
	if answer.Held {
		row.holder, row.until = request.Holder, until
		if row.wisher == request.Holder {
			row.wisher, row.wishUntil = "", 0
		}
	}
	answer.Settled = row.settled
	answer.Wanted = row.wishUntil > now && row.wisher != request.Holder
	return row, answer
}

// maxLeaseName is the maximum length of the names in a store.LeaseRequest, in bytes.
const maxLeaseName = 200

func checkLease(request store.LeaseRequest) error {
	for _, name := range []string{request.Name, request.Holder} {
		if name == "" || len(name) > maxLeaseName {
			return fmt.Errorf("store: the names of a lease have 1 to %d bytes", maxLeaseName)
		}
	}
	if request.For < time.Millisecond {
		return fmt.Errorf("store: a lease runs for at least a millisecond, not %s", request.For)
	}
	return nil
}
