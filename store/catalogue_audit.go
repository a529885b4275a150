package store

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// CatalogueAuditEntry is an entry of the catalogue's audit log. The store writes it in the transaction of the change.
type CatalogueAuditEntry struct {
	// The store sets Number and At. Number grows with time; there may be gaps.
	Number int64
	At     time.Time
	Actor  account.Actor
	Kind   catalogue.Kind
	// ID is "" if the entry is not about a single item.
	ID catalogue.ID
	// Before and After are the item as JSON before and after the change; nil: it did not exist then.
	Before, After []byte
}

// CatalogueAuditQuery selects entries of the catalogue's audit log: all, those of a kind, those of the item that Kind and ID
// name, or those of an actor.
type CatalogueAuditQuery struct {
	Kind catalogue.Kind
	ID   catalogue.ID
	// Actor is the ID of a user or a client: it keeps the changes that either made, among those with a number above Above,
	// of any kind. No index has actors, so callers bound the numbers. Kind and ID are "" then.
	Actor string
	Above int64
	// Below keeps entries with a lower number; 0: all.
	Below int64
	// Limit is the maximum number of entries to return, at most 1,000.
	Limit int
}
