package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

var (
	insertCode = define(`
		INSERT INTO codes (hash, client_id, redirect_uri, user_id, scope, nonce, challenge, family, session, auth_time, expires, used)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false) ON CONFLICT (hash) DO NOTHING`)
	lockFamilyOfCode = DefinePer("",
		`SELECT pg_advisory_xact_lock(hashtextextended(encode(family, 'hex'), 0)) FROM codes WHERE hash = $1`)
	selectCode = define(`
		SELECT client_id, redirect_uri, user_id, scope, nonce, challenge, family, session, auth_time, expires, used
		FROM codes WHERE hash = $1`)
	useCode              = define(`UPDATE codes SET used = true WHERE hash = $1`)
	deleteCodesOfFamily  = define(`DELETE FROM codes WHERE family = $1 AND NOT used`)
	deleteCodesOfSession = define(`DELETE FROM codes WHERE session = $1 AND NOT used`)
	deleteCodesOfUser    = define(`DELETE FROM codes WHERE user_id = $1 AND NOT used`)
	deleteCodesOfClient  = define(`DELETE FROM codes WHERE client_id = $1 AND NOT used`)
)

// PutCode implements store.SignIns.
func (a *Accounts) PutCode(ctx context.Context, code account.Code) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		return insertNew(ctx, c, "a code with this hash", insertCode, code.Hash[:], code.ClientID, code.RedirectURI, code.User, code.Scope, code.Nonce,
			code.Challenge, code.Family, code.Session, optionalMicros(code.AuthTime), micros(code.Expires))
	})
}

// RedeemCode implements store.SignIns.
func (a *Accounts) RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (code account.Code, err error) {
	var rejection error
	err = a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		code = account.Code{}
		lockOneFamily(ctx, c, lockFamilyOfCode, hash[:])
		row, err := selectOne(ctx, c, scanCode(hash), selectCode, hash[:])
		if err != nil {
			return err
		}
		var grant account.Grant
		grant, rejection = row.redeem(now, fresh, check)
		switch {
		case errors.Is(rejection, account.ErrCodeReused):
			code = row.Code
			c.Do(ctx, deleteFamily, row.Family)
			return nil
		case rejection != nil:
			return nil
		}
		code = row.Code
		c.Do(ctx, useCode, hash[:])
		return putGrant(ctx, c, grant)
	})
	if err != nil {
		return account.Code{}, err
	}
	return code, rejection
}

// codeRow is a stored authorization code.
type codeRow struct {
	account.Code
	used bool
}

func scanCode(hash [32]byte) func(row Row) (*codeRow, error) {
	return func(row Row) (*codeRow, error) {
		var signedIn, expires int64
		code := &codeRow{Code: account.Code{Hash: hash}}
		err := row.Scan(&code.ClientID, &code.RedirectURI, &code.User, &code.Scope, &code.Nonce, &code.Challenge,
			&code.Family, &code.Session, &signedIn, &expires, &code.used)
		code.AuthTime, code.Expires = optionalInstant(signedIn), instant(expires)
		return code, err
	}
}

// redeem decides whether a code may be used, and returns the grant that it yields. row is nil if no such code exists.
// If the error is account.ErrCodeReused, the caller must delete the grants of the code's family.
func (row *codeRow) redeem(now time.Time, fresh account.Grant, check func(account.Code) error) (account.Grant, error) {
	if row == nil || !row.used && !now.Before(row.Expires) {
		return account.Grant{}, account.ErrCodeUnknown
	}
	if err := check(row.Code); err != nil {
		return account.Grant{}, err
	}
	if row.used {
		return account.Grant{}, account.ErrCodeReused
	}
	return account.Grant{
		Hash: fresh.Hash, IssuedAt: fresh.IssuedAt, Expires: fresh.Expires,
		Family: row.Family, ClientID: row.ClientID, User: row.User, Scope: row.Scope,
		Session: row.Session, AuthTime: row.AuthTime,
	}, nil
}
