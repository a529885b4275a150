package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// shared makes a database that of the ports that package sqlstore implements. Everything is read from the primary.
type shared struct {
	engine
	// reads runs fn with a connection that reads. fn may run again.
	reads func(ctx context.Context, fn func(ctx context.Context, s *session) error) error
	// turn, unless nil, admits one write of this process at a time. Writes that would wait for one another in the database
	// wait here instead, and not on connections that others need.
	turn *writer
}

var _ sqlstore.Database = shared{}

// Accounts returns the accounts in the database.
func (d *Database) Accounts() *sqlstore.Accounts {
	return sqlstore.NewAccounts(shared{engine: d.engine(), reads: d.reading})
}

// Collections returns the collections in the database.
func (d *Database) Collections() *sqlstore.Collections {
	turn := &writer{wait: d.patience, turns: make(chan struct{}, 1)}
	return sqlstore.NewCollections(shared{engine: d.engine(), reads: d.reading, turn: turn})
}

// SearchLog returns the search log in the database. The connections that answer questions about usage read it, because
// reports may take long.
func (d *Database) SearchLog() *sqlstore.SearchLog {
	return sqlstore.NewSearchLog(shared{engine: d.engine(), reads: d.readingUsage})
}

// sharedStatements are those of package sqlstore. An empty text has none.
var sharedStatements = func() map[*sqlstore.Statement]*statement {
	statements := map[*sqlstore.Statement]*statement{}
	for _, st := range sqlstore.Statements() {
		if st.PostgreSQL != "" {
			statements[st] = define(st.PostgreSQL)
		}
	}
	return statements
}()

// Read implements sqlstore.Database.
func (d shared) Read(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.reads(ctx, func(ctx context.Context, s *session) error {
		return fn(ctx, &conn{session: s, pending: &pipeline{}})
	})
}

// ReadSnapshot implements sqlstore.Database.
func (d shared) ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.reads(ctx, func(ctx context.Context, s *session) error {
		c := &conn{session: s, pending: &pipeline{}}
		defer s.rollBack()
		c.pending.do(beginRead)
		return fn(ctx, c)
	})
}

// Write implements sqlstore.Database.
func (d shared) Write(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	if d.turn != nil {
		leave, err := d.turn.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return d.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, last *pipeline) error {
		return fn(ctx, &conn{session: s, pending: last, writes: true})
	})
}

// Now implements sqlstore.Database.
func (d shared) Now() time.Time { return d.now() }

// conn is the sqlstore.Conn of a session. Statements whose result does not matter wait in pending for the next one, or
// for the commit.
type conn struct {
	session *session
	pending *pipeline
	writes  bool
}

// Query implements sqlstore.Conn.
func (c *conn) Query(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) error {
	known := sharedStatements[st]
	if known == nil {
		return nil
	}
	c.pending.ask(known, func(rows pgx.Rows) error { return row(byteRow{rows}) }, asBytes(args)...)
	return c.send(ctx)
}

// Exec implements sqlstore.Conn.
func (c *conn) Exec(ctx context.Context, st *sqlstore.Statement, args ...any) (changed int64, err error) {
	known := sharedStatements[st]
	if known == nil {
		return 0, nil
	}
	c.pending.batch.Queue(known.text, asBytes(args)...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	return changed, c.send(ctx)
}

// Do implements sqlstore.Conn.
func (c *conn) Do(_ context.Context, st *sqlstore.Statement, args ...any) {
	if known := sharedStatements[st]; known != nil {
		c.pending.do(known, asBytes(args)...)
	}
}

// selectTime is a statement of its own, so that it returns the time after waiting for a lock.
var selectTime = define(`SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint`)

// SharedTime implements sqlstore.Conn. It is the server's time.
func (c *conn) SharedTime(ctx context.Context) (time.Time, error) {
	var now int64
	c.pending.number(selectTime, &now)
	err := c.send(ctx)
	return instant(now), err
}

// send runs what is pending.
func (c *conn) send(ctx context.Context) error {
	err := c.session.run(ctx, c.pending)
	*c.pending = pipeline{}
	if c.writes {
		return storeError(ctx, err)
	}
	return err // the caller repeats a read on a lost connection
}

// asBytes turns texts into bytes: columns hold texts as bytea, which may hold any byte.
func asBytes(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = []byte(arg)
		case sqlstore.List:
			args[i] = bytesOf(arg)
		}
	}
	return args
}

// byteRow reads texts from columns that hold bytes.
type byteRow struct{ rows pgx.Rows }

// Scan implements sqlstore.Row.
func (r byteRow) Scan(targets ...any) error {
	for i, target := range targets {
		if text, ok := target.(*string); ok {
			targets[i] = (*byteText)(text)
		}
	}
	return r.rows.Scan(targets...)
}

type byteText string

// ScanBytes implements pgtype.BytesScanner.
func (t *byteText) ScanBytes(bytes []byte) error {
	*t = byteText(bytes)
	return nil
}
