// Package postgres is the store on PostgreSQL, where several processes serve: catalogue, accounts, events
// and use in one database. It needs PostgreSQL 14 or newer. A pooler between the two must keep a client on its
// connection: prepared statements and settings of the session are used.
package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Database is one database with its connections. The engines on it share them.
type Database struct {
	settings
	primary *pgxpool.Pool
	standby *standby // nil: there is none
	appends *appends
	counts  *counts

	reads *guard.Guard
	// The one write of the catalogue at a time, and the other writes.
	catalogueWrites, otherWrites writer

	// known is the highest position that this process knows of.
	known atomic.Int64

	closing sync.Once
	closed  atomic.Bool
	mu      sync.Mutex
	engines int
}

// writer bounds one kind of writes: how many run at once, apart from all others.
type writer struct {
	*guard.Guard
	// wait is how long one waits for its turn, and then for a lock.
	wait  time.Duration
	turns chan struct{}
}

// idleLimit is how long a transaction may stand still before the server ends it. A process that hangs
// must not keep others from writing for longer.
const idleLimit = time.Minute

// Open connects to the database that a connection string names: postgres://USER:PASSWORD@HOST:PORT/NAME
// with the parameters of libpq (sslmode, sslrootcert, application_name, …), or its keywords. The schema
// must be there (Migrate). An error says what is wrong, without the password.
func Open(ctx context.Context, url string, options ...Option) (*Database, error) {
	s := settingsOf(options)
	config, err := s.configOf(url)
	if err != nil {
		return nil, err
	}
	d := &Database{settings: s}
	if d.primary, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, startFault(ctx, err)
	}
	if err := d.openOthers(ctx, url); err != nil {
		_ = d.Close()
		return nil, err
	}
	d.share()
	if err := d.start(ctx); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// start makes sure that the database serves this program.
func (d *Database) start(ctx context.Context) error {
	limited, cancel := d.starting(ctx)
	defer cancel()
	if err := d.primary.Ping(limited); err != nil {
		return startFault(ctx, err)
	}
	if err := d.checkSchema(ctx); err != nil {
		return err
	}
	if _, err := d.head(ctx); err != nil {
		return err
	}
	if err := sqlstore.NewAccounts(shared{engine: engine{Database: d}, reads: d.reading}).PutBuiltInTiers(ctx); err != nil {
		return err
	}
	if d.standby != nil {
		d.standby.introduce(limited, d.logger)
	}
	return nil
}

// starting bounds what is asked at the start, by no guard: a server that hangs is an error soon.
func (d *Database) starting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.connectTimeout+d.statementTimeout)
}

// share divides the connections, so that no kind of calls keeps another from its own.
func (d *Database) share() {
	// The server gives up first, and says why; where it hangs, nobody waits for long.
	soon := d.statementTimeout + time.Second
	one := func(name string, concurrent int, timeout time.Duration) *guard.Guard {
		return guard.New(guard.Options{Engine: "the database (" + name + ")", Concurrent: concurrent, Timeout: timeout, Logger: d.logger})
	}
	others := max(1, d.maxConnections/5)
	d.reads = one("reads", d.maxConnections-1-others, soon)
	d.catalogueWrites = writer{one("writes", 1, d.connectTimeout+d.patience+time.Second), d.patience, make(chan struct{}, 1)}
	d.otherWrites = writer{one("other writes", others, soon), d.statementTimeout, make(chan struct{}, others)}
}

// Ping asks the database for an answer.
func (d *Database) Ping(ctx context.Context) error {
	return d.reading(ctx, func(ctx context.Context, s *session) error { return s.conn.Ping(ctx) })
}

// LeftAlone reports whether the database failed, and is not asked for what is read just now.
func (d *Database) LeftAlone() bool { return d.reads.Open() }

// Stats tells how the connections to the database are used.
type Stats struct {
	// Max, InUse and Idle count connections.
	Max, InUse, Idle int
	// Waits counts how often a call had to wait for a connection, Waited for how long in all.
	Waits  int64
	Waited time.Duration
	// Opened counts the connections that were made.
	Opened int64
}

// Stats returns the use of the database's connections, and of the replica's, zero where there is none.
func (d *Database) Stats() (primary, replica Stats) {
	primary = statsOf(d.primary)
	if d.standby != nil {
		replica = statsOf(d.standby.pool)
	}
	return primary, replica
}

func statsOf(pool *pgxpool.Pool) Stats {
	s := pool.Stat()
	return Stats{
		Max: int(s.MaxConns()), InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()),
		Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(), Opened: s.NewConnsCount(),
	}
}

// closeTime is how long Close waits. The driver would wait for a server that hangs for longer than whoever
// stops a process does.
const closeTime = 5 * time.Second

// Close waits for the calls that are under way and closes the connections; what has not ended after five
// seconds goes on behind its back. Calls that come later fail.
func (d *Database) Close() error {
	d.closing.Do(func() {
		d.closed.Store(true)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for _, pool := range d.pools() {
				pool.Close()
			}
		}()
		select {
		case <-ended:
		case <-time.After(closeTime):
			d.logger.Warn("connections to the database do not end, they are left")
		}
	})
	return nil
}

// engine is what the engines on a database have in common: the last one that is closed closes it.
type engine struct {
	*Database
	once *sync.Once
}

func (d *Database) engine() engine {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.engines++
	return engine{d, &sync.Once{}}
}

// Close gives the engine up. The database is closed with the last engine on it.
func (e engine) Close() (err error) {
	e.once.Do(func() {
		e.mu.Lock()
		e.engines--
		last := e.engines == 0
		e.mu.Unlock()
		if last {
			err = e.Database.Close()
		}
	})
	return err
}

// reading runs fn with a connection of its own; once more where the connection turns out to be a dead
// one.
func (d *Database) reading(ctx context.Context, fn func(ctx context.Context, s *session) error) error {
	return d.calling(ctx, d.reads, func(ctx context.Context) error {
		return twice(func() error { return with(ctx, d.primary, fn) })
	})
}

// calling makes one guarded call. An error that says nothing of the server's health is none to the guard.
func (d *Database) calling(ctx context.Context, by *guard.Guard, fn func(ctx context.Context) error) error {
	if d.closed.Load() {
		return errClosed
	}
	var harmless error
	err := by.Do(ctx, func(limited context.Context) error {
		err := storeError(ctx, fn(limited))
		if ctx.Err() != nil || (fault.CodeOf(err) == fault.Unavailable && !isLocked(err)) {
			return err
		}
		harmless = err
		return nil
	})
	if err != nil {
		return err
	}
	return harmless
}

// with runs fn with a connection of a pool.
func with(ctx context.Context, pool *pgxpool.Pool, fn func(ctx context.Context, s *session) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(ctx, &session{conn: conn})
}

// twice repeats what failed because a connection was lost, as all are when the server starts again. What
// it runs must do no harm the second time.
func twice(fn func() error) error {
	err := fn()
	var unconnected *pgconn.ConnectError
	if err != nil && isLost(err) && !errors.As(err, &unconnected) {
		err = fn()
	}
	return err
}
