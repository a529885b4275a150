package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Accounts is a store.Accounts in a database. All of it is read from the primary.
type Accounts struct{ engine }

var _ store.Accounts = (*Accounts)(nil)

// Accounts returns the accounts in the database.
func (d *Database) Accounts() *Accounts { return &Accounts{d.engine()} }

// changing runs a transaction that writes anything but the catalogue: first goes with its begin, then fn
// runs, and what fn gathers goes with the commit. It may run again.
func (d *Database) changing(ctx context.Context, first func(p *pipeline), fn func(ctx context.Context, s *session, last *pipeline) error) error {
	leave, err := d.otherWrites.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return repeat(attempts, func() error {
		var s *session
		err := d.calling(ctx, d.otherWrites.Guard, func(ctx context.Context) error {
			return twice(func() (err error) {
				s, err = open(ctx, d.primary, d.otherWrites.wait, d.statementTimeout, first)
				return err
			})
		})
		if err != nil {
			return err
		}
		defer s.end()
		last := &pipeline{}
		if err := fn(ctx, s, last); err != nil {
			return err
		}
		return s.commit(ctx, last)
	})
}

// Whoever changes keys does this first, so that they come one after the other; whoever changes records but
// users does it last, under the lock on the registry's row.
var nextVersion = define(`UPDATE versions SET version = version + 1 WHERE one`)

var selectKeys = define(`
	SELECT id, secret, created_at FROM keys WHERE purpose = $1 ORDER BY created_at DESC, number DESC`)

// Keys implements store.Keys. Of keys of one instant, the one added last comes first.
func (a *Accounts) Keys(ctx context.Context, purpose string) (keys []store.Key, err error) {
	err = a.read(ctx, func(p *pipeline) {
		keys = nil
		p.ask(selectKeys, func(rows pgx.Rows) error {
			var (
				key     store.Key
				id      []byte
				created int64
			)
			err := rows.Scan(&id, &key.Secret, &created)
			key.ID, key.CreatedAt = string(id), instant(created)
			keys = append(keys, key)
			return err
		}, []byte(purpose))
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

var (
	hasKey   = define(`SELECT COUNT(*) FROM (SELECT 1 FROM keys WHERE purpose = $1 LIMIT 1) AS one`)
	hasKeyID = define(`SELECT COUNT(*) FROM keys WHERE purpose = $1 AND id = $2`)
	addKey   = define(`INSERT INTO keys (purpose, id, secret, created_at) VALUES ($1, $2, $3, $4)`)
)

// AddKey implements store.Keys.
func (a *Accounts) AddKey(ctx context.Context, purpose string, key store.Key, onlyFirst bool) error {
	var others, same int64
	first := func(p *pipeline) {
		p.do(nextVersion)
		p.number(hasKey, &others, []byte(purpose))
		p.number(hasKeyID, &same, []byte(purpose), []byte(key.ID))
	}
	err := a.changing(ctx, first, func(_ context.Context, _ *session, last *pipeline) error {
		switch {
		case onlyFirst && others > 0:
			return errNothing
		case same > 0:
			return fault.Errorf(fault.Conflict, "there is a %s key %q already", purpose, key.ID)
		}
		last.do(addKey, []byte(purpose), []byte(key.ID), key.Secret, micros(key.CreatedAt))
		return nil
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

var deleteKeys = define(`DELETE FROM keys WHERE purpose = $1 AND id = ANY ($2)`)

// DropKeys implements store.Keys.
func (a *Accounts) DropKeys(ctx context.Context, purpose string, ids []string) error {
	first := func(p *pipeline) {
		p.do(nextVersion)
		p.do(deleteKeys, []byte(purpose), bytesOf(ids))
	}
	return a.changing(ctx, first, func(context.Context, *session, *pipeline) error { return nil })
}
