package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// errNothing takes a transaction back in which there was nothing to do after all.
var errNothing = errors.New("nothing to do")

var (
	// The tokens of a family are changed by one at a time: what revokes it must also see a token that is
	// just being added. The statement that follows the lock sees all that was done before.
	lockFamily   = define(`SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`)
	lockFamilyOf = define(`SELECT pg_advisory_xact_lock(hashtextextended(encode(family, 'hex'), 0)) FROM grants WHERE hash = $1`)
	// Whoever changes one family shares a lock that what drops many waits for: their names are not known
	// before.
	shareFamilies = define(`SELECT pg_advisory_xact_lock_shared(1718185069, 1)`)
	lockFamilies  = define(`SELECT pg_advisory_xact_lock(1718185069, 1)`)

	insertGrant = define(`
		INSERT INTO grants (hash, family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, false) ON CONFLICT (hash) DO NOTHING`)
	selectGrant = define(`
		SELECT family, client_id, user_id, scope, issued_at, expires, session, auth_time, replaced FROM grants WHERE hash = $1`)
	replaceGrant = define(`UPDATE grants SET replaced = true WHERE hash = $1`)
	deleteFamily = define(`DELETE FROM grants WHERE family = $1`)
	// A release that knew no sessions left them out of the tokens that it made of others in the family.
	deleteGrantsOfSession = define(`DELETE FROM grants WHERE family IN (SELECT family FROM grants WHERE session = $1)`)
	deleteGrantsOfUser    = define(`DELETE FROM grants WHERE user_id = $1`)
	deleteGrantsOfClient  = define(`DELETE FROM grants WHERE client_id = $1`)
)

// PutGrant implements store.SignIns.
func (a *Accounts) PutGrant(ctx context.Context, grant account.Grant) error {
	return a.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		return s.insertGrant(ctx, grant)
	})
}

func (s *session) insertGrant(ctx context.Context, grant account.Grant) error {
	added, err := s.change(ctx, insertGrant, grant.Hash[:], []byte(grant.Family), []byte(grant.ClientID), []byte(grant.User),
		[]byte(grant.Scope), storelogic.Stamp(grant.IssuedAt), micros(grant.Expires), []byte(grant.Session), storelogic.Stamp(grant.AuthTime))
	if err == nil && added == 0 {
		return fault.Errorf(fault.Conflict, "there is a refresh token with this hash already")
	}
	return err
}

// grant asks for a refresh token; row stays nil where there is none.
func (p *pipeline) grant(row **storelogic.GrantRow, hash [32]byte) {
	*row = nil
	p.ask(selectGrant, func(rows pgx.Rows) error {
		var (
			family, client, user, scope, session []byte
			issued, expires, signedIn            int64
			replaced                             bool
		)
		err := rows.Scan(&family, &client, &user, &scope, &issued, &expires, &session, &signedIn, &replaced)
		*row = &storelogic.GrantRow{Replaced: replaced, Grant: account.Grant{
			Hash: hash, Family: string(family), ClientID: string(client), User: string(user), Scope: string(scope),
			IssuedAt: storelogic.Stamped(issued), Expires: instant(expires),
			Session: string(session), AuthTime: storelogic.Stamped(signedIn),
		}}
		return err
	}, hash[:])
}

// Grant implements store.SignIns.
func (a *Accounts) Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error) {
	var row *storelogic.GrantRow
	err := a.read(ctx, func(p *pipeline) { p.grant(&row, hash) })
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
	var (
		row, stored *storelogic.GrantRow
		refusal     error
	)
	first := func(p *pipeline) {
		p.do(shareFamilies)
		p.do(lockFamilyOf, old[:])
		p.grant(&row, old)
		p.grant(&stored, next.Hash)
	}
	err = a.changing(ctx, first, func(ctx context.Context, s *session, last *pipeline) error {
		grant = account.Grant{}
		var repeated bool
		var err error
		successor, repeated, err = row.Rotate(clientID, next, stored, now, notBefore)
		if refusal = err; errors.Is(err, account.ErrGrantReused) {
			grant = row.Grant
			last.do(deleteFamily, []byte(row.Family))
			return nil
		} else if err != nil {
			return nil
		}
		if grant = row.Grant; repeated {
			return nil
		}
		last.do(replaceGrant, old[:])
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
	if len(value) == 0 {
		return nil
	}
	first := func(p *pipeline) {
		if of.Family != "" {
			p.do(shareFamilies)
			p.do(lockFamily, value)
		} else {
			p.do(lockFamilies)
		}
	}
	return a.changing(ctx, first, func(_ context.Context, _ *session, last *pipeline) error {
		last.do(grants, value)
		last.do(codes, value)
		return nil
	})
}

// droppedOf chooses the statements that drop the grants and the unused codes of what is named.
func droppedOf(of account.GrantFilter) (grants, codes *statement, value []byte) {
	switch {
	case of.Family != "":
		return deleteFamily, deleteCodesOfFamily, []byte(of.Family)
	case of.Session != "":
		return deleteGrantsOfSession, deleteCodesOfSession, []byte(of.Session)
	case of.User != "":
		return deleteGrantsOfUser, deleteCodesOfUser, []byte(of.User)
	}
	return deleteGrantsOfClient, deleteCodesOfClient, []byte(of.Client)
}
