package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage is a store.Usage in a PostgreSQL database. It reads everything from the primary.
type Usage struct {
	engine
	// recounted contains the numbers of terms that a recount has used.
	recounted usagelogic.Numbers
}

var _ store.Usage = (*Usage)(nil)

// Usage returns the counts of plays and the billing statements of the database. Closing the last engine on a database
// closes the database.
func (d *Database) Usage() *Usage { return &Usage{engine: d.engine()} }

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
)

// openCounts opens the pool. The pool connects only when needed.
func (s settings) openCounts(ctx context.Context, url string) (*counts, error) {
	pool, err := s.openOwn(ctx, url, countConnections, map[string]time.Duration{"statement_timeout": countTime})
	if err != nil {
		return nil, err
	}
	one := func(name string, concurrent int, timeout time.Duration) *guard.Guard {
		return guard.New(guard.Options{Engine: "the database (" + name + ")", Concurrent: concurrent, Timeout: timeout, Logger: s.logger})
	}
	return &counts{
		pool:   pool,
		reads:  one("usage", countConnections-1, countTime+time.Second),
		writes: writer{one("counting", 1, s.connectTimeout+s.patience+time.Second), s.patience, make(chan struct{}, 1)},
	}, nil
}

// lockProgress is the first statement of each writing transaction, so that such transactions run one at a time.
var (
	lockProgress   = define(`SELECT position, as_of FROM usage_progress WHERE one FOR UPDATE`)
	selectProgress = define(`SELECT position, as_of FROM usage_progress WHERE one`)
	updateProgress = define(`UPDATE usage_progress SET position = $1, as_of = $2 WHERE one`)
)

func scanProgress(rows pgx.Rows, progress *usage.Progress) error {
	return rows.Scan(&progress.Position, (*int64)(&progress.AsOf))
}

// Progress implements store.Usage.
func (u *Usage) Progress(ctx context.Context) (progress usage.Progress, err error) {
	err = u.read(ctx, func(p *pipeline) {
		p.ask(selectProgress, func(rows pgx.Rows) error { return scanProgress(rows, &progress) })
	})
	if err != nil {
		return usage.Progress{}, err
	}
	return progress, nil
}

// counting runs fn in a transaction that blocks other writers of the counts, and commits it with the statements that fn
// adds to last. It may run fn again.
func (u *Usage) counting(ctx context.Context, fn func(ctx context.Context, c *count, last *pipeline) error) error {
	leave, err := u.counts.writes.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return repeat(attempts, func() error {
		c := &count{}
		err := u.calling(ctx, u.counts.writes.Guard, func(ctx context.Context) error {
			return twice(func() (err error) {
				c.session, err = open(ctx, u.counts.pool, u.counts.writes.wait, countTime, func(p *pipeline) {
					p.ask(lockProgress, func(rows pgx.Rows) error { return scanProgress(rows, &c.progress) })
				})
				return err
			})
		})
		if err != nil {
			return err
		}
		defer c.end()
		last := &pipeline{}
		if err := fn(ctx, c, last); err != nil {
			return err
		}
		return c.commit(ctx, last)
	})
}

// count is an open transaction that writes the counts. It has the lock on the progress.
type count struct {
	*session
	progress usage.Progress
}

// Table implements store.Usage.
func (u *Usage) Table(ctx context.Context, query usage.Query) (table usage.Table, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		table, err = usagelogic.Table(ctx, s, query)
		return err
	})
	if err != nil {
		return usage.Table{}, err
	}
	return table, nil
}

// Curve implements store.Usage.
func (u *Usage) Curve(ctx context.Context, query usage.CurveQuery) (curve usage.Curve, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		curve, err = usagelogic.Curve(ctx, s, query)
		return err
	})
	if err != nil {
		return usage.Curve{}, err
	}
	return curve, nil
}

// Lists implements store.Usage.
func (u *Usage) Lists(ctx context.Context, weigh func(video string) usage.Weight) (lists []usage.List, progress usage.Progress, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		lists, progress, err = usagelogic.Lists(ctx, s, weigh)
		return err
	})
	if err != nil {
		return nil, usage.Progress{}, err
	}
	return lists, progress, nil
}

// lockForRead precedes the snapshot, so that the tables do not change after it (lockForChange).
var lockForRead = define(`LOCK TABLE ONLY usage_blocks, ONLY usage_cells IN ACCESS SHARE MODE`)

// asking runs fn on one snapshot of the counts.
func (u *Usage) asking(ctx context.Context, fn func(ctx context.Context, s *source) error) error {
	return u.readingUsage(ctx, func(ctx context.Context, s *session) error {
		defer s.rollBack()
		p := &pipeline{}
		p.do(beginRead)
		p.do(lockForRead)
		if err := s.run(ctx, p); err != nil {
			return err
		}
		return fn(ctx, &source{s})
	})
}

// readingUsage is like reading, with a connection for queries that may take long.
func (d *Database) readingUsage(ctx context.Context, fn func(ctx context.Context, s *session) error) error {
	return d.calling(ctx, d.counts.reads, func(ctx context.Context) error {
		return twice(func() error { return with(ctx, d.counts.pool, fn) })
	})
}
