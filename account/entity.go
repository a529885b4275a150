package account

import (
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Kind is the kind of an Entity.
type Kind string

// The kinds.
const (
	KindAccount        Kind = "account"
	KindClient         Kind = "client"
	KindUser           Kind = "user"
	KindTier           Kind = "tier"
	KindContentPackage Kind = "contentPackage"
	KindPolicy         Kind = "policy"
	KindDeprecation    Kind = "deprecation"
)

// Kinds lists the kinds, those that others refer to first.
func Kinds() []Kind {
	return []Kind{KindPolicy, KindDeprecation, KindTier, KindContentPackage, KindAccount, KindClient, KindUser}
}

// EntityKey names a record.
type EntityKey struct {
	Kind Kind
	ID   string
}

// Entity is a thing that an operator administers. Its body is its JSON encoding.
type Entity interface {
	Key() EntityKey
	Head() *Meta
	// Owner is the ID of the account that the record belongs to, "" for one that belongs to none.
	Owner() string
	// Names are what no other record of any kind may have: the record is found by them (NameOf).
	Names() []string
	// Links are the records that must be there as long as this one is.
	Links() []EntityKey
	// Validate returns every fault in the order of the fields; nil: it may be stored.
	Validate() fault.FieldErrors
	// Redacted is a copy that may be shown and kept in the audit trail: without hashes and secrets.
	Redacted() Entity
}

// Meta is what the store itself keeps of a record. It is no part of the body.
type Meta struct {
	// Version grows with every change of the record, and is that of no other change of any record; 0: it
	// is not stored yet.
	Version int64 `json:"-"`
	// CreatedAt and UpdatedAt are UTC, microseconds.
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`
}

// Head returns the Meta itself.
func (m *Meta) Head() *Meta { return m }

// NewEntity returns an empty record with a key, nil for a kind that there is not.
func NewEntity(key EntityKey) Entity {
	switch key.Kind {
	case KindAccount:
		return &Account{ID: key.ID}
	case KindClient:
		return &Client{ID: key.ID}
	case KindUser:
		return &User{ID: key.ID}
	case KindTier:
		return &Tier{ID: key.ID}
	case KindContentPackage:
		return &ContentPackage{ID: key.ID}
	case KindPolicy:
		return &Policy{}
	case KindDeprecation:
		return &Deprecation{ID: key.ID}
	}
	return nil
}

// NameOf writes a name of parts, so that no two lists of parts share one: each part is preceded by its
// length.
func NameOf(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(lengthOf(part))
		b.WriteString(part)
	}
	return b.String()
}

// Actor is who changes records, for the audit trail.
type Actor struct {
	// Client and User are those of the caller who did it over the API; Client is "command line" for
	// whoever ran a command beside the store, with User the name of the system's account.
	Client, User string
}

// CommandLine is the Client of an Actor that is no client.
const CommandLine = "command line"

// AuditEntry tells of one change of one record. It is written in the transaction of the change.
type AuditEntry struct {
	// Number grows with time; there may be gaps.
	Number int64
	At     time.Time
	Actor  Actor
	Key    EntityKey
	// Owner is the ID of the account that the record belongs to, or is.
	Owner string
	// Before and After are the redacted bodies, JSON; nil: there was, or is, none.
	Before, After []byte
}
