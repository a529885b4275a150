// Package sqlstore implements the ports of store that need no engine-specific pipeline: accounts, sign-ins, keys, audit
// entries, deprecations, leases, the search log and collections. It is written once over a small connection type, which
// SQLite and PostgreSQL provide.
package sqlstore

import (
	"context"
	"errors"
	"time"
)

// Database is one database of an engine. Its methods may be called concurrently. They return the errors that the ports
// of store promise: the end of the caller's context, a *fault.Error, or an internal error.
type Database interface {
	// Read runs fn with a connection that reads what was committed before each statement. fn may run again.
	Read(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// ReadSnapshot is Read for statements that must all see one state of the database.
	ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// Write runs fn in one transaction, which it commits when fn returns nil and rolls back otherwise. Where the engine
	// gives a transaction up in favor of another, fn runs again.
	Write(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// Now is the time for what a write entities, by the clock of this process.
	Now() time.Time
	Close() error
}

// Conn is one connection. One goroutine uses it, and only within the fn that received it.
type Conn interface {
	// Query runs a statement and calls row for each row of the result, in order.
	Query(ctx context.Context, st *Statement, row func(Row) error, args ...any) error
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, st *Statement, args ...any) (int64, error)
	// Do runs a statement whose result does not matter. The next Query, Exec or SharedTime returns its error, or else the
	// transaction does: the engine may send the statement together with the one that follows.
	Do(ctx context.Context, st *Statement, args ...any)
	// SharedTime is the present by a clock that all processes on this database share.
	SharedTime(ctx context.Context) (time.Time, error)
}

// Row is one row of a result. Targets are *string, *[]byte, *bool, *int, *int32 and *int64; NULL is only for *[]byte.
type Row interface {
	Scan(targets ...any) error
}

// List is an argument for IN LIST ($n). Its texts are valid UTF-8 without U+0000.
type List []string

// selectAll returns what scan makes of each row.
func selectAll[T any](ctx context.Context, c Conn, scan func(Row) (T, error), st *Statement, args ...any) (list []T, err error) {
	err = c.Query(ctx, st, func(row Row) error {
		one, err := scan(row)
		list = append(list, one)
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// selectOne returns what scan makes of the only row, or the zero value where there is none.
func selectOne[T any](ctx context.Context, c Conn, scan func(Row) (T, error), st *Statement, args ...any) (one T, err error) {
	list, err := selectAll(ctx, c, scan, st, args...)
	if err != nil || len(list) == 0 {
		return one, err
	}
	return list[0], nil
}

// read is Database.Read for one value.
func read[T any](ctx context.Context, db Database, fn func(ctx context.Context, c Conn) (T, error)) (value T, err error) {
	err = db.Read(ctx, func(ctx context.Context, c Conn) error {
		value, err = fn(ctx, c)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// readAll is selectAll with a connection of its own.
func readAll[T any](ctx context.Context, db Database, scan func(Row) (T, error), st *Statement, args ...any) ([]T, error) {
	return read(ctx, db, func(ctx context.Context, c Conn) ([]T, error) { return selectAll(ctx, c, scan, st, args...) })
}

// readOne is selectOne with a connection of its own.
func readOne[T any](ctx context.Context, db Database, scan func(Row) (T, error), st *Statement, args ...any) (T, error) {
	return read(ctx, db, func(ctx context.Context, c Conn) (T, error) { return selectOne(ctx, c, scan, st, args...) })
}

// write is Database.Write for one value.
func write[T any](ctx context.Context, db Database, fn func(ctx context.Context, c Conn) (T, error)) (value T, err error) {
	err = db.Write(ctx, func(ctx context.Context, c Conn) error {
		value, err = fn(ctx, c)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// exec is a transaction of one statement.
func exec(ctx context.Context, db Database, st *Statement, args ...any) error {
	return db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, st, args...)
		return nil
	})
}

// errUnchanged rolls a transaction back that has nothing to change.
var errUnchanged = errors.New("nothing to change")

func number(row Row) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}

// micros is an instant in a column: microseconds since 1970, UTC.
func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// optionalMicros is micros for a time that may be zero, for which it stores 0.
func optionalMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func optionalInstant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return instant(micros)
}
