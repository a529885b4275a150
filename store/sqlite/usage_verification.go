package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectSpans = define(`
		SELECT begin_after, up_to, counted, verified, voids, dropped, skipped, content, changed FROM verified_spans
		WHERE begin_after >= ? ORDER BY begin_after LIMIT ?`)
	putSpan = define(`
		INSERT OR REPLACE INTO verified_spans (begin_after, up_to, counted, verified, voids, dropped, skipped, content, changed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	deleteSpans        = define(`DELETE FROM verified_spans WHERE begin_after >= ? AND begin_after < ?`)
	selectVerification = define(`SELECT seed, state FROM verification WHERE one = 1`)
	putVerification    = define(`UPDATE verification SET state = ? WHERE one = 1`)
)

// Spans implements store.Usage.
func (u *Usage) Spans(ctx context.Context, from event.Position, limit int) (spans []usage.Span, err error) {
	err = u.read(ctx, func(s *session) error {
		return s.query(ctx, selectSpans, func(rows *sql.Rows) error {
			var (
				span              usage.Span
				counted, verified int64
			)
			err := rows.Scan(&span.From, &span.To, &counted, &verified, &span.Voids, &span.Dropped, &span.Skipped, &span.Content, &span.Changed)
			span.Counted, span.Verified = event.Instant(counted), event.Instant(verified)
			spans = append(spans, span)
			return err
		}, from, limit)
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}

// PutSpan implements store.Usage.
func (u *Usage) PutSpan(ctx context.Context, span usage.Span) error {
	return u.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, putSpan, span.From, span.To, int64(span.Counted), int64(span.Verified), span.Voids, span.Dropped, span.Skipped,
			span.Content, span.Changed)
		return err
	})
}

// DeleteSpans implements store.Usage.
func (u *Usage) DeleteSpans(ctx context.Context, from, to event.Position) error {
	return u.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, deleteSpans, from, to)
		return err
	})
}

// Verification implements store.Usage.
func (u *Usage) Verification(ctx context.Context) (v usage.Verification, err error) {
	err = u.read(ctx, func(s *session) error {
		return s.query(ctx, selectVerification, func(rows *sql.Rows) error { return rows.Scan(&v.Seed, &v.State) })
	})
	return v, err
}

// PutVerification implements store.Usage.
func (u *Usage) PutVerification(ctx context.Context, state []byte) error {
	return u.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, putVerification, state)
		return err
	})
}
