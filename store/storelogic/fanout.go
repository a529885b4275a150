package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// fanOut adds a FanOut if videos show the changed parts of an item.
func (p *putting) fanOut(number int64, before, after catalogue.Item) {
	if shown := catalogue.ShownBy(before, after); shown != catalogue.ShownNowhere {
		p.changes.FanOuts = append(p.changes.FanOuts, FanOut{
			Target: number, Position: after.Head().Version, Shown: shown,
			ThroughChannels: after.Kind() == catalogue.KindContract,
		})
	}
}

// Job is a change that must still be propagated to videos.
type Job struct {
	Target int64
	Shown  catalogue.Shown
	// After is the last sequence that is done.
	After int64
}

// Propagate implements FanOut of store.Catalogue within a transaction of the engine. It advances last.
func Propagate(ctx context.Context, engine Engine, last *Last, now time.Time, limit int) (more bool, err error) {
	for left := max(1, limit); left > 0; {
		job, videos, found, err := engine.Job(ctx, left)
		if err != nil {
			return false, err
		}
		if !found {
			break
		}
		if err := bump(ctx, engine, job, videos, last, now); err != nil {
			return false, err
		}
		if len(videos) < left {
			err = engine.End(ctx, job.Target)
		} else {
			err = engine.Advance(ctx, job.Target, videos[len(videos)-1])
		}
		if err != nil {
			return false, err
		}
		left -= len(videos)
	}
	return engine.HasJob(ctx)
}

// bump gives each video a new version and, if the videos' documents change, a new time of update.
func bump(ctx context.Context, engine Engine, job Job, videos []int64, last *Last, now time.Time) error {
	if len(videos) == 0 {
		return nil
	}
	var updated *time.Time
	if job.Shown == catalogue.ShownInDocument {
		at := catalogue.Instant(now)
		updated = &at
	}
	if err := engine.Bump(ctx, videos, last.Position+1, updated); err != nil {
		return err
	}
	last.Position += store.Position(len(videos))
	return nil
}
