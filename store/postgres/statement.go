package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// statement is an SQL statement of this package. The function define creates every statement, so that the test of query
// plans sees all of them. The driver prepares each statement once per connection and keeps it.
type statement struct{ text string }

var defined []*statement

func define(text string) *statement {
	s := &statement{text: text}
	defined = append(defined, s)
	return s
}

var (
	// The lock on the head row determines the order of commits, so no stricter isolation level is needed.
	beginWrite = define(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`)
	beginRead  = define(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	commit     = define(`COMMIT`)
	rollback   = define(`ROLLBACK`)
	// A write may first wait for a lock and then work on its statement.
	limitWrite = define(`SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`)
)

// pipeline collects statements that are sent to the server together, in one round trip.
type pipeline struct {
	batch pgx.Batch
	// recounting directs the statements to the tables of the second set of counts.
	recounting bool
}

func (p *pipeline) text(st *statement) string {
	if p.recounting {
		return ofRecount.Replace(st.text)
	}
	return st.text
}

// ask adds a statement and calls row for each row of its result, in order, until row returns an error.
// sqlstore.ErrEnough ends the result without an error.
func (p *pipeline) ask(st *statement, row func(pgx.Rows) error, args ...any) {
	p.batch.Queue(p.text(st), args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := row(rows); errors.Is(err, sqlstore.ErrEnough) {
				return nil
			} else if err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// do adds a statement whose result is not needed.
func (p *pipeline) do(st *statement, args ...any) { p.batch.Queue(p.text(st), args...) }

// number adds a statement that returns at most one number. n is unchanged if the statement returns none.
func (p *pipeline) number(st *statement, n *int64, args ...any) {
	p.ask(st, func(rows pgx.Rows) error { return rows.Scan(n) }, args...)
}

// session is one connection of a pool. Only one goroutine may use it at a time.
type session struct {
	conn *pgxpool.Conn
	// limit bounds each round trip of a writing transaction whose caller has no deadline. The server times out earlier,
	// unless it is unreachable. If limit is 0, only the caller's context bounds the round trip.
	limit time.Duration
	// recounting is the recounting field of the session's pipelines.
	recounting bool
	// made contains the partitions of blocks that exist, as far as the transaction has looked.
	made map[string]bool
}

// limited returns the context of one round trip.
func (s *session) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.limit)
}

// run sends the statements of p. After a statement that fails, the later ones do not run.
func (s *session) run(ctx context.Context, p *pipeline) error {
	if p.batch.Len() == 0 {
		return nil
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	return s.conn.SendBatch(ctx, &p.batch).Close()
}

// send runs the statements that gather adds.
func (s *session) send(ctx context.Context, gather func(p *pipeline)) error {
	p := &pipeline{recounting: s.recounting}
	gather(p)
	return storeError(ctx, s.run(ctx, p))
}
