package store

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// CatalogueEntry is an entry of the catalogue's audit log. It is written in the transaction of what it tells.
type CatalogueAuditEntry struct {
	// Number grows with time; there may be gaps. Number and At are given by the store.
	Number int64
	At     time.Time
	Actor  account.Actor
	Kind   catalogue.Kind
	// ID is "" where the entry is not of one thing.
	ID catalogue.ID
	// Before and After are JSON, as whoever wrote the entry shows such a thing; nil: there was, or is, none.
	Before, After []byte
}

// CatalogueAuditQuery asks for entries of the catalogue's audit log: of all, of a kind, or of one thing by both
// Kind and ID.
type CatalogueAuditQuery struct {
	Kind catalogue.Kind
	ID   catalogue.ID
	// Below keeps entries with a lower number; 0: all.
	Below int64
	// Limit is the most entries to return, 1,000 at the most.
	Limit int
}
