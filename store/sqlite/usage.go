package sqlite

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Usage is a store.Usage in one SQLite file.
type Usage = sqlstore.Usage

// OpenUsage opens the usage counts in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenUsage(ctx context.Context, path string, options ...Option) (*Usage, error) {
	d, err := openUsage(ctx, path, options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewUsage(d, d.gather), nil
}

func openUsage(ctx context.Context, path string, options []Option) (usageDatabase, error) {
	d, err := open(ctx, path, "usage", slices.Concat(options, []Option{overwriting("FAST")}))
	return usageDatabase{shared{d}}, err
}

// usageDatabase implements sqlstore.UsageDatabase.
type usageDatabase struct{ shared }

var _ sqlstore.UsageDatabase = usageDatabase{}

// counts implements sqlstore.CountsTx, and thus sqlstore.Counts, in one transaction.
type counts struct {
	*session
	sqlstore.CountsConn
}

func countsOf(s *session) *counts { return &counts{s, sqlstore.CountsConn{Conn: s}} }

// Snapshot implements sqlstore.UsageDatabase.
func (d usageDatabase) Snapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Counts) error) error {
	return d.readSnapshot(ctx, func(s *session) error { return fn(ctx, countsOf(s)) })
}

// Count implements sqlstore.UsageDatabase.
func (d usageDatabase) Count(ctx context.Context, fn func(ctx context.Context, tx sqlstore.CountsTx) error) error {
	return d.write(ctx, func(s *session) error { return fn(ctx, countsOf(s)) })
}
