package app

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// forgetEvery is the interval between deletions of old data: an address may outlive its limit by a tenth, at most by
// ten minutes.
func (c *EventSettings) forgetEvery() time.Duration {
	if c.KeepAddresses == 0 {
		return 10 * time.Minute
	}
	return min(10*time.Minute, max(time.Second, c.KeepAddresses/10))
}

// forgetOld deletes old data periodically until the context ends.
func (s *App) forgetOld(ctx context.Context) {
	s.regularly(ctx, s.usage.keeps.forgetEvery(), "old data cannot be deleted", &s.usage.retention, func(ctx context.Context) error {
		return s.forget(ctx, time.Now())
	})
}

// retryAfterOutage is the longest pause after a call that failed because an engine or the archive did not answer.
const retryAfterOutage = time.Minute

// regularly calls do at an interval until the context ends. It logs each error, and keeps the last one in failed; nil if
// the last call succeeded.
func (s *App) regularly(ctx context.Context, every time.Duration, warning string, failed *atomic.Pointer[error], do func(ctx context.Context) error) {
	var pause time.Duration
	for ok := true; ok; ok = background.Sleep(ctx, pause, nil) {
		err := do(ctx)
		pause = every
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.logger.Warn(warning, "error", err)
			failed.Store(&err)
			if fault.CodeOf(err) == fault.Unavailable || errors.Is(err, context.DeadlineExceeded) {
				pause = min(every, retryAfterOutage)
			}
		default:
			failed.Store(nil)
		}
	}
}

// forget deletes the data that the settings no longer keep at a time, unless the clock is not trusted.
func (s *App) forget(ctx context.Context, now time.Time) error {
	if !s.clock.MayDelete(ctx) {
		return nil
	}
	events, keeps := s.stores.Events, s.usage.keeps
	faults := []error{
		events.ForgetKeys(ctx, event.InstantOf(now.Add(-keeps.KeepIdempotencyKeys))),
		events.ForgetViewings(ctx, event.InstantOf(now)-event.ViewingLife),
		events.ForgetAddresses(ctx, event.InstantOf(now.Add(-keeps.KeepAddresses))),
		s.stores.Queries.ForgetBefore(ctx, catalogue.DateOf(now)+1-catalogue.Date(keeps.KeepQueries)), // today is one of the kept days
		s.forgetJobs(ctx, now),
	}
	if keeps.KeepEvents > 0 {
		kept := usage.MonthNumber(usage.MonthOf(event.InstantOf(now)).Number() - keeps.KeepEvents)
		faults = append(faults, s.dropBefore(ctx, kept))
	}
	return errors.Join(faults...)
}

// dropBefore drops the sealed months before kept from the log, and removes the persons of those months from the counts.
// A month is the month of receipt. Everything received before the end of a dropped month must be counted and sealed: a
// process with a wrong clock may have stored events of a month long after its seal.
func (s *App) dropBefore(ctx context.Context, kept usage.Month) error {
	seals, err := s.stores.Usage.Seals(ctx)
	if err != nil || len(seals) == 0 {
		return err
	}
	last := seals[len(seals)-1]
	if open := last.Month.Next(); open.Before(kept) {
		kept = open
	}
	// Usually the first event is too new to be dropped. Reading it is cheap; a search by time of receipt, which has no
	// index, is not.
	dropped, err := s.stores.Events.Dropped(ctx)
	if err != nil {
		return err
	}
	first, err := s.stores.Events.Read(ctx, store.EventQuery{Dropped: dropped}, 0, 1)
	if err != nil {
		return err
	}
	if len(first) == 0 || first[0].Received >= kept.Start() {
		return s.stores.Usage.ForgetPersons(ctx, kept)
	}
	unsealed, err := s.stores.Events.Read(ctx, store.EventQuery{To: kept.Start(), Dropped: dropped}, last.Position, 1)
	if err != nil || len(unsealed) > 0 {
		return err
	}
	if _, err = s.stores.Events.Drop(ctx, kept); err != nil {
		return err
	}
	return s.stores.Usage.ForgetPersons(ctx, kept)
}
