package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage is a store.Usage in a PostgreSQL database. It reads everything from the primary.
type Usage = sqlstore.Usage

// Usage returns the counts of plays and the billing statements of the database. Closing the last engine on a database
// closes the database.
func (d *Database) Usage() *Usage {
	return sqlstore.NewUsage(usageDatabase{shared{engine: d.engine(), domain: usageDomain, reads: d.reading}}, d.gather)
}

// usageDatabase implements sqlstore.UsageDatabase.
type usageDatabase struct{ shared }

var _ sqlstore.UsageDatabase = usageDatabase{}

// counts contains the connections that count usage and answer queries about it. Both may take long, so they have their
// own connections and guards: the catalogue's readers and appends neither wait behind them nor fail with them.
type counts struct {
	pool   *pgxpool.Pool
	reads  *guard.Guard
	writes writer
}

const (
	// countConnections is the number of these connections, one of which writes.
	countConnections = 4
	// countTime is the time limit of one statement. A query about all accounts and years scans all plays.
	countTime = time.Minute
	// snapshotTime is the time limit of all statements of a snapshot together. The verification reads every play in one,
	// and requests have limits of their own.
	snapshotTime = 24 * time.Hour
)

// openCounts opens the pool. The pool connects only when needed.
func (s settings) openCounts(ctx context.Context, url string) (*counts, error) {
	pool, err := s.openOwn(ctx, url, countConnections, map[string]time.Duration{"statement_timeout": countTime})
	if err != nil {
		return nil, err
	}
	return &counts{
		pool:   pool,
		reads:  s.guard("usage", countConnections-1, countTime+time.Second),
		writes: writer{s.guard("counting", 1, s.connectTimeout+s.patience+time.Second), s.patience, make(chan struct{}, 1)},
	}, nil
}

// lockProgress is the first statement of each writing transaction, so that such transactions run one at a time.
var lockProgress = define(`SELECT position, as_of FROM usage_progress WHERE one FOR UPDATE`)

// Count implements sqlstore.UsageDatabase.
func (d usageDatabase) Count(ctx context.Context, fn func(ctx context.Context, tx sqlstore.CountsTx) error) error {
	return d.counting(ctx, func(ctx context.Context, c *count) error { return fn(ctx, c) })
}

// Write implements sqlstore.Database.
func (d usageDatabase) Write(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.counting(ctx, func(ctx context.Context, c *count) error { return fn(ctx, c) })
}

// counting runs fn in a transaction that blocks other writers of the counts, and commits it with the last statements of
// fn. It may run fn again.
func (d usageDatabase) counting(ctx context.Context, fn func(ctx context.Context, c *count) error) error {
	finish, err := d.counts.writes.begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	return repeat(attempts, func() error {
		c := &count{}
		err := d.calling(ctx, d.counts.writes.Guard, func(ctx context.Context) error {
			return twice(func() (err error) {
				c.session, err = open(ctx, d.counts.pool, d.counts.writes.wait, countTime, func(p *pipeline) {
					p.ask(lockProgress, func(rows pgx.Rows) error {
						return rows.Scan(&c.progress.Position, (*int64)(&c.progress.AsOf))
					})
				})
				return err
			})
		})
		if err != nil {
			return err
		}
		defer c.end()
		c.Conn = c.session
		if err := fn(ctx, c); err != nil {
			return err
		}
		return c.commit(ctx)
	})
}

// count implements sqlstore.CountsTx. It has the lock on the progress.
type count struct {
	source
	progress usage.Progress
}

// Progress implements usagelogic.Source.
func (c *count) Progress(context.Context) (usage.Progress, error) { return c.progress, nil }

// lockForRead precedes the snapshot, so that the tables do not change after it (lockForChange).
var lockForRead = define(`LOCK TABLE ONLY usage_blocks, ONLY usage_cells IN ACCESS SHARE MODE`)

// Snapshot implements sqlstore.UsageDatabase.
func (d usageDatabase) Snapshot(ctx context.Context, fn func(ctx context.Context, counts sqlstore.Counts) error) error {
	return d.readingUsage(ctx, func(ctx context.Context, s *session) error {
		defer s.rollBack()
		s.pending.do(beginRead)
		s.pending.do(lockForRead)
		if err := s.Send(ctx); err != nil {
			return err
		}
		return fn(ctx, &source{s, sqlstore.CountsConn{Conn: s}})
	})
}

// readingUsage is like reading, with a connection for queries that may take long.
func (d *Database) readingUsage(ctx context.Context, fn func(ctx context.Context, s *session) error) error {
	return d.calling(ctx, d.counts.reads.Within(snapshotTime), func(ctx context.Context) error {
		return twice(func() error {
			return with(ctx, d.counts.pool, func(ctx context.Context, s *session) error {
				s.limit = countTime + time.Second
				return fn(ctx, s)
			})
		})
	})
}
