package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// define defines a statement of this engine. It is one of sqlstore.Statements, so that the test of query plans sees it. The
// driver prepares each statement once per connection and keeps it.
func define(text string) *sqlstore.Statement { return sqlstore.DefinePer("", text) }

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

func (p *pipeline) text(st *sqlstore.Statement) string {
	if p.recounting {
		return sqlstore.OfRecount.Replace(st.PostgreSQL)
	}
	return st.PostgreSQL
}

// ask adds a statement and calls row for each row of its result, in order, until row returns an error.
// sqlstore.ErrEnough ends the result without an error.
func (p *pipeline) ask(st *sqlstore.Statement, row func(pgx.Rows) error, args ...any) {
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
func (p *pipeline) do(st *sqlstore.Statement, args ...any) { p.batch.Queue(p.text(st), args...) }

// number adds a statement that returns at most one number. n is unchanged if the statement returns none.
func (p *pipeline) number(st *sqlstore.Statement, n *int64, args ...any) {
	p.ask(st, func(rows pgx.Rows) error { return rows.Scan(n) }, args...)
}

// session is one connection of a pool. It implements sqlstore.Conn. Only one goroutine may use it at a time.
type session struct {
	conn *pgxpool.Conn
	// pending contains the statements that the next query or the commit sends first.
	pending *pipeline
	// limit bounds each round trip of a writing transaction whose caller has no deadline. The server times out earlier,
	// unless it is unreachable. If limit is 0, only the caller's context bounds the round trip.
	limit time.Duration
	// made contains the partitions of blocks that exist, as far as the transaction has looked.
	made map[string]bool
}

func newSession(conn *pgxpool.Conn) *session { return &session{conn: conn, pending: &pipeline{}} }

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

// send runs the pending statements and those that gather adds.
func (s *session) send(ctx context.Context, gather func(p *pipeline)) error {
	gather(s.pending)
	return s.Send(ctx)
}
