package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

// If a target changes again, its job starts again at the first video and never does less than before.
var (
	insertFanOut = define(`
		INSERT INTO fan_outs (target, position, shown, after) VALUES (?, ?, ?, 0)
		ON CONFLICT (target) DO UPDATE SET shown = MAX(shown, excluded.shown), after = 0`)
	insertChannelFanOuts = define(`
		INSERT INTO fan_outs (target, position, shown, after)
		SELECT number, ?2, ?3, 0 FROM entity_links WHERE target = ?1
		ON CONFLICT (target) DO UPDATE SET shown = MAX(shown, excluded.shown), after = 0`)
)

func (t *transaction) writeFanOuts(ctx context.Context, fanOuts []storelogic.FanOut) error {
	for _, f := range fanOuts {
		st := insertFanOut
		if f.ThroughChannels {
			st = insertChannelFanOuts
		}
		if _, err := t.exec(ctx, st, f.Target, f.Position, int64(f.Shown)); err != nil {
			return err
		}
	}
	return nil
}

// FanOut implements store.Catalogue.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	err = c.write(ctx, func(s *session) error {
		last, err := s.last(ctx)
		if err != nil {
			return err
		}
		more, err = storelogic.Propagate(ctx, newTransaction(s), &last, c.now(), limit)
		return err
	})
	return more, err
}

var (
	selectFanOut = define(`SELECT target, shown, after FROM fan_outs ORDER BY position LIMIT 1`)
	selectFanned = define(`SELECT seq FROM video_links WHERE target = ? AND seq > ? ORDER BY seq LIMIT ?`)
)

// Job implements storelogic.Propagator.
func (t *transaction) Job(ctx context.Context, limit int) (job storelogic.Job, videos []int64, found bool, err error) {
	err = t.query(ctx, selectFanOut, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&job.Target, &job.Shown, &job.After)
	})
	if err != nil || !found {
		return job, nil, false, err
	}
	err = t.query(ctx, selectFanned, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		videos = append(videos, seq)
		return err
	}, job.Target, job.After, limit)
	return job, videos, true, err
}
