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

// Propagator is the part of an Engine that fan-out needs.
type Propagator interface {
	// Job returns the oldest job and the sequences of up to limit of its next videos. found is false if there is no
	// job.
	Job(ctx context.Context, limit int) (job Job, videos []int64, found bool, err error)
	// Bump gives videos consecutive versions from first on, in their order, and adds their entries to the log. Unless
	// updated is nil, it becomes their time of update.
	Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error
	// Advance records that a job is done up to a sequence. End deletes the job.
	Advance(ctx context.Context, target, after int64) error
	End(ctx context.Context, target int64) error
	// HasJob reports whether there is a job.
	HasJob(ctx context.Context) (bool, error)
}

// Propagate implements FanOut of store.Catalogue within a transaction of the propagator. It advances last.
func Propagate(ctx context.Context, propagator Propagator, last *Last, now time.Time, limit int) (more bool, err error) {
	for left := max(1, limit); left > 0; {
		job, videos, found, err := propagator.Job(ctx, left)
		if err != nil {
			return false, err
		}
		if !found {
			break
		}
		if err := bump(ctx, propagator, job, videos, last, now); err != nil {
			return false, err
		}
		if len(videos) < left {
			err = propagator.End(ctx, job.Target)
		} else {
			err = propagator.Advance(ctx, job.Target, videos[len(videos)-1])
		}
		if err != nil {
			return false, err
		}
		left -= len(videos)
	}
	return propagator.HasJob(ctx)
}

// bump gives each video a new version and, if the videos' documents change, a new time of update.
func bump(ctx context.Context, propagator Propagator, job Job, videos []int64, last *Last, now time.Time) error {
	if len(videos) == 0 {
		return nil
	}
	var updated *time.Time
	if job.Shown == catalogue.ShownInDocument {
		at := catalogue.Instant(now)
		updated = &at
	}
	if err := propagator.Bump(ctx, videos, last.Position+1, updated); err != nil {
		return err
	}
	last.Position += store.Position(len(videos))
	return nil
}
