package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// define defines a statement of this engine. It is one of sqlstore.Statements, so that the query-plan test covers it.
func define(text string) *sqlstore.Statement { return sqlstore.DefinePer(text, "") }

var (
	beginRead  = define(`BEGIN DEFERRED`)
	beginWrite = define(`BEGIN IMMEDIATE`)
	commit     = define(`COMMIT`)
	rollback   = define(`ROLLBACK`)
)

// session is one connection with its prepared statements. It implements sqlstore.Conn. One goroutine uses it at a time.
//
// Statements run with a context that does not end, because the driver would start a goroutine for each to watch the
// context, and every statement is short. The session checks the context between statements and between rows.
type session struct {
	conn     *sql.Conn
	now      func() time.Time
	prepared map[preparedKey]*sql.Stmt
	// recounting redirects statements to the tables of the second set of counts.
	recounting bool
	// failed is the first error of Do or Ask.
	failed error
}

type preparedKey struct {
	*sqlstore.Statement
	recounting bool
}

func newSession(conn *sql.Conn, now func() time.Time) *session {
	return &session{conn: conn, now: now, prepared: map[preparedKey]*sql.Stmt{}}
}

// close also closes the prepared statements: the engine keeps a connection and its locks as long as a statement is
// open.
func (s *session) close() (err error) {
	for _, prepared := range s.prepared {
		err = errors.Join(err, prepared.Close())
	}
	return errors.Join(err, s.conn.Close())
}

func (s *session) prepare(ctx context.Context, st *sqlstore.Statement) (*sql.Stmt, error) {
	key := preparedKey{st, s.recounting}
	if prepared, ok := s.prepared[key]; ok {
		return prepared, nil
	}
	text := st.SQLite
	if s.recounting {
		text = sqlstore.OfRecount.Replace(text)
	}
	prepared, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, storeError(fmt.Errorf("prepare %q: %w", text, err))
	}
	s.prepared[key] = prepared
	return prepared, nil
}

// exec is like Exec, even after an error of Do or Ask.
func (s *session) exec(ctx context.Context, st *sqlstore.Statement, args ...any) (changed int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	prepared, err := s.prepare(ctx, st)
	if err != nil {
		return 0, err
	}
	result, err := prepared.ExecContext(ctx, withLists(args)...)
	if err != nil {
		return 0, storeError(fmt.Errorf("%q: %w", st.SQLite, err))
	}
	return result.RowsAffected()
}

// Exec implements sqlstore.Conn.
func (s *session) Exec(ctx context.Context, st *sqlstore.Statement, args ...any) (int64, error) {
	if st.SQLite == "" || s.failed != nil {
		return 0, s.failed
	}
	return s.exec(ctx, st, args...)
}

// Query implements sqlstore.Conn.
func (s *session) Query(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) (err error) {
	if st.SQLite == "" || s.failed != nil {
		return s.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	endless := context.WithoutCancel(ctx)
	prepared, err := s.prepare(endless, st)
	if err != nil {
		return err
	}
	rows, err := prepared.QueryContext(endless, withLists(args)...)
	if err != nil {
		return storeError(fmt.Errorf("%q: %w", st.SQLite, err))
	}
	defer func() {
		if closing := rows.Close(); err == nil && closing != nil {
			err = storeError(closing)
		}
	}()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := row(rows); errors.Is(err, sqlstore.ErrEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return storeError(rows.Err())
}

// Do implements sqlstore.Conn.
func (s *session) Do(ctx context.Context, st *sqlstore.Statement, args ...any) {
	_, s.failed = s.Exec(ctx, st, args...)
}

// Ask implements sqlstore.Conn.
func (s *session) Ask(ctx context.Context, st *sqlstore.Statement, row func(sqlstore.Row) error, args ...any) {
	s.failed = s.Query(ctx, st, row, args...)
}

// Send implements sqlstore.Conn.
func (s *session) Send(context.Context) (err error) {
	err, s.failed = s.failed, nil
	return err
}

// SharedTime implements sqlstore.Conn. All processes that share the file run on one machine and share its clock.
func (s *session) SharedTime(context.Context) (time.Time, error) { return s.now(), s.failed }

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

// number runs a query that returns at most one number. It returns 0 if there is none.
func (s *session) number(ctx context.Context, st *sqlstore.Statement, args ...any) (n int64, err error) {
	err = s.Query(ctx, st, func(row sqlstore.Row) error { return row.Scan(&n) }, args...)
	return n, err
}

// call runs fn, and returns its error or that of Do or Ask.
func (s *session) call(fn func(*session) error) error {
	defer func() { s.failed = nil }()
	if err := fn(s); err != nil {
		return err
	}
	return s.failed
}

// reading runs fn in a transaction that sees one state of the database.
func (s *session) reading(ctx context.Context, fn func() error) error {
	if _, err := s.exec(ctx, beginRead); err != nil {
		return err
	}
	defer s.end(rollback)
	return fn()
}

// writing runs fn in a transaction that excludes other writers, and commits it if fn returns nil. If fn fails or
// panics, or the context ends, writing rolls the transaction back.
func (s *session) writing(ctx context.Context, patience time.Duration, fn func() error) error {
	if err := s.begin(ctx, patience); err != nil {
		return err
	}
	open := true
	defer func() {
		if open {
			s.end(rollback)
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if _, err := s.exec(ctx, commit); err != nil {
		return err
	}
	open = false
	return nil
}

// begin takes the write lock. A context cannot end the engine's own waiting, so each wait is short and begin repeats
// it.
func (s *session) begin(ctx context.Context, patience time.Duration) error {
	give := time.Now().Add(patience)
	for {
		_, err := s.exec(ctx, beginWrite)
		if !isBusy(err) || time.Now().After(give) {
			return err
		}
	}
}

func (s *session) end(st *sqlstore.Statement) {
	_, _ = s.exec(context.Background(), st)
}

// storeError translates an error of the driver: to fault.Unavailable if a retry may succeed, and to an internal error
// otherwise.
func storeError(err error) error {
	var (
		known *fault.Error
		e     *driver.Error
	)
	if errors.As(err, &known) || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return &fault.Error{Code: fault.Unavailable, Message: "the database is busy", Cause: err}
	case codes.SQLITE_FULL:
		return &fault.Error{Code: fault.Unavailable, Message: "the database's disk is full", Cause: err}
	case codes.SQLITE_IOERR: // an exceeded quota too: the engine reports it as a disk failure
		return &fault.Error{Code: fault.Unavailable, Message: "the database's disk fails", Cause: err}
	}
	return fmt.Errorf("store/sqlite: %w", err)
}

func isBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codes.SQLITE_BUSY
}
