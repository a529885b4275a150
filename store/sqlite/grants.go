package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertGrant = define(`
		INSERT INTO grants (hash, family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (hash) DO NOTHING`)
	selectGrant = define(`
		SELECT family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced FROM grants WHERE hash = ?`)
	replaceGrant = define(`UPDATE grants SET replaced = 1 WHERE hash = ?`)
	deleteFamily = define(`DELETE FROM grants WHERE family = ?`)
	// A release that knew no sessions left them out of the tokens that it made of others in the family.
	deleteGrantsOfSession = define(`DELETE FROM grants WHERE family IN (SELECT family FROM grants WHERE session = ?)`)
	deleteGrantsOfUser    = define(`DELETE FROM grants WHERE user_id = ?`)
	deleteGrantsOfClient  = define(`DELETE FROM grants WHERE client_id = ?`)
)

// PutGrant implements store.SignIns.
func (a *Accounts) PutGrant(ctx context.Context, grant account.Grant) error {
	return a.write(ctx, func(s *session) error { return s.insertGrant(ctx, grant) })
}

func (s *session) insertGrant(ctx context.Context, grant account.Grant) error {
	added, err := s.exec(ctx, insertGrant, grant.Hash[:], grant.Family, grant.ClientID, grant.User, grant.Scope,
		storelogic.Stamp(grant.IssuedAt), micros(grant.Expires), grant.Session, storelogic.Stamp(grant.AuthTime))
	if err == nil && added == 0 {
		return fault.Errorf(fault.Conflict, "there is a refresh token with this hash already")
	}
	return err
}

// grant reads a refresh token; nil: there is none.
func (s *session) grant(ctx context.Context, hash [32]byte) (row *storelogic.GrantRow, err error) {
	err = s.query(ctx, selectGrant, func(rows *sql.Rows) error {
		var issued, expires, signedIn int64
		row = &storelogic.GrantRow{Grant: account.Grant{Hash: hash}}
		err := rows.Scan(&row.Family, &row.ClientID, &row.User, &row.Scope, &issued, &expires, &row.Session, &signedIn, &row.Replaced)
		row.IssuedAt, row.Expires, row.AuthTime = storelogic.Stamped(issued), instant(expires), storelogic.Stamped(signedIn)
		return err
	}, hash[:])
	return row, err
}

// Grant implements store.SignIns.
func (a *Accounts) Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error) {
	var row *storelogic.GrantRow
	err := a.read(ctx, func(s *session) (err error) {
		row, err = s.grant(ctx, hash)
		return err
	})
	switch {
	case err != nil:
		return account.Grant{}, err
	case row == nil || row.Replaced || !now.Before(row.Expires):
		return account.Grant{}, account.ErrGrantUnknown
	}
	return row.Grant, nil
}

// RotateGrant implements store.SignIns.
func (a *Accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error) {
	var refusal error
	err = a.write(ctx, func(s *session) error {
		row, err := s.grant(ctx, old)
		if err != nil {
			return err
		}
		stored, err := s.grant(ctx, next.Hash)
		if err != nil {
			return err
		}
		var repeated bool
		successor, repeated, err = row.Rotate(clientID, next, stored, now, notBefore)
		if refusal = err; errors.Is(err, account.ErrGrantReused) {
			grant = row.Grant
			_, err := s.exec(ctx, deleteFamily, row.Family)
			return err
		} else if err != nil {
			return nil
		}
		if grant = row.Grant; repeated {
			return nil
		}
		if _, err := s.exec(ctx, replaceGrant, old[:]); err != nil {
			return err
		}
		return s.insertGrant(ctx, successor)
	})
	if err != nil {
		return account.Grant{}, account.Grant{}, err
	}
	return grant, successor, refusal
}

// DropGrants implements store.SignIns.
func (a *Accounts) DropGrants(ctx context.Context, of account.GrantFilter) error {
	grants, codes, value := droppedOf(of)
	if value == "" {
		return nil
	}
	return a.write(ctx, func(s *session) error {
		if _, err := s.exec(ctx, grants, value); err != nil {
			return err
		}
		_, err := s.exec(ctx, codes, value)
		return err
	})
}

// droppedOf chooses the statements that drop the grants and the unused codes of what is named.
func droppedOf(of account.GrantFilter) (grants, codes *statement, value string) {
	switch {
	case of.Family != "":
		return deleteFamily, deleteCodesOfFamily, of.Family
	case of.Session != "":
		return deleteGrantsOfSession, deleteCodesOfSession, of.Session
	case of.User != "":
		return deleteGrantsOfUser, deleteCodesOfUser, of.User
	}
	return deleteGrantsOfClient, deleteCodesOfClient, of.Client
}
