package sqlite

import (
	"context"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// forgetChunk is how many rows one transaction removes or examines, so that an append waits only briefly.
const forgetChunk = 5_000

// inChunks runs step in a sequence of transactions until step reports that nothing is left. Other writers can take the
// write connection between two transactions.
func (d *database) inChunks(ctx context.Context, step func(s *session) (more bool, err error)) error {
	for more := true; more; {
		err := d.write(ctx, func(s *session) (err error) {
			more, err = step(s)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	selectOldMonth = define(`SELECT month, first, last FROM event_months WHERE month < ? ORDER BY month LIMIT 1`)
	selectLastOld  = define(`SELECT coalesce(max(last), 0) FROM event_months WHERE month < ?`)
	deleteEvents   = define(`DELETE FROM events WHERE position >= ? AND position <= ? AND received < ?`)
	shortenMonth   = define(`UPDATE event_months SET first = ? WHERE month = ?`)
	deleteMonth    = define(`DELETE FROM event_months WHERE month = ?`)
	touchSegments  = define(`
		UPDATE event_segments SET version = version + 1
		WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after < ?), 0) AND after < ?`)
	touchSegmentsBefore = define(`UPDATE event_segments SET version = version + 1 WHERE after < ?`)
	moveDropped         = define(`UPDATE event_head SET dropped = max(dropped, ?) WHERE one = 1`)
)

// Drop implements store.Events.
func (e *Events) Drop(ctx context.Context, before usage.Month) (event.Position, error) {
	if err := e.dropChunks(ctx, before, math.MaxInt64); err != nil {
		return 0, err
	}
	return e.Dropped(ctx)
}

// DropMoved implements store.MonthMover.
func (e *Events) DropMoved(ctx context.Context, before usage.Month, upTo event.Position) error {
	return e.dropChunks(ctx, before, upTo)
}

// dropChunks drops the events before a month, and what is stored about them. It stops at an event after a position. Each
// chunk checks for such late events, which may arrive between two chunks.
func (e *Events) dropChunks(ctx context.Context, before usage.Month, upTo event.Position) error {
	isDropped := false
	err := e.inChunks(ctx, func(s *session) (found bool, err error) {
		last, err := s.number(ctx, selectLastOld, before.Number())
		if err != nil {
			return false, err
		}
		if err := storelogic.CheckMoved(before, last, upTo); err != nil {
			return false, err
		}
		found, err = s.dropChunk(ctx, before)
		isDropped = isDropped || found
		return found, err
	})
	if err != nil {
		return err
	}
	if err := e.ForgetAddresses(ctx, before.Start()); err != nil {
		return err
	}
	dropped, err := e.Dropped(ctx)
	if err == nil && isDropped { // segments of events that a release without the index has dropped too
		err = e.write(ctx, func(s *session) error {
			s.Do(ctx, touchSegmentsBefore, dropped)
			return nil
		})
	}
	if err != nil {
		return err
	}
	return e.IndexBefore(ctx, dropped)
}

// dropChunk removes events of the oldest month before a given month, and reports whether there was such a month. The
// same transaction records the dropped position: a Drop may be interrupted, and a process that counts the log meanwhile
// must not mistake the remaining events for all events.
func (s *session) dropChunk(ctx context.Context, before usage.Month) (found bool, err error) {
	var month, first, last int64
	err = s.Query(ctx, selectOldMonth, func(row sqlstore.Row) error {
		found = true
		return row.Scan(&month, &first, &last)
	}, before.Number())
	if err != nil || !found {
		return false, err
	}
	end := min(last, first+forgetChunk-1)
	s.Do(ctx, deleteEvents, first, end, int64(before.Start()))
	if end == last {
		s.Do(ctx, deleteMonth, month)
	} else {
		s.Do(ctx, shortenMonth, end+1, month)
	}
	s.Do(ctx, touchSegments, first, end)
	s.Do(ctx, moveDropped, end)
	return true, s.Send(ctx)
}
