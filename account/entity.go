package account

import (
	"fmt"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Kind is the kind of an Entity.
type Kind string

// The kinds of entities.
const (
	KindAccount        Kind = "account"
	KindClient         Kind = "client"
	KindUser           Kind = "user"
	KindTier           Kind = "tier"
	KindContentPackage Kind = "contentPackage"
	KindPolicy         Kind = "policy"
	KindDeprecation    Kind = "deprecation"
	KindLogo           Kind = "logo"
	KindStaffMember    Kind = "staffMember"
	KindSecondFactor   Kind = "secondFactor"
	KindImportMapping  Kind = "importMapping"
	KindPricePlan      Kind = "pricePlan"
	KindInvoice        Kind = "invoice"
	KindInvoiceNumbers Kind = "invoiceNumbers"
	KindRoyaltyTerms   Kind = "royaltyTerms"
)

// Kinds returns all kinds, each after the kinds that it may refer to.
func Kinds() []Kind {
	return []Kind{
		KindPolicy, KindDeprecation, KindTier, KindContentPackage, KindLogo, KindPricePlan, KindAccount, KindClient, KindUser, KindStaffMember, KindSecondFactor,
		KindImportMapping, KindInvoice, KindInvoiceNumbers, KindRoyaltyTerms,
	}
}

// InRoster reports whether a Roster holds the entities of the kind. There may be millions of users and invoices, logos are
// large, and requests need neither second factors, mappings nor prices.
func (k Kind) InRoster() bool {
	switch k {
	case KindUser, KindLogo, KindSecondFactor, KindImportMapping, KindPricePlan, KindInvoice, KindInvoiceNumbers, KindRoyaltyTerms:
		return false
	}
	return true
}

// IsMoney reports whether entities of the kind may be seen only by staff who may see bills.
func (k Kind) IsMoney() bool {
	switch k {
	case KindPricePlan, KindInvoice, KindInvoiceNumbers, KindRoyaltyTerms:
		return true
	}
	return false
}

// IsPerson reports whether entities of the kind may be seen only by staff who may see persons.
func (k Kind) IsPerson() bool {
	switch k {
	case KindUser, KindStaffMember, KindSecondFactor:
		return true
	}
	return false
}

// EntityKey identifies an entity.
type EntityKey struct {
	Kind Kind
	ID   string
}

// Key returns the key of the entity of the kind with an ID. Roles and second factors have the IDs of their users, and
// royalty terms those of their channels.
func (k Kind) Key(id string) EntityKey { return EntityKey{k, id} }

// Entity is a record that an operator administers. It is stored as its JSON encoding.
type Entity interface {
	Key() EntityKey
	Head() *Meta
	// Owner returns the ID of the account that the entity belongs to, or "" if none.
	Owner() string
	// Names returns the unique names under which the entity can be looked up (NameOf). No other entity of any kind
	// may have them.
	Names() []string
	// Links returns the entities that must exist as long as this one does.
	Links() []EntityKey
	// Validate returns all errors in the order of the fields, or nil if the entity may be stored.
	Validate() fault.FieldErrors
	// Redacted returns a copy without hashes and secrets, which may be shown and stored in the audit log.
	Redacted() Entity
}

// As returns an entity as an R, or the zero R if it is nil or of another kind. It passes on the error of the call that
// reads the entity.
func As[R Entity](record Entity, err error) (R, error) {
	found, _ := record.(R)
	return found, err
}

// Meta is metadata maintained by the store. It is not part of the JSON encoding.
type Meta struct {
	// Version increases with every change of the entity. No two changes of any entities share a version. 0 means the
	// entity is not stored.
	Version int64 `json:"-"`
	// CreatedAt and UpdatedAt are in UTC with microseconds.
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`
}

// Head returns the metadata of the entity.
func (m *Meta) Head() *Meta { return m }

// The following methods suit kinds that belong to no account, are looked up by ID only, and refer to no other entity.
// Other kinds have methods of their own.

// Owner returns "".
func (m *Meta) Owner() string { return "" }

// Names returns nil.
func (m *Meta) Names() []string { return nil }

// Links returns nil.
func (m *Meta) Links() []EntityKey { return nil }

// NewEntity returns an empty entity with the given key, or nil if the kind is unknown.
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
	case KindLogo:
		return &Logo{ID: key.ID}
	case KindStaffMember:
		return &StaffMember{ID: key.ID}
	case KindSecondFactor:
		return &SecondFactor{ID: key.ID}
	case KindImportMapping:
		return &ImportMapping{ID: key.ID}
	case KindDeprecation:
		return &Deprecation{ID: key.ID}
	case KindPricePlan:
		return &PricePlan{ID: key.ID}
	case KindInvoice:
		return &Invoice{ID: key.ID}
	case KindInvoiceNumbers:
		return &InvoiceNumbers{}
	case KindRoyaltyTerms:
		return &RoyaltyTerms{ID: key.ID}
	}
	return nil
}

// NameOf encodes parts as one name. Each part is preceded by its length, so different parts never give the same name.
func NameOf(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&b, "%d:%s", len(part), part)
	}
	return b.String()
}

// Actor identifies who changes entities, for the audit log.
type Actor struct {
	// Client and User identify the API caller. For a command, Client is CommandLine and User is the name of the
	// operating system's account.
	Client, User string
}

// CommandLine is the Client of an Actor that ran a command.
const CommandLine = "command line"

// AuditEntry describes one change of one entity. It is written in the transaction of the change.
type AuditEntry struct {
	// Number increases with time; there may be gaps.
	Number int64
	At     time.Time
	Actor  Actor
	Key    EntityKey
	// Owner is the ID of the account that the entity belongs to, or the entity's own ID if it is an account.
	Owner string
	// Before and After are the redacted JSON encodings; nil if the entity did not exist before or after the change.
	Before, After []byte
}
