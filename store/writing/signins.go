package writing

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Stamp is an instant as a column holds it: microseconds since 1970, 0 for none.
func Stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Stamped is the instant of a Stamp, in UTC.
func Stamped(stamp int64) time.Time {
	if stamp == 0 {
		return time.Time{}
	}
	return time.UnixMicro(stamp).UTC()
}

// CodeRow is what is stored of an authorisation code.
type CodeRow struct {
	account.Code
	Used bool
}

// Redeem judges the use of a code, and returns the grant that it gives; row is nil where there is no such
// code. After account.ErrCodeReused the grants of the code's family are to be dropped.
func (row *CodeRow) Redeem(now time.Time, fresh account.Grant, check func(account.Code) error) (account.Grant, error) {
	if row == nil || !row.Used && !now.Before(row.Expires) {
		return account.Grant{}, account.ErrCodeUnknown
	}
	if err := check(row.Code); err != nil {
		return account.Grant{}, err
	}
	if row.Used {
		return account.Grant{}, account.ErrCodeReused
	}
	return account.Grant{
		Hash: fresh.Hash, IssuedAt: fresh.IssuedAt, Expires: fresh.Expires,
		Family: row.Family, ClientID: row.ClientID, User: row.User, Scope: row.Scope,
		Session: row.Session, AuthTime: row.AuthTime,
	}, nil
}

// GrantRow is what is stored of a refresh token.
type GrantRow struct {
	account.Grant
	Replaced bool
}

// Rotate judges the replacement of a token, and returns its successor; row is nil where there is no such
// token. After account.ErrGrantReused the grants of the token's family are to be dropped: reuse tells of
// a theft even where the token is too old to be replaced, or has expired.
func (row *GrantRow) Rotate(clientID string, next account.Grant, now, notBefore time.Time) (account.Grant, error) {
	switch {
	case row == nil || row.ClientID != clientID:
		return account.Grant{}, account.ErrGrantUnknown
	case row.Replaced:
		return account.Grant{}, account.ErrGrantReused
	case !now.Before(row.Expires) || row.IssuedAt.Before(notBefore):
		return account.Grant{}, account.ErrGrantUnknown
	}
	successor := row.Grant
	successor.Hash, successor.IssuedAt, successor.Expires = next.Hash, next.IssuedAt, next.Expires
	return successor, nil
}
