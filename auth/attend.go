package auth

import (
	"context"
	"time"
)

const (
	// followEvery is how often the roll asks the store for changes: four tries within the second in
	// which a change must count.
	followEvery = 250 * time.Millisecond
	// sweepEvery is how often what has expired is forgotten, beside once at the start.
	sweepEvery = time.Hour
)

// attend follows the store and sweeps it until the context ends.
func (s *Service) attend(ctx context.Context) {
	follow, sweep := time.NewTicker(followEvery), time.NewTicker(sweepEvery)
	defer follow.Stop()
	defer sweep.Stop()
	s.sweep(ctx)
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-follow.C:
			failing = s.follow(ctx, failing)
		case <-sweep.C:
			s.sweep(ctx)
		}
	}
}

// follow renews the roster and returns whether the store fails. That is reported once when it begins and
// once when it ends; meanwhile the last roster goes on counting.
func (s *Service) follow(ctx context.Context, failing bool) bool {
	err := s.roll.refresh(ctx)
	switch {
	case ctx.Err() != nil: // closing
	case err != nil && !failing:
		s.config.Logger.Error("accounts and keys cannot be read; the last known ones still count", "error", err)
	case err == nil && failing:
		s.config.Logger.Info("accounts and keys can be read again")
	}
	return err != nil
}

// sweep forgets codes, refresh tokens, sessions and revocations that have expired, and keys that have
// signed nothing that still counts. What fails is made up for by the next, and so is what Config.MayForget puts off.
func (s *Service) sweep(ctx context.Context) {
	if !s.config.MayForget(ctx) {
		return
	}
	now := s.config.Clock()
	err := s.accounts.Sweep(ctx, now)
	if err == nil {
		err = dropRetiredKeys(ctx, s.config, now)
	}
	if err != nil && ctx.Err() == nil {
		s.config.Logger.Warn("what has expired could not be forgotten", "error", err)
	}
}
