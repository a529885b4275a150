package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
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
