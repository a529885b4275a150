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
	insertCode = define(`
		INSERT INTO codes (hash, client_id, redirect_uri, user_id, scope, nonce, challenge, family, session, auth_time, expires, used)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (hash) DO NOTHING`)
	selectCode = define(`
		SELECT client_id, redirect_uri, user_id, scope, nonce, challenge, family, session, auth_time, expires, used
		FROM codes WHERE hash = ?`)
	useCode              = define(`UPDATE codes SET used = 1 WHERE hash = ?`)
	deleteCodesOfFamily  = define(`DELETE FROM codes WHERE family = ? AND used = 0`)
	deleteCodesOfSession = define(`DELETE FROM codes WHERE session = ? AND used = 0`)
	deleteCodesOfUser    = define(`DELETE FROM codes WHERE user_id = ? AND used = 0`)
	deleteCodesOfClient  = define(`DELETE FROM codes WHERE client_id = ? AND used = 0`)
)

// PutCode implements store.SignIns.
func (a *Accounts) PutCode(ctx context.Context, code account.Code) error {
	return a.write(ctx, func(s *session) error {
		added, err := s.exec(ctx, insertCode, code.Hash[:], code.ClientID, code.RedirectURI, code.User, code.Scope, code.Nonce,
			code.Challenge, code.Family, code.Session, storelogic.Stamp(code.AuthTime), micros(code.Expires))
		if err == nil && added == 0 {
			return fault.Errorf(fault.Conflict, "there is a code with this hash already")
		}
		return err
	})
}

// RedeemCode implements store.SignIns.
func (a *Accounts) RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (code account.Code, err error) {
	var refusal error
	err = a.write(ctx, func(s *session) error {
		row, err := s.code(ctx, hash)
		if err != nil {
			return err
		}
		grant, err := row.Redeem(now, fresh, check)
		if refusal = err; errors.Is(err, account.ErrCodeReused) {
			code = row.Code
			_, err := s.exec(ctx, deleteFamily, row.Family)
			return err
		} else if err != nil {
			return nil
		}
		code = row.Code
		if _, err := s.exec(ctx, useCode, hash[:]); err != nil {
			return err
		}
		return s.insertGrant(ctx, grant)
	})
	if err != nil {
		return account.Code{}, err
	}
	return code, refusal
}

// code reads an authorisation code; nil: there is none.
func (s *session) code(ctx context.Context, hash [32]byte) (row *storelogic.CodeRow, err error) {
	err = s.query(ctx, selectCode, func(rows *sql.Rows) error {
		var signedIn, expires int64
		row = &storelogic.CodeRow{Code: account.Code{Hash: hash}}
		err := rows.Scan(&row.ClientID, &row.RedirectURI, &row.User, &row.Scope, &row.Nonce, &row.Challenge,
			&row.Family, &row.Session, &signedIn, &expires, &row.Used)
		row.AuthTime, row.Expires = storelogic.Stamped(signedIn), instant(expires)
		return err
	}, hash[:])
	return row, err
}
