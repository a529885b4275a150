package sqlstore

import (
	"context"

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
func (u *Usage) Spans(ctx context.Context, from event.Position, limit int) ([]usage.Span, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) ([]usage.Span, error) {
		return selectAll(ctx, counts, scanSpan, selectSpans, from, limit)
	})
}

func scanSpan(row Row) (span usage.Span, err error) {
	err = row.Scan(&span.From, &span.To, (*int64)(&span.Counted), (*int64)(&span.Verified), &span.Voids, &span.Dropped, &span.Skipped,
		&span.Content, &span.Changed)
	return span, err
}

// PutSpan implements store.Usage.
func (u *Usage) PutSpan(ctx context.Context, span usage.Span) error {
	return exec(ctx, u.db, putSpan, span.From, span.To, int64(span.Counted), int64(span.Verified), span.Voids, span.Dropped, span.Skipped,
		span.Content, span.Changed)
}

// DeleteSpans implements store.Usage.
func (u *Usage) DeleteSpans(ctx context.Context, from, to event.Position) error {
	return exec(ctx, u.db, deleteSpans, from, to)
}

// Verification implements store.Usage.
func (u *Usage) Verification(ctx context.Context) (usage.Verification, error) {
	return readOne(ctx, u.db, func(row Row) (v usage.Verification, err error) {
		err = row.Scan(&v.Seed, &v.State)
		return v, err
	}, selectVerification)
}

// PutVerification implements store.Usage.
func (u *Usage) PutVerification(ctx context.Context, state []byte) error {
	return exec(ctx, u.db, putVerification, state)
}
