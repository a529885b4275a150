package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// WithoutSync turns off waiting for the disk. Tests that do not kill a process during a write need not wait.
func WithoutSync() Option { return func(s *settings) { s.synchronous = "OFF" } }

// WithGathering sets how many plays a recount gathers in one transaction.
func WithGathering(plays int64) Option { return func(s *settings) { s.gather = plays } }

// WithSegments sets how many events a segment of the index of persons covers.
func WithSegments(size int64) Option { return func(s *settings) { s.segment = size } }

// OpenUsageCells opens usage that stores neither plays nor the ledger. Queries that need no single plays have the same
// results, and a benchmark can count many more plays.
func OpenUsageCells(ctx context.Context, path string) (*Usage, error) {
	d, err := openUsage(ctx, path, nil)
	return sqlstore.NewUsage(cellsDatabase{d}, d.gather), err
}

type cellsDatabase struct{ usageDatabase }

// Count implements sqlstore.UsageDatabase.
func (d cellsDatabase) Count(ctx context.Context, fn func(ctx context.Context, tx sqlstore.CountsTx) error) error {
	return d.usageDatabase.Count(ctx, func(ctx context.Context, tx sqlstore.CountsTx) error { return fn(ctx, cellsTx{tx}) })
}

// cellsTx ignores blocks and sums.
type cellsTx struct{ sqlstore.CountsTx }

func (cellsTx) PutBlocks(context.Context, []usagelogic.Block) error { return nil }

func (cellsTx) AddSums(context.Context, []usage.Sum) error { return nil }
