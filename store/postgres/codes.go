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

var (
	insertCode = define(`
		INSERT INTO codes (hash, client_id, redirect_uri, user_id, scope, nonce, challenge, family, session, auth_time, expires, used)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false) ON CONFLICT (hash) DO NOTHING`)
	lockFamilyOfCode = define(`SELECT pg_advisory_xact_lock(hashtextextended(encode(family, 'hex'), 0)) FROM codes WHERE hash = $1`)
	selectCode       = define(`
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
	return a.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		added, err := s.change(ctx, insertCode, code.Hash[:], []byte(code.ClientID), []byte(code.RedirectURI), []byte(code.User),
			[]byte(code.Scope), []byte(code.Nonce), []byte(code.Challenge), []byte(code.Family), []byte(code.Session),
			storelogic.Stamp(code.AuthTime), micros(code.Expires))
		if err == nil && added == 0 {
			return fault.Errorf(fault.Conflict, "there is a code with this hash already")
		}
		return err
	})
}

// RedeemCode implements store.SignIns. check runs again where the server gives the transaction up for
// another.
func (a *Accounts) RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (code account.Code, err error) {
	var (
		row     *storelogic.CodeRow
		refusal error
	)
	first := func(p *pipeline) {
		p.do(shareFamilies)
		p.do(lockFamilyOfCode, hash[:])
		p.code(&row, hash)
	}
	err = a.changing(ctx, first, func(ctx context.Context, s *session, last *pipeline) error {
		code = account.Code{}
		grant, err := row.Redeem(now, fresh, check)
		if refusal = err; errors.Is(err, account.ErrCodeReused) {
			code = row.Code
			last.do(deleteFamily, []byte(row.Family))
			return nil
		} else if err != nil {
			return nil
		}
		code = row.Code
		last.do(useCode, hash[:])
		return s.insertGrant(ctx, grant)
	})
	if err != nil {
		return account.Code{}, err
	}
	return code, refusal
}

// code asks for an authorisation code; row stays nil where there is none.
func (p *pipeline) code(row **storelogic.CodeRow, hash [32]byte) {
	*row = nil
	p.ask(selectCode, func(rows pgx.Rows) error {
		var (
			client, redirect, user, scope, nonce, challenge, family, session []byte
			signedIn, expires                                                int64
			used                                                             bool
		)
		err := rows.Scan(&client, &redirect, &user, &scope, &nonce, &challenge, &family, &session, &signedIn, &expires, &used)
		*row = &storelogic.CodeRow{Used: used, Code: account.Code{
			Hash: hash, ClientID: string(client), RedirectURI: string(redirect), User: string(user), Scope: string(scope),
			Nonce: string(nonce), Challenge: string(challenge), Family: string(family), Session: string(session),
			AuthTime: storelogic.Stamped(signedIn), Expires: instant(expires),
		}}
		return err
	}, hash[:])
}
