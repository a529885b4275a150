package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var (
	insertGrant = define(`
		INSERT INTO grants (hash, family, client_id, user_id, scope, expires, replaced) VALUES (?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (hash) DO NOTHING`)
	selectGrant  = define(`SELECT family, client_id, user_id, scope, expires, replaced FROM grants WHERE hash = ?`)
	replaceGrant = define(`UPDATE grants SET replaced = 1 WHERE hash = ?`)
	deleteFamily = define(`DELETE FROM grants WHERE family = ?`)
	dropGrants   = define(`DELETE FROM grants WHERE expires < ?`)
)

// PutGrant implements store.Accounts.
func (a *Accounts) PutGrant(ctx context.Context, grant store.Grant) error {
	return a.write(ctx, func(s *session) error { return s.insertGrant(ctx, grant) })
}

func (s *session) insertGrant(ctx context.Context, grant store.Grant) error {
	added, err := s.exec(ctx, insertGrant, grant.Hash[:], grant.Family, grant.ClientID, grant.User, grant.Scope, micros(grant.Expires))
	if err == nil && added == 0 {
		return catalogue.Errorf(catalogue.Conflict, "there is a refresh token with this hash already")
	}
	return err
}

// RotateGrant implements store.Accounts. A token that has expired is unknown, whether it was replaced
// or not.
func (a *Accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next store.Grant, now time.Time) (store.Grant, error) {
	var (
		grant store.Grant
		found error
	)
	err := a.write(ctx, func(s *session) (err error) {
		var replaced, known bool
		grant = store.Grant{Hash: old}
		err = s.query(ctx, selectGrant, func(rows *sql.Rows) error {
			var expires int64
			err := rows.Scan(&grant.Family, &grant.ClientID, &grant.User, &grant.Scope, &expires, &replaced)
			grant.Expires, known = instant(expires), true
			return err
		}, old[:])
		switch {
		case err != nil:
			return err
		case !known || grant.ClientID != clientID || !now.Before(grant.Expires):
			found = store.ErrGrantUnknown
			return nil
		case replaced:
			found = store.ErrGrantReused
			_, err = s.exec(ctx, deleteFamily, grant.Family)
			return err
		}
		if _, err := s.exec(ctx, replaceGrant, old[:]); err != nil {
			return err
		}
		next.Family, next.ClientID, next.User, next.Scope = grant.Family, grant.ClientID, grant.User, grant.Scope
		return s.insertGrant(ctx, next)
	})
	switch {
	case err != nil:
		return store.Grant{}, err
	case found != nil:
		return store.Grant{}, found
	}
	return grant, nil
}

// DropGrants implements store.Accounts.
func (a *Accounts) DropGrants(ctx context.Context, expiredBefore time.Time) error {
	return a.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, dropGrants, micros(expiredBefore))
		return err
	})
}
