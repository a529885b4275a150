package postgres

import (
	"context"
	"time"

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

var selectEventHead = define(`SELECT position FROM event_head WHERE one`)

// Head implements store.Events.
func (e *Events) Head(ctx context.Context) (position event.Position, err error) {
	err = e.read(ctx, func(p *pipeline) { p.number(selectEventHead, &position) })
	if err != nil {
		return 0, err
	}
	return position, nil
}
