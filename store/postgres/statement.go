package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// statement is one SQL statement of the package. All are made by define, so that the query-plan
// test sees every one. The driver prepares each once on a connection, and keeps it.
type statement struct{ text string }

var defined []*statement

func define(text string) *statement {
	s := &statement{text: text}
	defined = append(defined, s)
	return s
}

var (
	// The order of commits is that of the locks on the head row, so nothing stricter is needed.
	beginWrite = define(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`)
	beginRead  = define(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	commit     = define(`COMMIT`)
	rollback   = define(`ROLLBACK`)
	// A write may wait for a lock, and then work.
	limitWrite = define(`SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`)
)

// pipeline gathers statements that go to the server together, in one round trip.
type pipeline struct {
	batch pgx.Batch
	// recounting turns statements to the tables of the second set of counts.
	recounting bool
}

func (p *pipeline) text(st *statement) string {
	if p.recounting {
		return ofRecount.Replace(st.text)
	}
	return st.text
}

// ask adds a statement and calls row for each row of the answer, in their order.
func (p *pipeline) ask(st *statement, row func(pgx.Rows) error, args ...any) {
	p.batch.Queue(p.text(st), args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// do adds a statement whose answer does not matter.
func (p *pipeline) do(st *statement, args ...any) { p.batch.Queue(p.text(st), args...) }

// number adds a statement that answers at most one number; n stays as it is where it answers none.
func (p *pipeline) number(st *statement, n *int64, args ...any) {
	p.ask(st, func(rows pgx.Rows) error { return rows.Scan(n) }, args...)
}

// session is one connection of a pool. One goroutine uses it at a time.
type session struct {
	conn *pgxpool.Conn
	// limit bounds each round trip of a transaction that writes, whose callers may have all the time: the
	// server gives up before, unless it is gone. 0: the caller's context does.
	limit time.Duration
	// recounting is that of its pipelines.
	recounting bool
}

// limited is the context of one round trip.
func (s *session) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.limit)
}

// run sends what was gathered. Where a statement fails, those behind it are not run.
func (s *session) run(ctx context.Context, p *pipeline) error {
	if p.batch.Len() == 0 {
		return nil
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	return s.conn.SendBatch(ctx, &p.batch).Close()
}

// send is run for what one function gathers.
func (s *session) send(ctx context.Context, gather func(p *pipeline)) error {
	p := &pipeline{recounting: s.recounting}
	gather(p)
	return storeError(ctx, s.run(ctx, p))
}

// change runs one statement and returns how many rows it changed.
func (s *session) change(ctx context.Context, st *statement, args ...any) (changed int64, err error) {
	err = s.send(ctx, func(p *pipeline) {
		p.batch.Queue(p.text(st), args...).Exec(func(tag pgconn.CommandTag) error {
			changed = tag.RowsAffected()
			return nil
		})
	})
	return changed, err
}
