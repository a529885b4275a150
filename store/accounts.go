package store

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Registry is the system of record for whom the operator serves: accounts, clients, users, tiers and content packages,
// with the audit log of their changes.
//
// A new registry contains account.BuiltInTiers, once, without audit entries. Values that methods return belong to the
// caller. Errors are those of Catalogue. Every method may be called concurrently.
type Registry interface {
	// Roster returns all entities except users, as they stood at one moment, and the version of that moment.
	Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error)
	// RosterVersion shows whether Roster, Keys or Revoked would return anything new. It reads one row of the primary.
	RosterVersion(ctx context.Context) (account.RosterVersion, error)

	// Entities returns up to limit entities of a kind, at most 1,000, with an ID above after, in the order of IDs. owner
	// limits them to one account; "": all accounts.
	Entities(ctx context.Context, kind account.Kind, owner string, after string, limit int) ([]account.Entity, error)
	// Entity returns the entity with a key; nil: there is none.
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	// Named returns the entity that has a name (account.Entity.Names); nil: there is none.
	Named(ctx context.Context, name string) (account.Entity, error)

	// Edit runs fn in one transaction, which it commits when fn returns nil. When fn returns an error, it rolls the
	// transaction back and returns the error. Each entity that fn puts or deletes gets an audit entry in the same
	// transaction, with its redacted bodies before and after. fn must read what it decides by through the transaction,
	// and must not call other methods that write: they wait for one another. fn may run again where an engine requires
	// it.
	Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx RegistryTx) error) error
	// Audit returns up to limit audit entries, at most 1,000, the newest first, with a number below below (0: from the
	// newest). Zero fields of the query limit nothing. The number of an entry is the version that the change gave the
	// entity.
	Audit(ctx context.Context, query AuditQuery, below int64, limit int) ([]account.AuditEntry, error)

	// RedactAudit removes the bodies before and after from all audit entries of an entity, which may be deleted, and
	// returns how many entries had any. It keeps who changed the entity, and when.
	RedactAudit(ctx context.Context, key account.EntityKey) (int64, error)

	// Note adds an audit entry that describes no change: Before is nil, and After is body, which is JSON. If the entity
	// has such an entry with the same body, by any actor, Note adds nothing; of concurrent calls, in any process, one
	// adds. If there is no such entity, the error is of code NotFound.
	Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error

	// EnsureUser returns the user that has the first of user.Names(). If there is none, it adds user; of concurrent
	// calls, in any process, one adds and all return the same user. If the user exists and profile is set, EnsureUser
	// copies Email, EmailVerified, GivenName and FamilyName from user. It adds no audit entry. The error is of code
	// Conflict if another entity has a name, NotFound if the account does not exist, and Invalid if user has no name or
	// Validate finds faults. A disabled user is returned like any other.
	EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error)

	// AddUsage adds counts to those of accounts in a month ("2026-11"), and returns the sums.
	AddUsage(ctx context.Context, month string, counts map[string]int64) (map[string]int64, error)
	// Usage returns the counts of a month, for accounts that have any.
	Usage(ctx context.Context, month string) (map[string]int64, error)
}

// RegistryTx writes entities within one transaction. One goroutine at a time uses it, and only until fn returns. If a
// call fails, the whole Edit fails.
type RegistryTx interface {
	// Entity is Registry.Entity as the transaction sees it.
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	// Told reports whether the audit log has an entry of an entity, which may be deleted.
	Told(ctx context.Context, key account.EntityKey) (bool, error)
	// Put adds an entity, or replaces the one with its key, and sets its Meta. An entity that equals the stored one stays
	// unchanged and gets no audit entry. The error is of code Invalid if Validate finds faults (its reasons) or Links
	// names an entity that does not exist, and of code Conflict if another entity has one of the names.
	Put(ctx context.Context, record account.Entity) error
	// Delete removes an entity. The error is of code NotFound if there is none, and of code Conflict if others link to
	// it; its message names the first of them.
	Delete(ctx context.Context, key account.EntityKey) error
}

// AuditQuery limits the entries that Audit returns.
type AuditQuery struct {
	Key   account.EntityKey // both parts, or only the kind
	Owner string
}

// SignIns is the system of record for what a sign-in creates: codes, sessions and refresh tokens.
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
	// Session returns the session with a hash, unless it has expired; nil: there is none.
	Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error)
	// DropSessions deletes the session with an ID, or all sessions of a user; the other argument is "". If both are, it
	// deletes nothing.
	DropSessions(ctx context.Context, id, user string) error

	// Revoke notes that access tokens with one of these marks (a token's ID, its family, its session, a
	// user) do not count, until they would have expired anyway.
	Revoke(ctx context.Context, marks []string, until time.Time) error
	// Revoked returns the marks that are in force at an instant, with their ends.
	Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error)

	// Sweep deletes codes, grants, sessions and revocations that expired before an instant. Used codes and replaced
	// grants stay while a grant of their family has not expired, so that their reuse is detected.
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
