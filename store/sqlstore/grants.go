package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

var (
	// Only one transaction at a time changes the tokens of a family, because a transaction that revokes the family must
	// also see a token that another transaction is adding. The statement after the lock sees everything that was
	// committed before.
	lockFamily = DefinePer("",
		`SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`)
	lockFamilyOfGrant = DefinePer("",
		`SELECT pg_advisory_xact_lock(hashtextextended(encode(family, 'hex'), 0)) FROM grants WHERE hash = $1`)
	// A transaction that changes one family takes a shared lock. A transaction that deletes many families takes the
	// same lock exclusively, because it does not know their names in advance.
	shareFamilies = DefinePer("", `SELECT pg_advisory_xact_lock_shared(1718185069, 1)`)
	lockFamilies  = DefinePer("", `SELECT pg_advisory_xact_lock(1718185069, 1)`)

	insertGrant = define(`
		INSERT INTO grants (hash, family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, false) ON CONFLICT (hash) DO NOTHING`)
	selectGrant = define(`
		SELECT family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced FROM grants WHERE hash = $1`)
	replaceGrant = define(`UPDATE grants SET replaced = true WHERE hash = $1`)
	deleteFamily = define(`DELETE FROM grants WHERE family = $1`)
	// Some tokens of a family may not have the session.
	deleteGrantsOfSession = define(`DELETE FROM grants WHERE family IN (SELECT family FROM grants WHERE session = $1)`)
	deleteGrantsOfUser    = define(`DELETE FROM grants WHERE user_id = $1`)
	deleteGrantsOfClient  = define(`DELETE FROM grants WHERE client_id = $1`)
)

// lockOneFamily locks the family that a statement finds, until the transaction ends.
func lockOneFamily(ctx context.Context, c Conn, lock *Statement, arg any) {
	c.Do(ctx, shareFamilies)
	c.Do(ctx, lock, arg)
}

// PutGrant implements store.SignIns.
func (a *Accounts) PutGrant(ctx context.Context, grant account.Grant) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error { return putGrant(ctx, c, grant) })
}

func putGrant(ctx context.Context, c Conn, grant account.Grant) error {
	return insertNew(ctx, c, "a refresh token with this hash", insertGrant, grant.Hash[:], grant.Family, grant.ClientID, grant.User, grant.Scope,
		optionalMicros(grant.IssuedAt), micros(grant.Expires), grant.Session, optionalMicros(grant.AuthTime))
}

// Grant implements store.SignIns.
func (a *Accounts) Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error) {
	row, err := readOne(ctx, a.db, scanGrant(hash), selectGrant, hash[:])
	switch {
	case err != nil:
		return account.Grant{}, err
	case row == nil || row.replaced || !now.Before(row.Expires):
		return account.Grant{}, account.ErrGrantUnknown
	}
	return row.Grant, nil
}

// RotateGrant implements store.SignIns.
func (a *Accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error) {
	var rejection error
	err = a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		grant = account.Grant{}
		lockOneFamily(ctx, c, lockFamilyOfGrant, old[:])
		row, err := selectOne(ctx, c, scanGrant(old), selectGrant, old[:])
		if err != nil {
			return err
		}
		stored, err := selectOne(ctx, c, scanGrant(next.Hash), selectGrant, next.Hash[:])
		if err != nil {
			return err
		}
		var repeated bool
		successor, repeated, rejection = row.rotate(clientID, next, stored, now, notBefore)
		switch {
		case errors.Is(rejection, account.ErrGrantReused):
			grant = row.Grant
			c.Do(ctx, deleteFamily, row.Family)
			return nil
		case rejection != nil:
			return nil
		}
		if grant = row.Grant; repeated {
			return nil
		}
		c.Do(ctx, replaceGrant, old[:])
		return putGrant(ctx, c, successor)
	})
	if err != nil {
		return account.Grant{}, account.Grant{}, err
	}
	return grant, successor, rejection
}

// grantRow is a stored refresh token.
type grantRow struct {
	account.Grant
	replaced bool
}

func scanGrant(hash [32]byte) func(row Row) (*grantRow, error) {
	return func(row Row) (*grantRow, error) {
		var issued, expires, signedIn int64
		grant := &grantRow{Grant: account.Grant{Hash: hash}}
		err := row.Scan(&grant.Family, &grant.ClientID, &grant.User, &grant.Scope, &issued, &expires, &grant.Session, &signedIn, &grant.replaced)
		grant.IssuedAt, grant.Expires, grant.AuthTime = optionalInstant(issued), instant(expires), optionalInstant(signedIn)
		return grant, err
	}
}

// rotate decides whether a token may be replaced, and returns its successor. row is nil if no such token exists, and
// stored is nil if no token has the hash of next yet. repeated is true if the successor is already stored, so that the
// caller writes nothing.
//
// If the error is account.ErrGrantReused, the caller must delete the grants of the token's family: reuse indicates
// theft, even if the token is too old to be replaced or has expired.
func (row *grantRow) rotate(clientID string, next account.Grant, stored *grantRow, now, notBefore time.Time) (successor account.Grant, repeated bool, err error) {
	switch {
	case row == nil || row.ClientID != clientID:
		return account.Grant{}, false, account.ErrGrantUnknown
	case row.replaced && stored.mayRepeat(row, now, notBefore):
		return stored.Grant, true, nil
	case row.replaced:
		return account.Grant{}, false, account.ErrGrantReused
	case !now.Before(row.Expires) || row.IssuedAt.Before(notBefore):
		return account.Grant{}, false, account.ErrGrantUnknown
	}
	successor = row.Grant
	successor.Hash, successor.IssuedAt, successor.Expires = next.Hash, next.IssuedAt, next.Expires
	return successor, false, nil
}

// mayRepeat reports whether a token is the unused successor of replaced, which the service may return again.
func (row *grantRow) mayRepeat(replaced *grantRow, now, notBefore time.Time) bool {
	return row != nil && !row.replaced && row.Family == replaced.Family && now.Before(row.IssuedAt.Add(account.RefreshGrace)) &&
		now.Before(row.Expires) && !row.IssuedAt.Before(notBefore)
}

// DropGrants implements store.SignIns.
func (a *Accounts) DropGrants(ctx context.Context, of account.GrantFilter) error {
	grants, codes, value := deletionOf(of)
	if value == "" {
		return nil
	}
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		if of.Family != "" {
			lockOneFamily(ctx, c, lockFamily, value)
		} else {
			c.Do(ctx, lockFamilies)
		}
		c.Do(ctx, grants, value)
		c.Do(ctx, codes, value)
		return nil
	})
}

// deletionOf returns the statements that delete grants and unused codes, and their argument. The argument is "" if the
// filter is empty.
func deletionOf(of account.GrantFilter) (grants, codes *Statement, value string) {
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
