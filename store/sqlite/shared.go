package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// shared is a file as the database of package sqlstore.
type shared struct{ *database }

var _ sqlstore.CatalogueDatabase = shared{}

// sharedStatements contains the statements of package sqlstore, except those without SQL text for SQLite.
var sharedStatements = func() map[*sqlstore.Statement]*statement {
	statements := map[*sqlstore.Statement]*statement{}
	for _, st := range sqlstore.Statements() {
		if st.SQLite != "" {
			statements[st] = define(st.SQLite)
		}
	}
	return statements
}()

// Read implements sqlstore.Database.
func (d shared) Read(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.read(ctx, func(s *session) error { return d.run(ctx, s, fn) })
}

// ReadSnapshot implements sqlstore.Database.
func (d shared) ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error { return d.run(ctx, s, fn) })
	})
}

// ReadLagging implements sqlstore.CatalogueDatabase.
func (d shared) ReadLagging(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.Read(ctx, func(_ context.Context, c sqlstore.Conn) error { gather(c); return nil })
}

// ReadTogether implements sqlstore.CatalogueDatabase.
func (d shared) ReadTogether(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.ReadSnapshot(ctx, func(_ context.Context, c sqlstore.Conn) error { gather(c); return nil })
}

// Change implements sqlstore.CatalogueDatabase.
func (d shared) Change(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn, head store.Position) error) error {
	return d.write(ctx, func(s *session) error {
		head, err := s.number(ctx, selectHead)
		if err != nil {
			return err
		}
		return d.run(ctx, s, func(ctx context.Context, c sqlstore.Conn) error { return fn(ctx, c, head) })
	})
}

// Learn implements sqlstore.CatalogueDatabase.
func (shared) Learn(store.Position) {}

// Write implements sqlstore.Database. fn runs once.
func (d shared) Write(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.write(ctx, func(s *session) error { return d.run(ctx, s, fn) })
}

// Now implements sqlstore.Database.
func (d shared) Now() time.Time { return d.now() }

func (d shared) run(ctx context.Context, s *session, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	c := &conn{session: s, now: d.now}
	if err := fn(ctx, c); err != nil {
		return err
	}
	return c.failed
}

// conn is the sqlstore.Conn of a session.
type conn struct {
	session *session
	now     func() time.Time
	// failed is the first error of Do or Ask.
	failed error
}

// Query implements sqlstore.Conn.
func (c *conn) Query(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) error {
	known := sharedStatements[st]
	if known == nil || c.failed != nil {
		return c.failed
	}
	return c.session.query(ctx, known, func(rows *sql.Rows) error { return row(rows) }, withLists(args)...)
}

// Exec implements sqlstore.Conn.
func (c *conn) Exec(ctx context.Context, st *sqlstore.Statement, args ...any) (int64, error) {
	known := sharedStatements[st]
	if known == nil || c.failed != nil {
		return 0, c.failed
	}
	return c.session.exec(ctx, known, withLists(args)...)
}

// Do implements sqlstore.Conn.
func (c *conn) Do(ctx context.Context, st *sqlstore.Statement, args ...any) {
	_, c.failed = c.Exec(ctx, st, args...)
}

// Ask implements sqlstore.Conn.
func (c *conn) Ask(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) {
	c.failed = c.Query(ctx, st, row, args...)
}

// Send implements sqlstore.Conn.
func (c *conn) Send(context.Context) (err error) {
	err, c.failed = c.failed, nil
	return err
}

// SharedTime implements sqlstore.Conn. All processes that share the file run on one machine and share its clock.
func (c *conn) SharedTime(context.Context) (time.Time, error) { return c.now(), c.failed }

// withLists converts each list among the arguments to JSON for json_each.
func withLists(args []any) []any {
	for i, arg := range args {
		switch list := arg.(type) {
		case sqlstore.List:
			args[i] = jsonList(list)
		case sqlstore.IDs:
			args[i] = idList(list)
		case []int64:
			args[i] = jsonList(list)
		}
	}
	return args
}
