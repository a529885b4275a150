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

// statement is an SQL statement of the package. define creates every statement, so that the query-plan test covers all
// of them.
type statement struct{ text string }

var defined []*statement

func define(text string) *statement {
	s := &statement{text: text}
	defined = append(defined, s)
	return s
}

var (
	beginRead  = define(`BEGIN DEFERRED`)
	beginWrite = define(`BEGIN IMMEDIATE`)
	commit     = define(`COMMIT`)
	rollback   = define(`ROLLBACK`)
)

// session is one connection with its prepared statements. One goroutine uses it at a time.
//
// Statements run with a context that does not end, because the driver would start a goroutine for each to watch the
// context, and every statement is short. The session checks the context between statements and between rows.
type session struct {
	conn     *sql.Conn
	prepared map[*statement]*sql.Stmt
	// recounting redirects statements to the tables of the second set of counts.
	recounting bool
}

func newSession(conn *sql.Conn) *session {
	return &session{conn: conn, prepared: map[*statement]*sql.Stmt{}}
}

// close also closes the prepared statements: the engine keeps a connection and its locks as long as a statement is
// open.
func (s *session) close() (err error) {
	for _, prepared := range s.prepared {
		err = errors.Join(err, prepared.Close())
	}
	return errors.Join(err, s.conn.Close())
}

func (s *session) prepare(ctx context.Context, st *statement) (*sql.Stmt, error) {
	if s.recounting {
		st = st.recount()
	}
	if prepared, ok := s.prepared[st]; ok {
		return prepared, nil
	}
	prepared, err := s.conn.PrepareContext(ctx, st.text)
	if err != nil {
		return nil, storeError(fmt.Errorf("prepare %q: %w", st.text, err))
	}
	s.prepared[st] = prepared
	return prepared, nil
}

func (s *session) exec(ctx context.Context, st *statement, args ...any) (changed int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	prepared, err := s.prepare(ctx, st)
	if err != nil {
		return 0, err
	}
	result, err := prepared.ExecContext(ctx, args...)
	if err != nil {
		return 0, storeError(fmt.Errorf("%q: %w", st.text, err))
	}
	return result.RowsAffected()
}

// query calls row for each result row, in order, until row returns an error. sqlstore.ErrEnough ends it without an error.
func (s *session) query(ctx context.Context, st *statement, row func(*sql.Rows) error, args ...any) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	endless := context.WithoutCancel(ctx)
	prepared, err := s.prepare(endless, st)
	if err != nil {
		return err
	}
	rows, err := prepared.QueryContext(endless, args...)
	if err != nil {
		return storeError(fmt.Errorf("%q: %w", st.text, err))
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

// number runs a query that returns at most one number. It returns 0 if there is none.
func (s *session) number(ctx context.Context, st *statement, args ...any) (n int64, err error) {
	err = s.query(ctx, st, func(rows *sql.Rows) error { return rows.Scan(&n) }, args...)
	return n, err
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

func (s *session) end(st *statement) {
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
