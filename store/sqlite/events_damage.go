package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectSkippedPositions = define(`SELECT position FROM skipped_events WHERE position > ? ORDER BY position`)
	selectSkippedEvents    = define(`SELECT position, at, by, reason FROM skipped_events ORDER BY position`)
	insertSkippedEvent     = define(`INSERT INTO skipped_events (position, at, by, reason) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
	updateEventCheck       = define(`UPDATE event_check SET at = ? WHERE one = 1`)
)

// CheckWritable implements store.Events. Each call stores a different mark, because the engine does not write an
// unchanged row.
func (e *Events) CheckWritable(ctx context.Context, at event.Instant) error {
	return e.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, updateEventCheck, int64(at))
		return err
	})
}

// skipped returns the skipped positions after a position, in order.
func (s *session) skipped(ctx context.Context, after event.Position) (positions []event.Position, err error) {
	err = s.query(ctx, selectSkippedPositions, func(rows *sql.Rows) error {
		var position event.Position
		err := rows.Scan(&position)
		positions = append(positions, position)
		return err
	}, after)
	return positions, err
}

// Skipped implements store.Events.
func (e *Events) Skipped(ctx context.Context) (events []store.SkippedEvent, err error) {
	err = e.read(ctx, func(s *session) error {
		return s.query(ctx, selectSkippedEvents, func(rows *sql.Rows) error {
			var one store.SkippedEvent
			err := rows.Scan(&one.Position, &one.At, &one.By, &one.Reason)
			events = append(events, one)
			return err
		})
	})
	return events, err
}

// SkipDamaged implements store.Events. It reads the events before the transaction that records them, because SQLite
// rejects writes in a transaction that has read a damaged page.
func (e *Events) SkipDamaged(ctx context.Context, events []store.SkippedEvent) (added int, err error) {
	var fresh []store.SkippedEvent
	all := conditionsOf(storelogic.RangeOf(store.EventQuery{}, math.MaxInt64))
	err = e.read(ctx, func(s *session) error {
		head, err := s.number(ctx, selectEventHead)
		if err != nil {
			return err
		}
		known, err := s.skipped(ctx, 0)
		if err != nil {
			return err
		}
		fresh, err = storelogic.SkipsOf(events, head, known, func(position event.Position) (bool, error) {
			found, err := s.events(ctx, selectEvent, append([]any{position}, all...))
			return len(found) > 0, err
		})
		return err
	})
	if err != nil {
		return 0, err
	}
	err = e.write(ctx, func(s *session) error {
		added = 0
		for _, one := range fresh {
			inserted, err := s.exec(ctx, insertSkippedEvent, one.Position, int64(one.At), one.By, one.Reason)
			if err != nil {
				return err
			}
			added += int(inserted)
			if _, err := s.exec(ctx, retrySegment, one.Position, one.Position); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}
