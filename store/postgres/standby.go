package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/internal/guard"
)

// standby is the replica that serves reads that may lag.
type standby struct {
	pool  *pgxpool.Pool
	guard *guard.Guard
	// salt is the primary's salt. A database with a different salt is not a replica of it.
	salt atomic.Pointer[string]
}

// openStandby opens the pool. The pool connects only when needed, because the replica may be unreachable.
func (s settings) openStandby(ctx context.Context) (*standby, error) {
	config, err := s.configOf(s.replica)
	if err != nil {
		return nil, err
	}
	config.MinConns = 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, startFault(ctx, err)
	}
	return &standby{pool: pool, guard: guard.New(guard.Options{
		// Reads do not wait long for the replica, because the primary can answer instead.
		Engine: "the database's replica", Concurrent: s.maxConnections, Timeout: s.connectTimeout, Logger: s.logger,
	})}, nil
}

var selectReached = define(`SELECT position FROM head WHERE salt = $1`)

var errNoReplica = errors.New("it holds no copy of this database")

// introduce logs a warning if the replica cannot serve reads. Otherwise nobody would notice, because reads use the
// primary then.
func (s *standby) introduce(ctx context.Context, logger *slog.Logger) {
	salt := s.salt.Load()
	if salt == nil {
		return
	}
	err := with(ctx, s.pool, func(ctx context.Context, session *session) error {
		p, isCopy := &pipeline{}, false
		p.ask(selectReached, func(pgx.Rows) error { isCopy = true; return nil }, *salt)
		if err := session.run(ctx, p); err != nil || isCopy {
			return err
		}
		return errNoReplica
	})
	if errors.Is(err, errNoReplica) {
		logger.WarnContext(ctx, "the replica is not used", "error", err)
	} else if err != nil {
		logger.WarnContext(ctx, "the replica is not used until it answers", "error", startFault(ctx, err))
	}
}

// read reads from the replica. It reports whether the result is valid: the replica had reached the position before it
// answered.
func (s *standby) read(ctx context.Context, position int64, gather func(p *pipeline)) (counts bool) {
	salt := s.salt.Load()
	if salt == nil {
		return false
	}
	err := s.guard.Do(ctx, func(ctx context.Context) error {
		return with(ctx, s.pool, func(ctx context.Context, session *session) error {
			p := &pipeline{}
			p.ask(selectReached, func(rows pgx.Rows) error {
				var reached int64
				err := rows.Scan(&reached)
				counts = reached >= position
				return err
			}, *salt)
			gather(p)
			return session.run(ctx, p)
		})
	})
	return counts && err == nil
}

// read runs the statements that gather adds. A single statement sees one snapshot of the database; several may not.
func (d *Database) read(ctx context.Context, gather func(p *pipeline)) error {
	return d.reading(ctx, func(ctx context.Context, s *session) error {
		p := &pipeline{}
		gather(p)
		return s.run(ctx, p)
	})
}

// readTogether is like read, for several statements that must see the same snapshot.
func (d *Database) readTogether(ctx context.Context, gather func(p *pipeline)) error {
	return d.read(ctx, func(p *pipeline) {
		p.do(beginRead)
		gather(p)
		p.do(commit)
	})
}

// readLagging is like read, for reads that the replica may serve.
func (d *Database) readLagging(ctx context.Context, gather func(p *pipeline)) error {
	if d.standby != nil && d.standby.read(ctx, d.known.Load(), gather) {
		return nil
	}
	return d.read(ctx, gather)
}

// learn records a position that the catalogue has reached. Later reads of this process see at least this position.
func (d *Database) learn(position int64) {
	for {
		known := d.known.Load()
		if position <= known || d.known.CompareAndSwap(known, position) {
			return
		}
	}
}
