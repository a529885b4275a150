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

// Read implements sqlstore.Database.
func (d shared) Read(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.reads(ctx, func(ctx context.Context, s *session) error { return fn(ctx, s) })
}

// ReadSnapshot implements sqlstore.Database.
func (d shared) ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.reads(ctx, func(ctx context.Context, s *session) error {
		defer s.rollBack()
		s.pending.do(beginRead)
		return fn(ctx, s)
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
	return d.changing(ctx, func(ctx context.Context, s *session) error { return fn(ctx, s) })
}

// catalogueDatabase implements sqlstore.CatalogueDatabase.
type catalogueDatabase struct{ shared }

// ReadLagging implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) ReadLagging(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.readLagging(ctx, func(p *pipeline) { gather(&session{pending: p}) })
}

// ReadTogether implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) ReadTogether(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.readTogether(ctx, func(p *pipeline) { gather(&session{pending: p}) })
}

// Change implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) Change(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn, head store.Position) error) error {
	return d.change(ctx, func(ctx context.Context, t *transaction) error {
		return fn(ctx, t.session, t.Position)
	})
}

// Learn implements sqlstore.CatalogueDatabase.
func (d catalogueDatabase) Learn(position store.Position) { d.learn(position) }

// Now implements sqlstore.Database.
func (d shared) Now() time.Time { return d.now() }

// Query implements sqlstore.Conn.
func (s *session) Query(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) error {
	if st.PostgreSQL == "" {
		return nil
	}
	s.Ask(ctx, st, row, args...)
	return s.Send(ctx)
}

// Ask implements sqlstore.Conn.
func (s *session) Ask(_ context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) {
	if st.PostgreSQL != "" {
		s.pending.ask(st, func(rows pgx.Rows) error { return row(byteRow{rows}) }, asBytes(args)...)
	}
}

// Exec implements sqlstore.Conn.
func (s *session) Exec(ctx context.Context, st *sqlstore.Statement, args ...any) (changed int64, err error) {
	if st.PostgreSQL == "" {
		return 0, nil
	}
	s.pending.batch.Queue(s.pending.text(st), asBytes(args)...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	return changed, s.Send(ctx)
}

// Do implements sqlstore.Conn.
func (s *session) Do(_ context.Context, st *sqlstore.Statement, args ...any) {
	if st.PostgreSQL != "" {
		s.pending.do(st, asBytes(args)...)
	}
}

// selectTime is a statement of its own, so that it returns the time after waiting for a lock.
var selectTime = define(`SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint`)

// SharedTime implements sqlstore.Conn. It returns the server's time.
func (s *session) SharedTime(ctx context.Context) (time.Time, error) {
	var now int64
	s.pending.number(selectTime, &now)
	err := s.Send(ctx)
	return instant(now), err
}

// Send implements sqlstore.Conn.
func (s *session) Send(ctx context.Context) error {
	err := s.run(ctx, s.pending)
	*s.pending = pipeline{recounting: s.pending.recounting}
	return storeError(ctx, err)
}

// Copy implements sqlstore.Copier.
func (s *session) Copy(ctx context.Context, table string, columns []string, values []any) error {
	if err := s.Send(ctx); err != nil {
		return err
	}
	limited, cancel := s.limited(ctx)
	defer cancel()
	rows := slices.Collect(slices.Chunk(asBytes(values), len(columns)))
	_, err := s.conn.CopyFrom(limited, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
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
