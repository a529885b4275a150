package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// errNothing takes a transaction back in which there was nothing to do after all.
var errNothing = errors.New("nothing to do")

var (
	// The tokens of a family are changed by one at a time: what revokes it must also see a token that is
	// just being added. The statement that follows the lock sees all that was done before.
	lockFamily  = define(`SELECT pg_advisory_xact_lock(hashtextextended(encode(family, 'hex'), 0)) FROM grants WHERE hash = $1`)
	selectGrant = define(`SELECT family, client_id, user_id, scope, expires, replaced FROM grants WHERE hash = $1`)
	insertGrant = define(`
		INSERT INTO grants (hash, family, client_id, user_id, scope, expires, replaced) VALUES ($1, $2, $3, $4, $5, $6, false)
		ON CONFLICT (hash) DO NOTHING`)
	replaceGrant = define(`UPDATE grants SET replaced = true WHERE hash = $1`)
	deleteFamily = define(`DELETE FROM grants WHERE family = $1`)
	dropGrants   = define(`DELETE FROM grants WHERE expires < $1`)
)

// PutGrant implements store.Accounts.
func (a *Accounts) PutGrant(ctx context.Context, grant store.Grant) error {
	return a.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		return s.insertGrant(ctx, grant)
	})
}

func (s *session) insertGrant(ctx context.Context, grant store.Grant) error {
	added := int64(0)
	err := s.send(ctx, func(p *pipeline) {
		p.batch.Queue(insertGrant.text, grant.Hash[:], []byte(grant.Family), []byte(grant.ClientID),
			[]byte(grant.User), []byte(grant.Scope), micros(grant.Expires),
		).Exec(func(tag pgconn.CommandTag) error {
			added = tag.RowsAffected()
			return nil
		})
	})
	if err == nil && added == 0 {
		return catalogue.Errorf(catalogue.Conflict, "there is a refresh token with this hash already")
	}
	return err
}

// RotateGrant implements store.Accounts. A token that has expired is unknown, whether it was replaced
// or not.
func (a *Accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next store.Grant, now time.Time) (store.Grant, error) {
	var (
		grant           store.Grant
		replaced, known bool
		found           error
	)
	first := func(p *pipeline) {
		known, found = false, nil
		p.ask(lockFamily, func(pgx.Rows) error { return nil }, old[:])
		p.ask(selectGrant, func(rows pgx.Rows) (err error) {
			known = true
			grant, replaced, err = scanGrant(rows)
			grant.Hash = old
			return err
		}, old[:])
	}
	err := a.changing(ctx, first, func(ctx context.Context, s *session, last *pipeline) error {
		switch {
		case !known || grant.ClientID != clientID || !now.Before(grant.Expires):
			found = store.ErrGrantUnknown
			return nil
		case replaced:
			found = store.ErrGrantReused
			last.do(deleteFamily, []byte(grant.Family))
			return nil
		}
		last.do(replaceGrant, old[:])
		next.Family, next.ClientID, next.User, next.Scope = grant.Family, grant.ClientID, grant.User, grant.Scope
		return s.insertGrant(ctx, next)
	})
	if err == nil {
		err = found
	}
	if err != nil {
		return store.Grant{}, err
	}
	return grant, nil
}

func scanGrant(rows pgx.Rows) (grant store.Grant, replaced bool, err error) {
	var (
		family, client, user, scope []byte
		expires                     int64
	)
	err = rows.Scan(&family, &client, &user, &scope, &expires, &replaced)
	grant.Family, grant.ClientID, grant.User, grant.Scope = string(family), string(client), string(user), string(scope)
	grant.Expires = instant(expires)
	return grant, replaced, err
}

// DropGrants implements store.Accounts.
func (a *Accounts) DropGrants(ctx context.Context, expiredBefore time.Time) error {
	return a.changing(ctx, func(p *pipeline) { p.do(dropGrants, micros(expiredBefore)) },
		func(context.Context, *session, *pipeline) error { return nil })
}
