package registry

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
)

// RequireForAudit returns an error with the code Forbidden if the caller may not see the records of a kind, or of all
// kinds for nil, whose states the audit log shows.
func RequireForAudit(ctx context.Context, kind *account.Kind) error {
	switch {
	case kind == nil:
		if err := account.Require(ctx, account.ViewPersons); err != nil {
			return err
		}
	case kind.IsPerson():
		return account.Require(ctx, account.ViewPersons)
	case kind.IsMoney():
		return account.Require(ctx, account.ViewBilling)
	}
	return account.Require(ctx, account.ViewCustomers)
}

// HideBills removes the states of bills, prices and royalties from entries, unless the caller may see bills.
func HideBills(ctx context.Context, entries []account.AuditEntry) {
	if account.CallerOf(ctx).Permissions.Has(account.ViewBilling) {
		return
	}
	for i := range entries {
		if entries[i].Key.Kind.IsMoney() {
			entries[i].Before, entries[i].After = nil, nil
		}
	}
}
