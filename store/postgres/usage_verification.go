package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectSpans = define(`
		SELECT begin_after, up_to, counted, verified, voids, dropped, skipped, content, changed FROM usage_verified_spans
		WHERE begin_after >= $1 ORDER BY begin_after LIMIT $2`)
	putSpan = define(`
		INSERT INTO usage_verified_spans (begin_after, up_to, counted, verified, voids, dropped, skipped, content, changed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (begin_after) DO UPDATE SET
			up_to = excluded.up_to, counted = excluded.counted, verified = excluded.verified, voids = excluded.voids,
			dropped = excluded.dropped, skipped = excluded.skipped, content = excluded.content, changed = excluded.changed`)
	deleteSpans        = define(`DELETE FROM usage_verified_spans WHERE begin_after >= $1 AND begin_after < $2`)
	selectVerification = define(`SELECT seed, state FROM usage_verification WHERE one`)
	putVerification    = define(`UPDATE usage_verification SET state = $1 WHERE one`)
)

// Spans implements store.Usage.
func (u *Usage) Spans(ctx context.Context, from event.Position, limit int) (spans []usage.Span, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		spans = nil
		return s.send(ctx, func(p *pipeline) {
			p.ask(selectSpans, func(rows pgx.Rows) error {
				var span usage.Span
				err := rows.Scan(&span.From, &span.To, (*int64)(&span.Counted), (*int64)(&span.Verified), &span.Voids, &span.Dropped, &span.Skipped,
					&span.Content, &span.Changed)
				spans = append(spans, span)
				return err
			}, from, limit)
		})
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}

// PutSpan implements store.Usage.
func (u *Usage) PutSpan(ctx context.Context, span usage.Span) error {
	return u.counting(ctx, func(_ context.Context, _ *count, last *pipeline) error {
		last.do(putSpan, span.From, span.To, int64(span.Counted), int64(span.Verified), span.Voids, span.Dropped, span.Skipped,
			span.Content, span.Changed)
		return nil
	})
}

// DeleteSpans implements store.Usage.
func (u *Usage) DeleteSpans(ctx context.Context, from, to event.Position) error {
	return u.counting(ctx, func(_ context.Context, _ *count, last *pipeline) error {
		last.do(deleteSpans, from, to)
		return nil
	})
}

// Verification implements store.Usage.
func (u *Usage) Verification(ctx context.Context) (v usage.Verification, err error) {
	err = u.read(ctx, func(p *pipeline) {
		p.ask(selectVerification, func(rows pgx.Rows) error { return rows.Scan(&v.Seed, &v.State) })
	})
	return v, err
}

// PutVerification implements store.Usage.
func (u *Usage) PutVerification(ctx context.Context, state []byte) error {
	return u.counting(ctx, func(_ context.Context, _ *count, last *pipeline) error {
		last.do(putVerification, state)
		return nil
	})
}
