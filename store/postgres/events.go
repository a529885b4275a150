package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/store"
)

// Events is a store.Events in a database. All of it is read from the primary. The user of the database must
// own the tables, or be a member of the role that does: a partition is made for each month.
type Events struct{ engine }

var _ store.Events = (*Events)(nil)

// Events returns the event log in the database.
func (d *Database) Events() *Events { return &Events{d.engine()} }

// appends are the connections that add events, and nothing else uses them: neither imports nor readers take
// them away, and what they fail at is nobody else's failure.
type appends struct {
	pool  *pgxpool.Pool
	guard *guard.Guard
	// limit is how long one attempt may take on a connection.
	limit  time.Duration
	months months
}

// appendConnections is how many there are: positions are taken one after the other, so that one commits while
// the others bring their events.
const appendConnections = 3

// openAppends makes the connections when they are needed: a command may never add an event.
func (s settings) openAppends(ctx context.Context, url string) (*appends, error) {
	pool, err := s.openOwn(ctx, url, appendConnections, map[string]time.Duration{
		// Whoever holds the lock and hangs loses it before the others lose their patience, and they before the
		// server ends their statement, which would be its failure.
		"idle_in_transaction_session_timeout": s.statementTimeout * 2 / 5,
		"lock_timeout":                        s.statementTimeout * 4 / 5,
	})
	if err != nil {
		return nil, err
	}
	limit := s.statementTimeout + time.Second
	return &appends{pool: pool, limit: limit, guard: guard.New(guard.Options{
		Engine: "the database (events)", Concurrent: appendConnections, Timeout: s.connectTimeout + limit, Logger: s.logger,
	})}, nil
}

// openOwn is a pool of one kind of work's own, with limits of its own. What it commits has reached the disk.
func (s settings) openOwn(ctx context.Context, url string, connections int32, limits map[string]time.Duration) (*pgxpool.Pool, error) {
	config, err := s.configOf(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = connections, 0
	// What ends in a commit is not sent twice, so a connection that was lost is better found out before.
	config.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool {
		return params.IdleDuration > 100*time.Millisecond
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, flushCommits)
		return err
	}
	for name, limit := range limits {
		config.ConnConfig.RuntimeParams[name] = milliseconds(limit)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, startFault(ctx, err)
	}
	return pool, nil
}

// flushCommits makes each commit reach the disk before it is acknowledged, whatever the server, the database or
// the user are set to; what is stricter stays.
const flushCommits = `
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`

var selectEventHead = define(`SELECT position FROM event_head WHERE one`)

// Head implements store.Events.
func (e *Events) Head(ctx context.Context) (position event.Position, err error) {
	err = e.read(ctx, func(p *pipeline) { p.number(selectEventHead, &position) })
	if err != nil {
		return 0, err
	}
	return position, nil
}
