package store

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Deprecations is the system of record for the uses of deprecated items. The dates until which clients may use the
// items are part of the entities of Registry. Errors are those of Catalogue. Every method may be called concurrently.
type Deprecations interface {
	// AddDeprecatedUses adds uses to the stored ones, all or none: it adds up counts and widens First and Last. uses may
	// repeat an item, client and account.
	AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error
	// DeprecatedUses returns the uses that match a query, ordered by client and account, compared by bytes.
	DeprecatedUses(ctx context.Context, query DeprecatedUseQuery) ([]account.DeprecatedUse, error)
}

// DeprecatedUseQuery selects uses of one item.
type DeprecatedUseQuery struct {
	Item string
	// Client limits the uses to one client; nil: all clients.
	Client *string
	// Since leaves out uses that ended before; zero: none.
	Since time.Time
	// After is the place of the last use of the previous page; nil: the start.
	After *DeprecatedUsePlace
	// Limit is the maximum number of uses to return, at most MaxDeprecatedUses.
	Limit int
}

// MaxDeprecatedUses is the maximum number of uses that one call returns.
const MaxDeprecatedUses = 1000

// DeprecatedUsePlace is a place among the uses of one item.
type DeprecatedUsePlace struct{ Client, Account string }

// From returns the lowest place after p, or the start for nil.
func (p *DeprecatedUsePlace) From() DeprecatedUsePlace {
	if p == nil {
		return DeprecatedUsePlace{}
	}
	return DeprecatedUsePlace{Client: p.Client, Account: p.Account + "\x00"}
}
