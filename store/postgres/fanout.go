package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// A target that changes again starts again from its first video. Its job keeps the larger value of shown, so that no
// work is lost.
var (
	insertFanOut = define(`
		INSERT INTO fan_outs AS f (target, position, shown, after) VALUES ($1, $2, $3, 0)
		ON CONFLICT (target) DO UPDATE SET shown = GREATEST(f.shown, excluded.shown), after = 0`)
	insertChannelFanOuts = define(`
		INSERT INTO fan_outs AS f (target, position, shown, after)
		SELECT number, $2, $3, 0 FROM entity_links WHERE target = $1
		ON CONFLICT (target) DO UPDATE SET shown = GREATEST(f.shown, excluded.shown), after = 0`)
)

func (p *pipeline) fanOuts(fanOuts []storelogic.FanOut) {
	for _, f := range fanOuts {
		st := insertFanOut
		if f.ThroughChannels {
			st = insertChannelFanOuts
		}
		p.do(st, f.Target, f.Position, int32(f.Shown))
	}
}

// FanOut implements store.Catalogue.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	err = c.change(ctx, func(ctx context.Context, t *transaction) (err error) {
		more, err = storelogic.Propagate(ctx, t, &t.Last, c.now(), limit)
		return err
	})
	return more, err
}

var (
	selectFanOut = define(`SELECT target, shown, after FROM fan_outs ORDER BY position, target LIMIT 1`)
	// selectFanned looks up the oldest job again, so that one round trip is enough. The channels of a contract have
	// jobs with the same position, so both statements must choose the same job.
	selectFanned = define(`
		SELECT l.seq FROM (SELECT target, after FROM fan_outs ORDER BY position, target LIMIT 1) AS f
		CROSS JOIN LATERAL (
			SELECT seq FROM video_links WHERE target = f.target AND seq > f.after ORDER BY seq LIMIT $1
		) AS l
		ORDER BY l.seq`)
)

// Job implements storelogic.Propagator.
func (t *transaction) Job(ctx context.Context, limit int) (job storelogic.Job, videos []int64, found bool, err error) {
	err = t.send(ctx, func(p *pipeline) {
		p.ask(selectFanOut, func(rows pgx.Rows) error {
			var shown int32
			err := rows.Scan(&job.Target, &shown, &job.After)
			job.Shown, found = catalogue.Shown(shown), true
			return err
		})
		p.ask(selectFanned, func(rows pgx.Rows) error {
			var seq int64
			err := rows.Scan(&seq)
			videos = append(videos, seq)
			return err
		}, limit)
	})
	return job, videos, found, err
}

// The statements assign positions to the videos in the order of the list.
var (
	logFanned = define(`
		INSERT INTO outbox (position, kind, id, deleted)
		SELECT $1::bigint + listed.place - 1, 'video', v.id, false
		FROM unnest($2::bigint[]) WITH ORDINALITY AS listed(seq, place) JOIN videos AS v ON v.seq = listed.seq`)
	bumpFanned = define(`
		UPDATE videos AS v SET version = $1::bigint + listed.place - 1, updated_at = COALESCE($3::bigint, v.updated_at)
		FROM unnest($2::bigint[]) WITH ORDINALITY AS listed(seq, place) WHERE v.seq = listed.seq`)
)

// Bump implements storelogic.Propagator.
func (t *transaction) Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error {
	var at *int64
	if updated != nil {
		n := micros(*updated)
		at = &n
	}
	return t.send(ctx, func(p *pipeline) {
		p.do(logFanned, first, videos)
		p.do(bumpFanned, first, videos, at)
	})
}

var (
	advanceFanOut = define(`UPDATE fan_outs SET after = $1 WHERE target = $2`)
	deleteFanOut  = define(`DELETE FROM fan_outs WHERE target = $1`)
	hasFanOut     = define(`SELECT COUNT(*) FROM (SELECT position FROM fan_outs ORDER BY position LIMIT 1) AS oldest`)
)

// Advance implements storelogic.Propagator.
func (t *transaction) Advance(ctx context.Context, target, after int64) error {
	return t.send(ctx, func(p *pipeline) { p.do(advanceFanOut, after, target) })
}

// End implements storelogic.Propagator.
func (t *transaction) End(ctx context.Context, target int64) error {
	return t.send(ctx, func(p *pipeline) { p.do(deleteFanOut, target) })
}

// HasJob implements storelogic.Propagator.
func (t *transaction) HasJob(ctx context.Context) (bool, error) {
	var n int64
	err := t.send(ctx, func(p *pipeline) { p.number(hasFanOut, &n) })
	return n > 0, err
}
