// Package postgres implements the store on PostgreSQL, which several processes can share: the catalogue, the accounts,
// the events and the usage are in one database.
//
// The package needs PostgreSQL 14 or newer. It uses prepared statements and session settings, so a connection pooler
// must keep each client on one server connection.
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

// Database is one database with its connection pools, which the engines on it share. Closing the last engine closes the
// database. A Database is safe for concurrent use.
type Database struct {
	settings
	primary *pgxpool.Pool
	standby *standby // nil if there is no replica
	// endWatch ends the checks of the replica.
	endWatch context.CancelFunc
	appends  *appends
	counts   *counts

	reads *guard.Guard
	// catalogueWrites admits one write of the catalogue at a time; otherWrites admits all other writes.
	catalogueWrites, otherWrites writer

	// known is the highest catalogue position that this process knows.
	known atomic.Int64

	closing sync.Once
	closed  atomic.Bool
	mu      sync.Mutex
	engines int
}

// writer limits one kind of write: how many run at once, independently of all other calls.
type writer struct {
	*guard.Guard
	// wait is the longest time that a write waits for its turn, and then for a lock.
	wait  time.Duration
	turns chan struct{}
}

// idleLimit is how long a transaction may be idle before the server ends it. A process that hangs cannot block the
// writes of other processes for longer.
const idleLimit = time.Minute

// Open connects to the database that url names. The url is a connection string, postgres://USER:PASSWORD@HOST:PORT/NAME
// with the parameters of libpq (sslmode, sslrootcert, application_name, …), or libpq's list of keywords. The schema
// must exist (see Migrate). Errors describe the problem and never contain the password.
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

// start verifies that the server answers and that the schema is recent enough, and stores the built-in tiers.
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
	if d.standby == nil {
		return nil
	}
	if _, err := d.lineage(ctx); err != nil {
		return err
	}
	d.checkReplica(ctx)
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	d.endWatch = end
	go d.watchReplica(watching)
	return nil
}

// starting limits the time of calls at startup, which no guard protects, so that a server that hangs soon causes an
// error.
func (d *Database) starting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.connectTimeout+d.statementTimeout)
}

// share divides the connections among the kinds of calls, so that no kind can take the connections of another.
func (d *Database) share() {
	// The guards allow a second more than the server. The server gives up first and reports why; if the server hangs,
	// callers do not wait much longer.
	soon := d.statementTimeout + time.Second
	others := max(1, d.maxConnections/5)
	d.reads = d.guard("reads", d.maxConnections-1-others, soon)
	d.catalogueWrites = writer{d.guard("writes", 1, d.connectTimeout+d.patience+time.Second), d.patience, make(chan struct{}, 1)}
	d.otherWrites = writer{d.guard("other writes", others, soon), d.statementTimeout, make(chan struct{}, others)}
}

// guard returns the guard of one kind of calls.
func (s settings) guard(name string, concurrent int, timeout time.Duration) *guard.Guard {
	return guard.New(guard.Options{Engine: "the database (" + name + ")", Concurrent: concurrent, Timeout: timeout, Logger: s.logger})
}

// Ping returns an error if the database does not answer.
func (d *Database) Ping(ctx context.Context) error {
	return d.reading(ctx, func(ctx context.Context, s *session) error { return s.conn.Ping(ctx) })
}

// LeftAlone reports whether the database has failed and reads are currently not sent to it.
func (d *Database) LeftAlone() bool { return d.reads.Open() }

// Stats describes the use of the connections in a pool.
type Stats struct {
	// Max, InUse and Idle are numbers of connections.
	Max, InUse, Idle int
	// Waits counts the calls that had to wait for a connection; Waited is their total waiting time.
	Waits  int64
	Waited time.Duration
	// Opened counts the connections that the pool has made.
	Opened int64
}

// Stats returns the use of the connections to the database and to the replica. The Stats of the replica are zero if
// there is none.
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

// closeTime is how long Close waits. If a server hangs, the driver waits for longer than a process usually has to stop.
const closeTime = 5 * time.Second

// Close waits for the calls in progress and closes the connections. After five seconds it returns, and the remaining
// calls end in the background. Later calls fail. Close always returns nil, and calling it again does nothing.
func (d *Database) Close() error {
	d.closing.Do(func() {
		d.closed.Store(true)
		if d.endWatch != nil {
			d.endWatch()
		}
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

// engine is embedded in each engine on a database. Closing the last engine closes the database.
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

// Close releases the engine. Closing the last engine on a database closes the database.
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

// reading runs fn with a connection of the primary. It runs fn a second time if the connection turns out to be dead.
func (d *Database) reading(ctx context.Context, fn func(ctx context.Context, s *session) error) error {
	return d.calling(ctx, d.reads, func(ctx context.Context) error {
		return twice(func() error { return with(ctx, d.primary, fn) })
	})
}

// calling makes one call through a guard. The guard does not count errors that say nothing about the server's health.
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

// with runs fn with a connection of the pool.
func with(ctx context.Context, pool *pgxpool.Pool, fn func(ctx context.Context, s *session) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(ctx, newSession(conn))
}

// twice runs fn, and runs it again if it lost its connection; a restart of the server drops all of them. Running fn
// twice must do no harm.
func twice(fn func() error) error {
	err := fn()
	var unconnected *pgconn.ConnectError
	if err != nil && isLost(err) && !errors.As(err, &unconnected) {
		err = fn()
	}
	return err
}
