package store

import (
	"context"
	"iter"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Registry is the system of record for whom the operator serves: accounts, clients, users, tiers and content packages,
// with the audit log of their changes.
//
// A new registry contains account.BuiltInTiers, once, without audit entries. Values that methods return belong to the
// caller. Errors are those of Catalogue. Every method may be called concurrently.
type Registry interface {
	// Roster returns all entities of the kinds in rosters (account.Kind.InRoster), as of one moment, and the version of that moment.
	Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error)
	// RosterVersion shows whether Roster, Keys or Revoked would return anything new. It reads one row of the primary.
	RosterVersion(ctx context.Context) (account.RosterVersion, error)

	// Entities returns up to limit entities of a kind, at most 1,000, with an ID above after, in the order of IDs. owner
	// limits them to one account; "": all accounts.
	Entities(ctx context.Context, kind account.Kind, owner string, after string, limit int) ([]account.Entity, error)
	// EntitiesOf is like Entities for those that belong to any of several accounts.
	EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) ([]account.Entity, error)
	// EntitiesByID returns the entities of a kind with these IDs, by ID. It leaves out IDs that do not exist.
	EntitiesByID(ctx context.Context, kind account.Kind, ids []string) (map[string]account.Entity, error)
	// Entity returns the entity with a key; nil: there is none.
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	// Named returns the entity that has a name (account.Entity.Names); nil: there is none.
	Named(ctx context.Context, name string) (account.Entity, error)

	// Edit runs fn in one transaction, which it commits if fn returns nil. If fn returns an error, Edit rolls the
	// transaction back and returns the error. Each entity that fn puts or deletes gets an audit entry in the same
	// transaction, with its redacted bodies before and after. fn must read the data that it depends on through the
	// transaction. It must not call other methods that write, because they would wait for each other. fn may run again
	// where an engine requires it.
	Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx RegistryTx) error) error
	// Audit returns up to limit audit entries, at most 1,000, the newest first, with a number below below (0: from the
	// newest). Zero fields of the query limit nothing. The number of an entry is the version that the change gave the
	// entity.
	Audit(ctx context.Context, query AuditQuery, below int64, limit int) ([]account.AuditEntry, error)

	// RedactAudit removes the bodies before and after from all audit entries of an entity, which may be deleted, and
	// returns how many entries had any. It keeps the actor and the time of each change.
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
	// EntitiesOf is Registry.EntitiesOf as the transaction sees it.
	EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) ([]account.Entity, error)
	// EntitiesByID is Registry.EntitiesByID as the transaction sees it. Calls that need these entities later do not read them
	// from the database again.
	EntitiesByID(ctx context.Context, kind account.Kind, ids []string) (map[string]account.Entity, error)
	// Logged reports whether the audit log has an entry of an entity, which may be deleted.
	Logged(ctx context.Context, key account.EntityKey) (bool, error)
	// Put adds an entity, or replaces the one with its key, and sets its Meta. An entity that equals the stored one stays
	// unchanged and gets no audit entry. The error is of code Invalid if Validate finds faults (its reasons) or Links
	// names an entity that does not exist, and of code Conflict if another entity has one of the names.
	Put(ctx context.Context, record account.Entity) error
	// Delete removes an entity. The error is of code NotFound if there is none, and of code Conflict if others link to
	// it; its message names the first of them.
	Delete(ctx context.Context, key account.EntityKey) error
}

// Records returns all entities of a kind with an ID above after, in the order of IDs. owner limits them to one account; "":
// all accounts. An error ends the sequence.
func Records[R account.Entity](ctx context.Context, registry Registry, kind account.Kind, owner, after string) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		const atOnce = 500
		for after := after; ; {
			page, err := registry.Entities(ctx, kind, owner, after, atOnce)
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, record := range page {
				after = record.Key().ID
				if found, ok := record.(R); ok && !yield(found, nil) {
					return
				}
			}
			if len(page) < atOnce {
				return
			}
		}
	}
}

// DeleteWithDependents deletes an entity and its dependents (account.Dependents), with the errors of RegistryTx.Delete.
func DeleteWithDependents(ctx context.Context, tx RegistryTx, key account.EntityKey) error {
	for _, dependent := range account.Dependents(key) {
		found, err := tx.Entity(ctx, dependent)
		if err == nil && found != nil {
			err = tx.Delete(ctx, dependent)
		}
		if err != nil {
			return err
		}
	}
	return tx.Delete(ctx, key)
}

// AuditQuery limits the entries that Audit returns.
type AuditQuery struct {
	Key   account.EntityKey // both parts, or only the kind
	Owner string
	// Actor and Above are those of CatalogueAuditQuery. The other fields are zero then.
	Actor string
	Above int64
}

// SignIns is the system of record for the state that a sign-in creates: authorization codes, sessions and refresh
// tokens (grants).
type SignIns interface {
	// PutCode stores a new authorization code. PutCode, PutGrant and PutSession return an error of code Conflict if the
	// hash exists.
	PutCode(ctx context.Context, code account.Code) error
	// RedeemCode marks a code as used and stores fresh, in one transaction, and returns the code. Of fresh, it uses
	// only Hash, IssuedAt and Expires; the other fields come from the code. check sees the code first; if it returns an
	// error, RedeemCode returns it and the code stays unused. check may run again where an engine requires it.
	//
	// The error is ErrCodeUnknown, without a call of check, if the code does not exist or expired unused. The error is
	// ErrCodeReused if the code was used before and check returned nil, so that only the code's client can revoke its
	// tokens; RedeemCode then deletes all grants of the code's family and returns the code, so that the caller can
	// revoke its access tokens. Of concurrent calls with one code, in any process, exactly one succeeds.
	RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (account.Code, error)

	// PutGrant stores a new refresh token.
	PutGrant(ctx context.Context, grant account.Grant) error
	// Grant returns the grant of a refresh token. The error is ErrGrantUnknown if the grant does not exist, or was
	// replaced or dropped, or has expired.
	Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error)
	// RotateGrant replaces, in one transaction, the grant with the hash old by next, and returns the replaced grant and
	// its successor. Of next, it uses only Hash, IssuedAt and Expires; the other fields come from the old grant.
	//
	// If the old grant was replaced before by a grant with the hash of next, RotateGrant returns that grant as stored
	// and changes nothing, provided that it is unused and has not expired, and was issued less than
	// account.RefreshGrace ago and not before notBefore. Therefore concurrent calls with the same token and the same
	// successor, in any process, all return the same result.
	//
	// The error is ErrGrantUnknown if the grant does not exist, has expired, belongs to another client or was issued
	// before notBefore. The error is ErrGrantReused if the grant was replaced before and the rule above does not apply,
	// regardless of its time of issue and even if it has expired since; RotateGrant then deletes the whole family and
	// also returns the grant.
	RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error)
	// DropGrants deletes the grants that match a filter, including replaced ones, and the unused codes that would
	// create such grants. A concurrent rotation or redemption leaves none of them. An empty filter matches nothing.
	DropGrants(ctx context.Context, of account.GrantFilter) error

	// PutSession stores a new session.
	PutSession(ctx context.Context, session account.Session) error
	// Session returns the session with a hash, unless it has expired; nil: there is none.
	Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error)
	// UserSessions returns up to 200 sessions of a user that have not expired, the latest authentication first.
	UserSessions(ctx context.Context, user string, now time.Time) ([]account.UserSession, error)
	// DropSessions deletes the session with an ID, or all sessions of a user; the other argument is "". If both are, it
	// deletes nothing.
	DropSessions(ctx context.Context, id, user string) error

	// Revoke marks access tokens as invalid until they would have expired. A mark is the ID, the family, the session or
	// the user of tokens.
	Revoke(ctx context.Context, marks []string, until time.Time) error
	// Revoked returns the marks that are in force at an instant, and when each ends.
	Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error)

	// UseStep marks a time step of the one-time passwords (RFC 6238) of a secret, by its hash, as used until an instant. It
	// returns false if the step or a later one is marked. Of concurrent calls for one step, in any process, exactly one returns
	// true.
	UseStep(ctx context.Context, of string, step int64, until time.Time) (bool, error)

	// Sweep deletes codes, grants, sessions, revocations and used steps that expired before an instant. Used codes and replaced
	// grants stay while a grant of their family has not expired, so that their reuse is detected.
	Sweep(ctx context.Context, expiredBefore time.Time) error
}

// Keys is the system of record for the secrets of the service.
type Keys interface {
	// Keys returns the keys for a purpose, the newest first.
	Keys(ctx context.Context, purpose string) ([]Key, error)
	// AddKey adds a key and increases RosterVersion. If onlyFirst is set and the purpose has a key, AddKey changes
	// nothing, so that processes that start at the same time agree on one key.
	AddKey(ctx context.Context, purpose string, key Key, onlyFirst bool) error
	// DropKeys removes the keys of a purpose with these IDs and increases RosterVersion.
	DropKeys(ctx context.Context, purpose string, ids []string) error
}
