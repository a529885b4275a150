package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Events is a store.Events in a PostgreSQL database. It reads everything from the primary. Events creates a partition
// for each month, so the database user must own the tables or be a member of the role that does.
type Events struct {
	engine
	*sqlstore.EventLog
}

var _ store.Events = (*Events)(nil)

// Events returns the event log of the database. Closing the last engine on a database closes the database.
func (d *Database) Events() *Events {
	e := &Events{engine: d.engine()}
	e.EventLog = sqlstore.NewEventLog(eventsDatabase{shared{engine: e.engine, reads: d.reading}, e}, d.segment)
	return e
}

// eventsDatabase implements sqlstore.EventsDatabase.
type eventsDatabase struct {
	shared
	events *Events
}

// HasEvent implements sqlstore.EventsDatabase.
func (d eventsDatabase) HasEvent(ctx context.Context, position event.Position) (bool, error) {
	found, _, err := d.events.readPiece(ctx, selectEvents, store.EventQuery{Dropped: math.MaxInt64}, position-1, position, 1)
	return len(found) > 0, err
}

// appends contains the connections that append events. Nothing else uses them: imports and readers cannot take them,
// and their failures do not affect other calls.
type appends struct {
	pool  *pgxpool.Pool
	guard *guard.Guard
	// limit is the longest time of one attempt on a connection.
	limit  time.Duration
	months months
}

// appendConnections is the number of connections that append events. Positions are assigned one transaction at a time,
// so while one transaction commits, the others send their events.
const appendConnections = 3

// openAppends opens the pool that appends events. The pool connects only when needed, because some commands never
// append an event.
func (s settings) openAppends(ctx context.Context, url string) (*appends, error) {
	pool, err := s.openOwn(ctx, url, appendConnections, map[string]time.Duration{
		// A client that hangs while it has the lock loses it before the others stop waiting. The others stop waiting
		// before the server cancels their statement, which would count as a failure of the server.
		"idle_in_transaction_session_timeout": s.statementTimeout * 2 / 5,
		"lock_timeout":                        s.statementTimeout * 4 / 5,
	})
	if err != nil {
		return nil, err
	}
	limit := s.statementTimeout + time.Second
	return &appends{pool: pool, limit: limit, guard: s.guard("events", appendConnections, s.connectTimeout+limit)}, nil
}
