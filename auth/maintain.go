package auth

import (
	"context"
	"time"
)

const (
	// followEvery is the interval at which the roster store polls for changes: four attempts within the second in
	// which a change must take effect.
	followEvery = 250 * time.Millisecond
	// sweepEvery is the interval between sweeps; the first runs at start-up.
	sweepEvery = time.Hour
)

// maintain polls the store for changes and deletes expired entries until the context ends.
func (s *Service) maintain(ctx context.Context) {
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

// follow refreshes the roster and reports whether the store fails. It logs a failure once when it starts and once
// when it ends; meanwhile the last roster stays in force.
func (s *Service) follow(ctx context.Context, failing bool) bool {
	err := s.rosters.refresh(ctx)
	switch {
	case ctx.Err() != nil: // closing
	case err != nil && !failing:
		s.config.Logger.Error("accounts and keys cannot be read; the last known ones stay in force", "error", err)
	case err == nil && failing:
		s.config.Logger.Info("accounts and keys can be read again")
	}
	return err != nil
}

// sweep deletes expired codes, refresh tokens, sessions and revocations, and retired keys whose tokens have all
// expired. The next sweep repeats one that fails or that Config.MayForget postpones.
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
		s.config.Logger.Warn("expired entries could not be deleted", "error", err)
	}
}
