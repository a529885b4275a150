package postgres

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// A run of addresses may contain events of two people. Erasures run one at a time, so that the second one sees the
// pieces of a run that the first one has left.
var lockErasing = define(`SELECT pg_advisory_xact_lock($1)`)

// erasingLock is the key of the advisory lock of an erasure.
const erasingLock int64 = 0x66696c6d65726173 // "filmeras"

// Erasing implements sqlstore.EventsDatabase.
func (d eventsDatabase) Erasing(ctx context.Context, fn func(ctx context.Context, tx sqlstore.EraseTx) error) error {
	return d.changing(ctx, func(ctx context.Context, s *session) error {
		s.pending.do(lockErasing, erasingLock)
		return fn(ctx, eraseTx{s})
	})
}

// eraseTx implements sqlstore.EraseTx.
type eraseTx struct{ *session }

var deleteRuns = define(`DELETE FROM event_addresses WHERE first = ANY ($1::bigint[])`)

// EraseAddresses implements sqlstore.EraseTx. It removes events from the runs that contain them. Each removed event can
// split a run in two.
func (t eraseTx) EraseAddresses(ctx context.Context, positions []event.Position) error {
	gone := map[int64]bool{}
	for _, position := range positions {
		gone[position] = true
	}
	runs, err := t.runs(ctx, selectRunsOf, positions)
	if err != nil {
		return err
	}
	var (
		old  []int64
		left []run
	)
	for _, r := range runs {
		pieces, whole := r.without(gone)
		if !whole {
			old, left = append(old, r.first), append(left, pieces...)
		}
	}
	t.pending.do(deleteRuns, old)
	t.pending.do(insertRuns, append([]any{int64(0)}, runArrays(left)...)...)
	return nil
}

// without returns the pieces of a run that remain after removing some positions. whole reports whether the run contains
// none of these positions.
func (r run) without(gone map[int64]bool) (pieces []run, whole bool) {
	whole = true
	piece := run{first: r.first, received: r.received, address: r.address}
	for position := r.first; position <= r.last+1; position++ {
		if position <= r.last && !gone[position] {
			continue
		}
		whole = whole && position > r.last
		if piece.last = position - 1; piece.first <= piece.last {
			pieces = append(pieces, piece)
		}
		piece.first = position + 1
	}
	return pieces, whole
}
