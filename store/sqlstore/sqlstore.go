// Package sqlstore implements the ports of package store that need no engine-specific code: accounts, sign-ins, keys,
// audit entries, deprecations, leases, the search log, collections, jobs, most of the catalogue, the parts of the event log
// that do not append, read or drop events, and usage except cells and the insertion of blocks.
//
// The package uses a small connection interface, Conn, which the SQLite and PostgreSQL engines implement.
package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Database is one database of an engine. Its methods may be called concurrently. They return the errors that the ports
// of package store promise: the error of the caller's context if it has ended, a *fault.Error, or an internal error.
type Database interface {
	// Read runs fn with a connection on which each statement sees the data committed before it. Read may run fn again.
	Read(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// ReadSnapshot is like Read, but all statements see the same snapshot of the database.
	ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// Write runs fn in one transaction. It commits the transaction if fn returns nil, and otherwise rolls it back. It
	// runs fn again if the engine ends the transaction in favor of another.
	Write(ctx context.Context, fn func(ctx context.Context, c Conn) error) error
	// Now returns the time to store with a write, by the clock of this process.
	Now() time.Time
	// Size is that of store.Sizer.
	Size(ctx context.Context) (store.Size, error)
	Close() error
}

// on is a part of the store on a database of its own.
type on[D Database] struct{ db D }

// Close implements the Close of the ports.
func (o on[D]) Close() error { return o.db.Close() }

// Size implements store.Sizer.
func (o on[D]) Size(ctx context.Context) (store.Size, error) { return o.db.Size(ctx) }

// Conn is one connection. Only one goroutine may use it, and only within the fn that received it.
type Conn interface {
	// Query runs a statement and calls row for each row of the result, in order, until row returns an error. ErrEnough
	// ends the result without an error.
	Query(ctx context.Context, st *Statement, row func(Row) error, args ...any) error
	// Exec runs a statement and returns the number of rows that it changed.
	Exec(ctx context.Context, st *Statement, args ...any) (int64, error)
	// Do runs a statement whose result is not needed. The engine may send the statement together with the one that
	// follows, so the next Query, Exec, Send or SharedTime returns its error; if there is none, the transaction does.
	Do(ctx context.Context, st *Statement, args ...any)
	// Ask is like Query, but the engine may send the statement together with the one that follows, as it does for Do.
	Ask(ctx context.Context, st *Statement, row func(Row) error, args ...any)
	// Send runs the statements of Do and Ask that have not run yet.
	Send(ctx context.Context) error
	// SharedTime returns the current time by a clock that all processes on this database share.
	SharedTime(ctx context.Context) (time.Time, error)
}

// Row is one row of a result. The targets of Scan may have the types *string, *[]byte, *sql.RawBytes, *bool, *int,
// *int32, *int64, **catalogue.ID and **catalogue.Date. Only a *[]byte, a *sql.RawBytes and the last two accept NULL. A
// sql.RawBytes is valid until the next row.
type Row interface {
	Scan(targets ...any) error
}

// List is an argument for IN LIST ($n). Its texts must be valid UTF-8 without U+0000.
type List []string

// IDs is an argument for a list of IDs in a statement with a text per engine. An invalid ID becomes "", under which
// nothing is stored. A []int64 is an argument for a list of numbers.
type IDs []catalogue.ID

// askAll asks a statement, and fills list with the result of scan for each row. It overwrites the content of list.
func askAll[T any](ctx context.Context, c Conn, list *[]T, scan func(Row) (T, error), st *Statement, args ...any) {
	*list = (*list)[:0]
	c.Ask(ctx, st, func(row Row) error {
		one, err := scan(row)
		*list = append(*list, one)
		return err
	}, args...)
}

// askNumber asks a statement that returns at most one number. n becomes 0 if the statement returns none.
func askNumber(ctx context.Context, c Conn, n *int64, st *Statement, args ...any) {
	*n = 0
	c.Ask(ctx, st, func(row Row) error { return row.Scan(n) }, args...)
}

// selectAll returns the result of scan for each row.
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

// selectOne returns the result of scan for the only row, or the zero value if there is none.
func selectOne[T any](ctx context.Context, c Conn, scan func(Row) (T, error), st *Statement, args ...any) (one T, err error) {
	list, err := selectAll(ctx, c, scan, st, args...)
	if err != nil || len(list) == 0 {
		return one, err
	}
	return list[0], nil
}

// read is like Database.Read, and returns the value that fn returns.
func read[T any](ctx context.Context, db Database, fn func(ctx context.Context, c Conn) (T, error)) (T, error) {
	return valueOf(ctx, db.Read, fn)
}

// valueOf runs fn in a transaction, and returns its value if the transaction succeeds.
func valueOf[C, T any](
	ctx context.Context, transaction func(context.Context, func(context.Context, C) error) error,
	fn func(ctx context.Context, c C) (T, error),
) (T, error) {
	var value, none T
	err := transaction(ctx, func(ctx context.Context, c C) (err error) {
		value, err = fn(ctx, c)
		return err
	})
	if err != nil {
		return none, err
	}
	return value, nil
}

// readAll is like selectAll, with a connection of its own.
func readAll[T any](ctx context.Context, db Database, scan func(Row) (T, error), st *Statement, args ...any) ([]T, error) {
	return read(ctx, db, func(ctx context.Context, c Conn) ([]T, error) { return selectAll(ctx, c, scan, st, args...) })
}

// readOne is like selectOne, with a connection of its own.
func readOne[T any](ctx context.Context, db Database, scan func(Row) (T, error), st *Statement, args ...any) (T, error) {
	return read(ctx, db, func(ctx context.Context, c Conn) (T, error) { return selectOne(ctx, c, scan, st, args...) })
}

// write is like Database.Write, and returns the value that fn returns.
func write[T any](ctx context.Context, db Database, fn func(ctx context.Context, c Conn) (T, error)) (T, error) {
	return valueOf(ctx, db.Write, fn)
}

// exec runs one statement in a transaction of its own.
func exec(ctx context.Context, db Database, st *Statement, args ...any) error {
	return db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, st, args...)
		return nil
	})
}

// execAll repeats a statement, each time in a transaction of its own, until it changes fewer rows than limit, which is its
// last argument. Other writers can write between two transactions.
func execAll(ctx context.Context, db Database, st *Statement, of any, limit int64) error {
	for changed := limit; changed == limit; {
		err := db.Write(ctx, func(ctx context.Context, c Conn) (err error) {
			changed, err = c.Exec(ctx, st, of, limit)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// insertNew runs a statement that inserts a row unless the row exists. If it does, the error has the code Conflict and
// describes the row with what.
func insertNew(ctx context.Context, c Conn, what string, st *Statement, args ...any) error {
	added, err := c.Exec(ctx, st, args...)
	if err == nil && added == 0 {
		return fault.Errorf(fault.Conflict, "there is %s already", what)
	}
	return err
}

// ErrEnough is returned by a function that needs no more rows.
var ErrEnough = errors.New("enough")

// errUnchanged rolls back a transaction that has nothing to change.
var errUnchanged = errors.New("nothing to change")

func number(row Row) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}

// micros returns an instant as a column stores it: in microseconds since 1970, UTC.
func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// optionalMicros is like micros, but returns 0 for the zero time.
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
