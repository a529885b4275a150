package storelogic

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// maxLeaseName is how long the names in a store.LeaseRequest may be, in bytes.
const maxLeaseName = 200

// LeaseRow is what is stored of a lease; all zero: nobody ever had it. Times are those of the store, in
// microseconds since 1970, UTC.
type LeaseRow struct {
	// Holder has the lease until Until.
	Holder  string
	Until   int64
	Settled store.Position
	// Wisher wishes to have it, until WishUntil.
	Wisher    string
	WishUntil int64
}

// Ask says what a request makes of a lease at a time: the row to be stored, and the answer.
func (row LeaseRow) Ask(request store.LeaseRequest, now int64) (LeaseRow, store.Lease) {
	until := now + request.For.Microseconds()
	var answer store.Lease
	switch free := row.Until <= now; {
	case free:
		answer.Held, answer.Taken = true, true
	case row.Holder == request.Holder:
		answer.Held = true
		row.Settled = max(row.Settled, request.Settled)
	case request.Wanted:
		row.Wisher, row.WishUntil = request.Holder, until
	}
	if answer.Held {
		row.Holder, row.Until = request.Holder, until
		if row.Wisher == request.Holder {
			row.Wisher, row.WishUntil = "", 0
		}
	}
	answer.Settled = row.Settled
	answer.Wanted = row.WishUntil > now && row.Wisher != request.Holder
	return row, answer
}

// CheckLease returns the fault of a request that no engine takes.
func CheckLease(request store.LeaseRequest) error {
	for _, name := range []string{request.Name, request.Holder} {
		if name == "" || len(name) > maxLeaseName {
			return fmt.Errorf("store: the names of a lease have 1 to %d bytes", maxLeaseName)
		}
	}
	if request.For < time.Millisecond {
		return fmt.Errorf("store: a lease runs for a millisecond at least, not %s", request.For)
	}
	return nil
}
