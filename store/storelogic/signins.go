package storelogic

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

// Rotate decides about the replacement of a token, and returns its successor. row is nil where there is no such
// token, stored where no token has the hash of next yet. Nothing is to be written where the rotation repeats one whose
// successor is stored: repeated is true then. After account.ErrGrantReused the grants of the token's family are to be
// dropped: reuse indicates a theft even where the token is too old to be replaced, or has expired.
func (row *GrantRow) Rotate(clientID string, next account.Grant, stored *GrantRow, now, notBefore time.Time) (successor account.Grant, repeated bool, err error) {
	switch {
	case row == nil || row.ClientID != clientID:
		return account.Grant{}, false, account.ErrGrantUnknown
	case row.Replaced && stored.mayRepeat(row, now, notBefore):
		return stored.Grant, true, nil
	case row.Replaced:
		return account.Grant{}, false, account.ErrGrantReused
	case !now.Before(row.Expires) || row.IssuedAt.Before(notBefore):
		return account.Grant{}, false, account.ErrGrantUnknown
	}
	successor = row.Grant
	successor.Hash, successor.IssuedAt, successor.Expires = next.Hash, next.IssuedAt, next.Expires
	return successor, false, nil
}

// mayRepeat reports whether a token is the unused successor of replaced and may be handed out again.
func (row *GrantRow) mayRepeat(replaced *GrantRow, now, notBefore time.Time) bool {
	return row != nil && !row.Replaced && row.Family == replaced.Family && now.Before(row.IssuedAt.Add(account.RefreshGrace)) &&
		now.Before(row.Expires) && !row.IssuedAt.Before(notBefore)
}
