package postgres

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// shared implements sqlstore.Database. It reads everything from the primary.
type shared struct {
	engine
	domain domain // the tables that Size counts
	// reads runs fn with a connection for reading. It may run fn again.
	reads func(ctx context.Context, fn func(ctx context.Context, s *session) error) error
	// turn, unless nil, admits one write of this process at a time. Writes that would wait for one another in the
	// database wait here instead, so that they do not occupy connections that other calls need.
	turn *writer
}

var _ sqlstore.CatalogueDatabase = catalogueDatabase{}

// Accounts returns the accounts of the database. Closing the last engine on a database closes the database.
func (d *Database) Accounts() *sqlstore.Accounts {
	return sqlstore.NewAccounts(shared{engine: d.engine(), domain: accountsDomain, reads: d.reading})
}

// Collections returns the collections of the database. Closing the last engine on a database closes the database.
func (d *Database) Collections() *sqlstore.Collections {
	turn := &writer{wait: d.patience, turns: make(chan struct{}, 1)}
	return sqlstore.NewCollections(shared{engine: d.engine(), domain: collectionsDomain, reads: d.reading, turn: turn})
}

// SearchLog returns the search log of the database. It reads with the connections for usage queries, because reports
// may take long. Closing the last engine on a database closes the database.
func (d *Database) SearchLog() *sqlstore.SearchLog {
	return sqlstore.NewSearchLog(shared{engine: d.engine(), domain: searchLogDomain, reads: d.readingUsage})
}

// Jobs returns the jobs of the database. Closing the last engine on a database closes the database.
func (d *Database) Jobs() *sqlstore.Jobs {
	return sqlstore.NewJobs(shared{engine: d.engine(), domain: jobsDomain, reads: d.reading})
}

// sharedStatements maps the statements of package sqlstore to those of this package. A statement with no text for
// PostgreSQL has no entry.
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
		finish, err := d.turn.begin(ctx)
		if err != nil {
			return err
		}
		defer finish()
	}
	return d.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, last *pipeline) error {
		return fn(ctx, &conn{session: s, pending: last, writes: true})
	})
}

// catalogueDatabase implements sqlstore.CatalogueDatabase.
type catalogueDatabase struct{ shared }

// ReadLagging implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) ReadLagging(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.readLagging(ctx, func(p *pipeline) { gather(&conn{pending: p}) })
}

// ReadTogether implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) ReadTogether(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.readTogether(ctx, func(p *pipeline) { gather(&conn{pending: p}) })
}

// Change implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) Change(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn, head store.Position) error) error {
	return d.change(ctx, func(ctx context.Context, t *transaction) error {
		c := t.session.shared()
		if err := fn(ctx, c, t.Position); err != nil {
			return err
		}
		return c.Send(ctx)
	})
}

// Learn implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) Learn(position store.Position) { d.learn(position) }

// shared returns the sqlstore.Conn of a session with an open transaction that writes.
func (s *session) shared() *conn { return &conn{session: s, pending: &pipeline{}, writes: true} }

// Now implements sqlstore.Database.
func (d shared) Now() time.Time { return d.now() }

// conn implements sqlstore.Conn on a session. Statements whose result is not needed stay in pending until the next
// query or the commit.
type conn struct {
	session *session
	pending *pipeline
	writes  bool
}

// Query implements sqlstore.Conn.
func (c *conn) Query(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) error {
	if sharedStatements[st] == nil {
		return nil
	}
	c.Ask(ctx, st, row, args...)
	return c.Send(ctx)
}

// Ask implements sqlstore.Conn.
func (c *conn) Ask(_ context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) {
	if known := sharedStatements[st]; known != nil {
		c.pending.ask(known, func(rows pgx.Rows) error { return row(byteRow{rows}) }, asBytes(args)...)
	}
}

// Exec implements sqlstore.Conn.
func (c *conn) Exec(ctx context.Context, st *sqlstore.Statement, args ...any) (changed int64, err error) {
	known := sharedStatements[st]
	if known == nil {
		return 0, nil
	}
	c.pending.batch.Queue(c.pending.text(known), asBytes(args)...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	return changed, c.Send(ctx)
}

// Do implements sqlstore.Conn.
func (c *conn) Do(_ context.Context, st *sqlstore.Statement, args ...any) {
	if known := sharedStatements[st]; known != nil {
		c.pending.do(known, asBytes(args)...)
	}
}

// selectTime is a statement of its own, so that it returns the time after waiting for a lock.
var selectTime = define(`SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint`)

// SharedTime implements sqlstore.Conn. It returns the server's time.
func (c *conn) SharedTime(ctx context.Context) (time.Time, error) {
	var now int64
	c.pending.number(selectTime, &now)
	err := c.Send(ctx)
	return instant(now), err
}

// Send implements sqlstore.Conn.
func (c *conn) Send(ctx context.Context) error {
	err := c.session.run(ctx, c.pending)
	*c.pending = pipeline{recounting: c.pending.recounting}
	if c.writes {
		return storeError(ctx, err)
	}
	return err // the caller repeats a read on a lost connection
}

// Copy implements sqlstore.Copier.
func (c *conn) Copy(ctx context.Context, table string, columns []string, values []any) error {
	if err := c.Send(ctx); err != nil {
		return err
	}
	limited, cancel := c.session.limited(ctx)
	defer cancel()
	rows := slices.Collect(slices.Chunk(asBytes(values), len(columns)))
	_, err := c.session.conn.CopyFrom(limited, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	return storeError(ctx, err)
}

// asBytes converts texts to bytes, because the columns store texts as bytea, which accepts any byte.
func asBytes(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = []byte(arg)
		case sqlstore.List:
			args[i] = bytesOf(arg)
		case sqlstore.IDs:
			args[i] = idList(arg)
		}
	}
	return args
}

// byteRow scans texts from bytea columns.
type byteRow struct{ rows pgx.Rows }

// Scan implements sqlstore.Row.
func (r byteRow) Scan(targets ...any) error {
	for i, target := range targets {
		switch target := target.(type) {
		case *string:
			targets[i] = (*byteText)(target)
		case *sql.RawBytes:
			targets[i] = (*pgtype.DriverBytes)(target)
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
