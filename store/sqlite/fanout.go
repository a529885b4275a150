package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
)

// fanOut is the change of a thing that videos show something of.
type fanOut struct {
	target   int64
	position int64
	shown    catalogue.Shown
	// throughChannels: the videos do not refer to the thing itself but to channels that do.
	throughChannels bool
}

// fanOut notes what is to be done where a thing changes.
func (p *putting) fanOut(number int64, before, after catalogue.Item) {
	if shown := catalogue.ShownBy(before, after); shown != catalogue.ShownNowhere {
		p.fanOuts = append(p.fanOuts, fanOut{
			target: number, position: after.Head().Version, shown: shown,
			throughChannels: after.Kind() == catalogue.KindContract,
		})
	}
}

// A target that changes again starts from its first video again, and never with less to do.
var (
	insertFanOut = define(`
		INSERT INTO fan_outs (target, position, shown, after) VALUES (?, ?, ?, 0)
		ON CONFLICT (target) DO UPDATE SET shown = MAX(shown, excluded.shown), after = 0`)
	insertChannelFanOuts = define(`
		INSERT INTO fan_outs (target, position, shown, after)
		SELECT number, ?2, ?3, 0 FROM entity_links WHERE target = ?1
		ON CONFLICT (target) DO UPDATE SET shown = MAX(shown, excluded.shown), after = 0`)
)

func (p *putting) writeFanOuts(ctx context.Context) error {
	for _, f := range p.fanOuts {
		st := insertFanOut
		if f.throughChannels {
			st = insertChannelFanOuts
		}
		if _, err := p.exec(ctx, st, f.target, f.position, int64(f.shown)); err != nil {
			return err
		}
	}
	return nil
}

var (
	selectFanOut = define(`SELECT target, shown, after FROM fan_outs ORDER BY position LIMIT 1`)
	selectFanned = define(`SELECT seq FROM video_links WHERE target = ? AND seq > ? ORDER BY seq LIMIT ?`)
	// Positions are given to the videos in the order of the list.
	logFanned = define(`
		INSERT INTO outbox (position, kind, id, deleted)
		SELECT ?1 + listed.key, 'video', v.id, 0
		FROM json_each(?2) AS listed CROSS JOIN videos AS v ON v.seq = listed.value`)
	bumpFanned = define(`
		UPDATE videos SET version = ?1 + listed.key, updated_at = IFNULL(?3, updated_at)
		FROM json_each(?2) AS listed WHERE videos.seq = listed.value`)
	advanceFanOut = define(`UPDATE fan_outs SET after = ? WHERE target = ?`)
	deleteFanOut  = define(`DELETE FROM fan_outs WHERE target = ?`)
	hasFanOut     = define(`SELECT EXISTS (SELECT 1 FROM fan_outs)`)
)

// FanOut implements store.Catalogue.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	err = c.write(ctx, func(s *session) error {
		t := &transaction{session: s, settings: c.settings}
		if err := t.readSequences(ctx); err != nil {
			return err
		}
		for left := max(1, limit); left > 0; {
			done, err := t.fanOut(ctx, left)
			if err != nil {
				return err
			}
			if done < 0 {
				break
			}
			left -= done
		}
		n, err := s.number(ctx, hasFanOut)
		more = n > 0
		return err
	})
	return more, err
}

// fanOut carries on the oldest job, by up to limit videos, and says with how many it did; a job
// without videos left is done with. -1: there was no job.
func (t *transaction) fanOut(ctx context.Context, limit int) (done int, err error) {
	var (
		found         bool
		target, after int64
		shown         catalogue.Shown
		seqs          []int64
	)
	err = t.query(ctx, selectFanOut, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&target, &shown, &after)
	})
	if err != nil || !found {
		return -1, err
	}
	err = t.query(ctx, selectFanned, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}, target, after, limit)
	if err != nil {
		return 0, err
	}
	if err := t.bump(ctx, seqs, shown); err != nil {
		return 0, err
	}
	if len(seqs) < limit {
		_, err = t.exec(ctx, deleteFanOut, target)
	} else {
		_, err = t.exec(ctx, advanceFanOut, seqs[len(seqs)-1], target)
	}
	return len(seqs), err
}

// bump gives videos a new version each and, where their documents change, a new time.
func (t *transaction) bump(ctx context.Context, seqs []int64, shown catalogue.Shown) error {
	if len(seqs) == 0 {
		return nil
	}
	var updated any
	if shown == catalogue.ShownInDocument {
		updated = micros(catalogue.Instant(t.now()))
	}
	list := jsonList(seqs)
	for _, step := range []struct {
		*statement
		args []any
	}{{logFanned, []any{t.position + 1, list}}, {bumpFanned, []any{t.position + 1, list, updated}}} {
		if _, err := t.exec(ctx, step.statement, step.args...); err != nil {
			return err
		}
	}
	t.position += int64(len(seqs))
	return nil
}
