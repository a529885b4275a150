package store

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Deprecations is the system of record for who uses what is deprecated. Until when they may is in records of
// Registry. Faults are those of Catalogue. Every method may be called concurrently.
type Deprecations interface {
	// AddDeprecatedUses adds uses to those of before, all or none: counts are summed, First and Last widened.
	// The same item, client and account may stand there several times.
	AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error
	// DeprecatedUses returns the uses that a query asks for, in the order of client and account, by bytes.
	DeprecatedUses(ctx context.Context, query DeprecatedUseQuery) ([]account.DeprecatedUse, error)
}

// DeprecatedUseQuery asks for uses of one item.
type DeprecatedUseQuery struct {
	Item string
	// Client limits them to those of one client; nil: of all.
	Client *string
	// Since leaves out clients that have not used the item then or later; zero: none.
	Since time.Time
	// After is the place of the last use of the page before; nil: from the start.
	After *DeprecatedUsePlace
	// Limit is the most uses to return, MaxDeprecatedUses at the most.
	Limit int
}

// MaxDeprecatedUses is the most uses that one call returns.
const MaxDeprecatedUses = 1000

// DeprecatedUsePlace is a place among the uses of one item.
type DeprecatedUsePlace struct{ Client, Account string }

// From is the lowest place that is behind p, and the start for nil.
func (p *DeprecatedUsePlace) From() DeprecatedUsePlace {
	if p == nil {
		return DeprecatedUsePlace{}
	}
	return DeprecatedUsePlace{Client: p.Client, Account: p.Account + "\x00"}
}
