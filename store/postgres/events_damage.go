package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	hasSkipped             = define(`SELECT EXISTS (SELECT FROM skipped_events WHERE position > $1 AND position <= $2)`)
	selectSkippedPositions = define(`SELECT position FROM skipped_events WHERE position > $1 AND position <= $2 ORDER BY position`)
	selectSkippedEvents    = define(`SELECT position, at, by, reason FROM skipped_events ORDER BY position`)
	insertSkippedEvents    = define(`
		INSERT INTO skipped_events (position, at, by, reason)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`)
	updateEventCheck = define(`UPDATE event_check SET at = $1 WHERE one`)
)

// CheckWritable implements store.Events.
func (e *Events) CheckWritable(ctx context.Context, at event.Instant) error {
	return e.changing(ctx, func(*pipeline) {}, func(_ context.Context, _ *session, last *pipeline) error {
		last.do(updateEventCheck, int64(at))
		return nil
	})
}

// skippedBetween returns the skipped positions p with after < p <= last, in ascending order.
func (e *Events) skippedBetween(ctx context.Context, after, last event.Position) (positions []event.Position, err error) {
	err = e.read(ctx, func(p *pipeline) {
		positions = nil
		p.ask(selectSkippedPositions, func(rows pgx.Rows) error {
			var position event.Position
			err := rows.Scan(&position)
			positions = append(positions, position)
			return err
		}, after, last)
	})
	return positions, err
}

// Skipped implements store.Events.
func (e *Events) Skipped(ctx context.Context) (events []store.SkippedEvent, err error) {
	err = e.read(ctx, func(p *pipeline) {
		events = nil
		p.ask(selectSkippedEvents, func(rows pgx.Rows) error {
			var one store.SkippedEvent
			err := rows.Scan(&one.Position, (*int64)(&one.At), &one.By, &one.Reason)
			events = append(events, one)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// SkipDamaged implements store.Events. A failed statement ends its transaction, so SkipDamaged reads each event in a
// transaction of its own.
func (e *Events) SkipDamaged(ctx context.Context, events []store.SkippedEvent) (added int, err error) {
	head, err := e.Head(ctx)
	if err != nil {
		return 0, err
	}
	known, err := e.skippedBetween(ctx, 0, head)
	if err != nil {
		return 0, err
	}
	fresh, err := storelogic.SkipsOf(events, head, known, func(position event.Position) (bool, error) {
		found, _, err := e.readPiece(ctx, selectEvents, store.EventQuery{Dropped: head}, position-1, position, 1)
		return len(found) > 0, err
	})
	if err != nil || len(fresh) == 0 {
		return 0, err
	}
	var (
		positions, at []int64
		by, reasons   []string
	)
	for _, one := range fresh {
		positions, at = append(positions, one.Position), append(at, int64(one.At))
		by, reasons = append(by, one.By), append(reasons, one.Reason)
	}
	var inserted int64
	err = e.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) (err error) {
		if inserted, err = s.change(ctx, insertSkippedEvents, positions, at, by, reasons); err == nil {
			_, err = s.change(ctx, retrySegments, positions)
		}
		return err
	})
	return int(inserted), err
}
