package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// attempts is how often a transaction is tried if the server ends it in favor of another.
const attempts = 3

// transaction is an open transaction that writes the catalogue. It has the lock on the head row.
type transaction struct {
	*session
	storelogic.Last
	sqlstore.CatalogueTx
	// videos is the number of videos in the catalogue.
	videos int64
	begun  storelogic.Last
}

var _ storelogic.Engine = (*transaction)(nil)

// Write implements store.Catalogue. It calls fn once: Write retries a failure before fn, but not one in fn or later,
// because fn may have had other effects. Every transaction of this package locks the head row first, so none of them
// can make the server end this one; another program that locks the tables can. If the connection is lost during the
// commit, Write returns fault.Unavailable, and the write may or may not have happened.
func (c *Catalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	return c.writing(ctx, 1, func(ctx context.Context, t *transaction) error {
		tx := storelogic.Begin(t, t.Last, c.now)
		err := tx.Run(ctx, fn)
		t.Last = tx.Last
		return err
	})
}

// Apply implements storelogic.Engine.
func (t *transaction) Apply(ctx context.Context, changes *storelogic.Changes) error {
	for _, row := range changes.Videos {
		if row.New {
			t.videos++
		}
	}
	t.videos -= int64(len(changes.NoVideos))
	return t.CatalogueTx.Apply(ctx, changes)
}

// FanOut implements store.Catalogue.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	err = c.change(ctx, func(ctx context.Context, t *transaction) (err error) {
		more, err = storelogic.Propagate(ctx, t, &t.Last, c.now(), limit)
		return err
	})
	return more, err
}

// change is like Write, for the package's own changes, which may be repeated.
func (d *Database) change(ctx context.Context, fn func(ctx context.Context, t *transaction) error) error {
	return d.writing(ctx, attempts, fn)
}

// writing runs fn in a transaction that blocks other writers of the catalogue, and commits it if fn returns nil. It
// rolls back if fn fails or panics, or if the context ends.
func (d *Database) writing(ctx context.Context, attempts int, fn func(ctx context.Context, t *transaction) error) error {
	finish, err := d.catalogueWrites.begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	return repeat(attempts, func() error {
		t, err := d.begin(ctx)
		if err != nil {
			return err
		}
		defer t.end()
		if err := fn(ctx, t); err != nil {
			return err
		}
		if err := t.commit(ctx); err != nil {
			return err
		}
		d.learn(t.Position)
		return nil
	})
}

// repeat runs fn until it succeeds, fails for a reason other than a conflict with another transaction, or has failed
// attempts times.
func repeat(attempts int, fn func() error) (err error) {
	for range attempts {
		if err = fn(); err == nil || !isConflict(err) {
			return err
		}
	}
	return err
}

// begin waits for a turn among the writes of this kind in this process. The caller must call finish to end its turn.
func (w writer) begin(ctx context.Context) (finish func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	finish = func() { <-w.turns }
	select {
	case w.turns <- struct{}{}:
		return finish, nil
	default:
	}
	timer := time.NewTimer(w.wait)
	defer timer.Stop()
	select {
	case w.turns <- struct{}{}:
		return finish, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fault.Errorf(fault.Unavailable, "the database is busy")
	}
}

var (
	lockHead   = define(`SELECT position, number, sequence, videos FROM head WHERE one FOR UPDATE`)
	updateHead = define(`UPDATE head SET position = $1, number = $2, sequence = $3, videos = $4 WHERE one`)
)

// begin opens a transaction and waits for the lock on the head row. If it fails, nothing has happened yet, so it
// retries.
func (d *Database) begin(ctx context.Context) (t *transaction, err error) {
	err = d.calling(ctx, d.catalogueWrites.Guard, func(ctx context.Context) error {
		return repeat(attempts, func() error {
			return twice(func() (err error) {
				t = &transaction{}
				t.session, err = open(ctx, d.primary, d.catalogueWrites.wait, d.statementTimeout, func(p *pipeline) {
					p.ask(lockHead, func(rows pgx.Rows) error {
						return rows.Scan(&t.Position, &t.Number, &t.Sequence, &t.videos)
					})
				})
				t.begun, t.CatalogueTx = t.Last, sqlstore.NewCatalogueTx(t.session)
				return err
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// open begins a writing transaction and runs the statements that first adds in the same round trip. A statement waits
// no longer than wait for a lock, and takes no longer than wait+work in all.
func open(ctx context.Context, pool *pgxpool.Pool, wait, work time.Duration, first func(p *pipeline)) (*session, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := newSession(conn)
	s.limit = wait + work + time.Second
	p := &pipeline{}
	p.do(beginWrite)
	p.ask(limitWrite, func(pgx.Rows) error { return nil }, milliseconds(wait), milliseconds(wait+work))
	first(p)
	if err := s.run(ctx, p); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// commit updates the head row if anything was written, and commits.
func (t *transaction) commit(ctx context.Context) error {
	if t.Last != t.begun {
		t.pending.do(updateHead, t.Position, t.Number, t.Sequence, t.videos)
	}
	return t.session.commit(ctx)
}

var errNotCommitted = errors.New("store/postgres: the transaction had failed before, and was rolled back")

// commitTime is the time limit of a commit. It does not depend on the caller's context, because a caller that
// disconnects during a commit could not know the outcome.
const commitTime = 5 * time.Second

// commit runs the pending statements and commits. If the connection is lost meanwhile, the write may or may not have
// happened.
func (s *session) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	failed := false
	s.pending.batch.Queue(commit.PostgreSQL).Exec(func(tag pgconn.CommandTag) error {
		failed = tag.String() != "COMMIT"
		return nil
	})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	if err := s.run(ctx, s.pending); err != nil {
		return storeError(context.Background(), err)
	}
	if failed {
		return errNotCommitted
	}
	return nil
}

// rollbackTime is the time limit of a rollback. After it, the connection is closed, which makes the server roll back.
const rollbackTime = time.Second

// end rolls back a transaction that is still open and returns the connection to the pool.
func (s *session) end() {
	s.rollBack()
	s.conn.Release()
}

// rollBack ends the transaction if one is open.
func (s *session) rollBack() {
	if s.conn.Conn().IsClosed() || s.conn.Conn().PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackTime)
	defer cancel()
	_, _ = s.conn.Exec(ctx, rollback.PostgreSQL) // the pool closes a connection that is still in a transaction
}

// changing runs fn in a transaction that writes anything but the catalogue. The statements that fn leaves pending are sent
// with the COMMIT. It may run fn again.
func (d *Database) changing(ctx context.Context, fn func(ctx context.Context, s *session) error) error {
	finish, err := d.otherWrites.begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	return repeat(attempts, func() error {
		var s *session
		err := d.calling(ctx, d.otherWrites.Guard, func(ctx context.Context) error {
			return twice(func() (err error) {
				s, err = open(ctx, d.primary, d.otherWrites.wait, d.statementTimeout, func(*pipeline) {})
				return err
			})
		})
		if err != nil {
			return err
		}
		defer s.end()
		if err := fn(ctx, s); err != nil {
			return err
		}
		return s.commit(ctx)
	})
}
