package billing

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// channelNames returns a function that returns the name of a channel, or nil if it was deleted.
func (r *Resolver) channelNames(ctx context.Context) (func(id string) *string, error) {
	if r.config.Catalogue == nil {
		return func(string) *string { return nil }, nil
	}
	directory, err := r.config.Catalogue.Directory(ctx, 0)
	return func(id string) *string {
		if channel := directory.Channel(catalogue.ID(id)); channel != nil {
			return &channel.Name
		}
		return nil
	}, err
}

func (r *Resolver) RoyaltyTerms(ctx context.Context, first int, after *string) (*graph.RoyaltyTermsConnection, error) {
	names, err := r.channelNames(ctx)
	if err != nil {
		return nil, err
	}
	view := func(terms *account.RoyaltyTerms) *graph.RoyaltyTerms { return shownTerms(terms, names) }
	nodes, info, err := registry.Page(ctx, r.config.Registry, registry.Query{Kind: account.KindRoyaltyTerms}, first, after, nil, view)
	return &graph.RoyaltyTermsConnection{Nodes: nodes, PageInfo: info}, err
}

func shownTerms(t *account.RoyaltyTerms, names func(string) *string) *graph.RoyaltyTerms {
	shown := &graph.RoyaltyTerms{
		Channel: catalogue.ID(t.ID), ChannelName: names(t.ID), CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Version: int(t.Version), Basis: t.Basis,
	}
	if t.Basis == billing.Share {
		shown.Percent = &t.Percent
	} else {
		shown.Price, shown.Currency = &t.Price, values.OrNil(string(t.Currency))
	}
	return shown
}

func (r *Resolver) PutRoyaltyTerms(ctx context.Context, channel catalogue.ID, input graph.RoyaltyTermsInput, version *int) (*graph.RoyaltyTerms, error) {
	names, err := r.channelNames(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case r.config.Catalogue != nil && names(string(channel)) == nil:
		return nil, inputs.Invalid("channel", "there is no channel %q", fault.Shorten(string(channel)))
	case input.Basis == billing.Share && input.Percent == nil:
		return nil, inputs.Invalid("input.percent", "is required for a SHARE")
	case input.Basis == billing.Rate && (input.Price == nil || input.Currency == nil):
		return nil, inputs.Invalid("input.price", "and currency are required for a RATE")
	}
	create := func() *account.RoyaltyTerms { return &account.RoyaltyTerms{ID: string(channel)} }
	terms, err := registry.Put(ctx, r.config.Registry, version, create, func(_ context.Context, _ store.RegistryTx, terms *account.RoyaltyTerms) error {
		terms.Royalty = billing.Royalty{Basis: input.Basis, Percent: values.Or(input.Percent), Price: values.Or(input.Price), Currency: billing.Currency(values.Or(input.Currency))}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownTerms(terms, names), nil
}

func (r *Resolver) DeleteRoyaltyTerms(ctx context.Context, channel catalogue.ID, version *int) (catalogue.ID, error) {
	return channel, r.config.Registry.Remove(ctx, account.KindRoyaltyTerms.Key(string(channel)), version)
}

// Royalties returns the royalty statements of a month in the order of channels, and whether all invoices of the month are
// issued. The error has the code Forbidden unless the caller may see bills.
func (r *Resolver) Royalties(ctx context.Context, month usage.Month) (statements []billing.RoyaltyStatement, final bool, err error) {
	if err := require(ctx); err != nil {
		return nil, false, err
	}
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, false, err
	}
	names, err := r.channelNames(ctx)
	if err != nil {
		return nil, false, err
	}
	terms := map[string]billing.Royalty{}
	for one, err := range store.Records[*account.RoyaltyTerms](ctx, records, account.KindRoyaltyTerms, "", "") {
		if err != nil {
			return nil, false, err
		}
		terms[one.ID] = one.Royalty
	}
	royalties := billing.NewRoyalties(terms)
	final = true
	if err := r.EachInvoice(ctx, month, func(invoice *account.Invoice) error {
		royalties.Add(&invoice.Invoice)
		final = final && invoice.State == billing.Issued
		return nil
	}); err != nil {
		return nil, false, err
	}
	statements = royalties.Statements()
	for i := range statements {
		statements[i].ChannelName = values.Or(names(statements[i].Channel))
	}
	return statements, final, nil
}

func (r *Resolver) RoyaltyStatements(ctx context.Context, month usage.Month) ([]*graph.RoyaltyStatement, error) {
	statements, final, err := r.Royalties(ctx, month)
	return values.Map(statements, func(s billing.RoyaltyStatement) *graph.RoyaltyStatement {
		return &graph.RoyaltyStatement{
			Channel: catalogue.ID(s.Channel), ChannelName: values.OrNil(s.ChannelName), Final: final, Totals: shownMoney(s.Totals),
			Lines: values.Map(s.Lines, func(l billing.RoyaltyLine) *graph.RoyaltyLine {
				return &graph.RoyaltyLine{
					Account: l.Account, AccountName: l.AccountName, Milliseconds: l.Milliseconds, AccountMilliseconds: l.AccountMilliseconds,
					Revenue: money(l.RevenueCurrency, l.Revenue), Amount: money(l.Currency, l.Amount),
				}
			}),
		}
	}), err
}
