package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// WithoutSync turns off waiting for the disk. Tests that do not kill a process during a write need not wait.
func WithoutSync() Option { return func(s *settings) { s.synchronous = "OFF" } }

// WithGathering sets how many plays a recount gathers in one transaction.
func WithGathering(plays int64) Option { return func(s *settings) { s.gather = plays } }

// WithSegments sets how many events a segment of the index of persons covers.
func WithSegments(size int64) Option { return func(s *settings) { s.segment = size } }

// ApplyCells counts plays like Apply, but stores neither the plays nor the ledger. Queries that need no single plays have
// the same results, and a benchmark can count many more plays.
func (u *Usage) ApplyCells(ctx context.Context, to usage.Progress, plays []usage.Play) error {
	return u.write(ctx, func(s *session) error {
		known := usagelogic.Dictionary{}
		if err := s.learn(ctx, known, usagelogic.Terms(plays)); err != nil {
			return err
		}
		if err := s.learn(ctx, known, usagelogic.Users(plays, known)); err != nil {
			return err
		}
		if err := s.AddCells(ctx, usagelogic.Gather(usagelogic.Translate(plays, known, nil))); err != nil {
			return err
		}
		_, err := s.exec(ctx, moveProgress, to.Position, int64(to.AsOf))
		return err
	})
}
