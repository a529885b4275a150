package accounts

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// checkCharged returns an error with the code Conflict if an account has a price plan and usage that no invoice charges,
// because invoices of deleted accounts cannot be drafted.
func (r *Resolver) checkCharged(ctx context.Context, id string) error {
	of, err := registry.Record[*account.Account](ctx, r.Registry, account.KindAccount.Key(id))
	if err != nil || of == nil || of.PricePlan == "" {
		return err
	}
	if r.Counts == nil {
		return fault.Errorf(fault.Unavailable, "the usage of the account %q cannot be checked here", fault.Shorten(id))
	}
	month, found, err := r.unchargedMonth(ctx, id)
	if err != nil || !found {
		return err
	}
	return fault.Errorf(fault.Conflict, "the account %q has usage in %s that no invoice charges: seal the month and draft its invoice "+
		"(suspend the account meanwhile), or remove the price plan to charge nothing more", fault.Shorten(id), month)
}

// unchargedMonth returns the month of a statement with billable lines that no invoice charges: the first sealed one, or else one
// that will be sealed.
func (r *Resolver) unchargedMonth(ctx context.Context, of string) (month usage.Month, found bool, err error) {
	records, err := r.Registry.Store()
	if err != nil {
		return month, false, err
	}
	// The ledger is read before the statements, so that a seal between the two hides nothing.
	ledger, _, err := r.Counts.Ledger(ctx, of)
	if err != nil {
		return month, false, err
	}
	seals, err := r.Counts.Seals(ctx)
	if err != nil {
		return month, false, err
	}
	statements, err := r.Counts.Statements(ctx, of, month)
	if err != nil {
		return month, false, err
	}
	var invoiced usage.Month // the last month with an invoice, before which none can be drafted
	for invoice, err := range store.Records[*account.Invoice](ctx, records, account.KindInvoice, of, "") {
		if err != nil {
			return month, false, err
		}
		invoiced = invoice.Month
	}
	for _, statement := range statements {
		if invoiced.Before(statement.Month) && slices.ContainsFunc(statement.Lines, func(line usage.Line) bool { return line.Billable }) {
			return statement.Month, true, nil
		}
	}
	for _, sum := range ledger {
		if sum.Sealed != (usage.Month{}) || sum.Sandbox || sum.Plays == 0 && sum.Milliseconds == 0 {
			continue
		}
		if len(seals) > 0 && !seals[len(seals)-1].Month.Before(sum.Month) { // a late play, which the next statement has
			return seals[len(seals)-1].Month.Next(), true, nil
		}
		return sum.Month, true, nil
	}
	return month, false, nil
}
