package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// fanOut notes what is to be done where a thing changes.
func (p *putting) fanOut(number int64, before, after catalogue.Item) {
	if shown := catalogue.ShownBy(before, after); shown != catalogue.ShownNowhere {
		p.changes.FanOuts = append(p.changes.FanOuts, FanOut{
			Target: number, Position: after.Head().Version, Shown: shown,
			ThroughChannels: after.Kind() == catalogue.KindContract,
		})
	}
}

// Job is a change that is still to be carried to videos.
type Job struct {
	Target int64
	Shown  catalogue.Shown
	// After is the last sequence that has been done.
	After int64
}

// Propagator is an Engine as fan-out needs it.
type Propagator interface {
	// Job returns the oldest job with the sequences of up to limit videos that are next; false where
	// there is none.
	Job(ctx context.Context, limit int) (job Job, videos []int64, found bool, err error)
	// Bump gives videos the versions from first on, in their order, with entries in the log; and the
	// time updated, unless it is nil.
	Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error
	// Advance notes that a job is done up to a sequence, End that it is done.
	Advance(ctx context.Context, target, after int64) error
	End(ctx context.Context, target int64) error
	// HasJob reports whether there is any.
	HasJob(ctx context.Context) (bool, error)
}

// Propagate is the FanOut of store.Catalogue, within a transaction of the propagator. It moves last on.
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

// bump gives videos a new version each and, where their documents change, a new time.
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
