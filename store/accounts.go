package store

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Registry is the system of record for whom the operator serves: accounts, clients, users, tiers and
// content packages, with the audit log of who changed them.
//
// New accounts begin with account.BuiltInTiers, of which the audit log does not tell; they are put in once.
// Values handed out belong to the caller. Faults are those of Catalogue. Every method may be called
// concurrently.
type Registry interface {
	// Roster returns all records but users, as they stood at one moment, and the version of that moment.
	Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error)
	// RosterVersion says whether Roster, Keys or Revoked would return anything new. It is read from the
	// primary, by one look at one row.
	RosterVersion(ctx context.Context) (account.RosterVersion, error)

	// Records returns up to limit records of a kind, 1,000 at the most, in the order of their IDs, above
	// after. owner limits them to those of one account; "": all.
	Entities(ctx context.Context, kind account.Kind, owner string, after string, limit int) ([]account.Entity, error)
	// Record returns the record with a key; nil: there is none.
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	// Named returns the record that has a name (account.Record.Names); nil: there is none.
	Named(ctx context.Context, name string) (account.Entity, error)

	// Edit runs fn in one transaction: all it does is committed when fn returns nil, nothing of it when
	// fn returns an error, which Edit returns. Each record that is put or deleted gets an entry of the
	// trail in the same transaction, with its redacted bodies before and after. It is fn's to read what
	// it decides by through the transaction. It must not call other methods that write: they wait for one
	// another. fn may run again where an engine asks for it.
	Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx RegistryTx) error) error
	// Audit returns up to limit entries of the audit log, 1,000 at the most, the newest first, below a number
	// (0: from the newest). Zero fields of the query limit nothing. The number of a change is the version
	// that it gave the record.
	Audit(ctx context.Context, query AuditQuery, below int64, limit int) ([]account.AuditEntry, error)

	// RedactAudit removes the bodies before and after from all entries of the audit log about a record, which may be gone,
	// and returns how many entries had any. Who changed the record, and when, stays.
	RedactAudit(ctx context.Context, key account.EntityKey) (int64, error)

	// Note adds an entry to the audit log that tells of no change: Before is nil and After is body, which is
	// JSON. Where the record has such an entry with the same body already, whoever wrote it, nothing is
	// added; of calls that race, in whatever processes, one adds. Where there is no such record, the error
	// is of code NotFound.
	Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error

	// EnsureUser returns the user that has the first of the names that user.Names() lists, having added
	// user where there is none: of processes that come at once, one adds and all return the same. Where
	// the user is there and profile is set, Email, EmailVerified, GivenName and FamilyName are brought to
	// those of user where they differ. No entry of the audit log tells of it. Where a name is already
	// another's, the error is of code Conflict; where the account is not there, of code NotFound; where the
	// user has no name or Validate finds faults, of code Invalid. A disabled user is returned as any other.
	EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error)

	// AddUsage adds counts to those of accounts in a month ("2026-11"), and returns what they come to.
	AddUsage(ctx context.Context, month string, counts map[string]int64) (map[string]int64, error)
	// Usage returns the counts of a month, of accounts that have any.
	Usage(ctx context.Context, month string) (map[string]int64, error)
}

// RegistryTx writes records within one transaction. It is used by one goroutine at a time, and not after
// fn has returned. A call that fails with an error fails the whole Edit.
type RegistryTx interface {
	// Record is that of Registry, as the transaction sees it.
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	// Told reports whether the audit log tells of a record with a key, be it there or not any more.
	Told(ctx context.Context, key account.EntityKey) (bool, error)
	// Put adds a record or replaces the one with its key, and sets its Meta. A record that equals what is
	// stored stays as it is, and no entry tells of it. The error is of code Invalid where Validate finds
	// faults (they are its reasons) or Links names what there is not, of code Conflict where a name is
	// another's.
	Put(ctx context.Context, record account.Entity) error
	// Delete removes a record. The error is of code NotFound where there is none, of code Conflict where
	// others link to it; its message names the first of them.
	Delete(ctx context.Context, key account.EntityKey) error
}

// AuditQuery limits what Audit returns.
type AuditQuery struct {
	Key   account.EntityKey // both parts, or the kind alone
	Owner string
}

// SignIns is the system of record for what signing in leaves behind: codes, sessions and refresh tokens.
type SignIns interface {
	// PutCode stores a new authorisation code. As with grants and sessions, the error is of code Conflict
	// where there is one with the hash already.
	PutCode(ctx context.Context, code account.Code) error
	// RedeemCode uses a code up and stores fresh, in one transaction, and returns what the code stands
	// for. check sees the code first; its error leaves the code unused and is returned. Of fresh only
	// Hash, IssuedAt and Expires count; the rest is the code's. ErrCodeUnknown: there is no such code, or
	// it has expired unused; check is not asked then. ErrCodeReused: it had been used before, and check found no
	// fault, so that nobody else can revoke what a code gave; the grants of its family have been dropped,
	// and the code is returned all the same, so that its access tokens can be revoked. Of calls that race
	// with one code, in whatever processes, exactly one succeeds. check may run again where an engine asks
	// for it.
	RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (account.Code, error)

	// PutGrant stores a new refresh token.
	PutGrant(ctx context.Context, grant account.Grant) error
	// Grant returns what a refresh token stands for that has been neither replaced nor dropped and has
	// not expired; else ErrGrantUnknown.
	Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error)
	// RotateGrant replaces, in one transaction, the token with the hash old by next, and returns what old
	// stood for, and its successor. Of next only Hash, IssuedAt and Expires count; the rest stays that of old.
	//
	// Where old had been replaced before by a token with the hash of next, that token is returned as it is stored and
	// nothing changes, if it is unused, has not expired, was issued less than account.RefreshGrace ago and not before
	// notBefore. So of calls that race with one token and one successor, in whatever processes, all succeed alike.
	//
	// ErrGrantUnknown: there is no such token, or it has expired, belongs to another client, or was
	// issued before notBefore. ErrGrantReused: it had been replaced before, and the rule above does not apply,
	// whenever it was issued, and even where it would have expired since; the whole family has been dropped, and the
	// grant is returned all the same.
	RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error)
	// DropGrants forgets the grants that of names, those included that were replaced, and unused codes
	// that would give such; a rotation or redemption under way at the same time leaves none behind. Where
	// of names nothing, nothing is forgotten.
	DropGrants(ctx context.Context, of account.GrantFilter) error

	// PutSession stores a new session.
	PutSession(ctx context.Context, session account.Session) error
	// Session returns the session with a hash that has not expired; nil: there is none.
	Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error)
	// DropSessions forgets the session with an ID, or all those of a user; the other is "", and where both
	// are, nothing is forgotten.
	DropSessions(ctx context.Context, id, user string) error

	// Revoke notes that access tokens with one of these marks (a token's ID, its family, its session, a
	// user) do not count, until they would have expired anyway.
	Revoke(ctx context.Context, marks []string, until time.Time) error
	// Revoked returns the marks that count at an instant, with their ends.
	Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error)

	// Sweep forgets codes, grants, sessions and revocations that expired before an instant. Codes that were
	// used and grants that were replaced stay as long as a grant of their family has not, so that their
	// reuse is known.
	Sweep(ctx context.Context, expiredBefore time.Time) error
}

// Keys is the system of record for the secrets of the service.
type Keys interface {
	// Keys returns the keys for a purpose, the newest first.
	Keys(ctx context.Context, purpose string) ([]Key, error)
	// AddKey adds a key, unless the purpose has a key already and onlyFirst is set: then nothing
	// changes, so that processes that start together agree on one. RosterVersion grows.
	AddKey(ctx context.Context, purpose string, key Key, onlyFirst bool) error
	// DropKeys removes the keys of a purpose with these IDs. RosterVersion grows.
	DropKeys(ctx context.Context, purpose string, ids []string) error
}
