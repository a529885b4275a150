package billing

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// ofMonth reports whether an ID is that of an invoice of a month.
func ofMonth(id string, month usage.Month) bool { return strings.HasPrefix(id, month.String()+"-") }

// invoicesOf returns a page of the invoices of a month.
func invoicesOf(ctx context.Context, records store.Registry, month usage.Month, after string, first int) ([]*account.Invoice, *model.PageInfo, error) {
	list, info, err := pageOf[*account.Invoice](ctx, records, account.KindInvoice, max(after, month.String()), first)
	if err != nil {
		return nil, nil, err
	}
	for i, invoice := range list {
		if !ofMonth(invoice.ID, month) {
			return list[:i], &model.PageInfo{}, nil
		}
	}
	return list, info, nil
}

// EachInvoice calls visit for each invoice of a month in the order of IDs. The error has the code Forbidden unless the
// caller may see bills.
func (r *Resolver) EachInvoice(ctx context.Context, month usage.Month, visit func(*account.Invoice) error) error {
	if err := require(ctx); err != nil {
		return err
	}
	records, err := r.config.Registry.Store()
	if err != nil {
		return err
	}
	for invoice, err := range store.Records[*account.Invoice](ctx, records, account.KindInvoice, "", month.String()) {
		if err != nil {
			return err
		}
		if !ofMonth(invoice.ID, month) {
			break
		}
		if err := visit(invoice); err != nil {
			return err
		}
	}
	return nil
}

// StoredInvoice returns the invoice with an ID. The error has the code NotFound if there is none, and Forbidden unless the
// caller may see bills.
func (r *Resolver) StoredInvoice(ctx context.Context, id string) (*account.Invoice, error) {
	if err := require(ctx); err != nil {
		return nil, err
	}
	invoice, err := registry.Record[*account.Invoice](ctx, r.config.Registry, account.KindInvoice.Key(id))
	if err == nil && invoice == nil {
		err = registry.NotFound(account.KindInvoice.Key(id))
	}
	return invoice, err
}

func (r *Resolver) Invoice(ctx context.Context, id string) (*graph.Invoice, error) {
	invoice, err := r.StoredInvoice(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.shownInvoice(ctx, invoice)
}

// shownInvoice returns one of shownInvoices.
func (r *Resolver) shownInvoice(ctx context.Context, invoice *account.Invoice) (*graph.Invoice, error) {
	shown, err := r.shownInvoices(ctx, []*account.Invoice{invoice})
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

func (r *Resolver) Invoices(ctx context.Context, month *usage.Month, of *string, state *billing.State, first int, after *string) (*graph.InvoiceConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, err
	}
	cursor, owner := values.Or(after), values.Or(of)
	if month != nil {
		cursor = max(cursor, month.String())
	}
	over := func(record account.Entity) bool { return month != nil && !ofMonth(record.Key().ID, *month) }
	read := func(after string, limit int) ([]account.Entity, error) {
		list, err := records.Entities(ctx, account.KindInvoice, owner, after, limit)
		for i, record := range list {
			if over(record) {
				return list[:i], err
			}
		}
		return list, err
	}
	found, info, err := paging.Find(first, cursor, read, func(record account.Entity) string { return record.Key().ID }, func(record account.Entity) bool {
		return state == nil || record.(*account.Invoice).State == *state
	})
	if err != nil {
		return nil, err
	}
	shown, err := r.shownInvoices(ctx, values.Map(found, func(record account.Entity) *account.Invoice { return record.(*account.Invoice) }))
	if err != nil {
		return nil, err
	}
	return &graph.InvoiceConnection{Nodes: shown, PageInfo: info}, nil
}

// shownInvoices compares each invoice with that of the month before.
func (r *Resolver) shownInvoices(ctx context.Context, invoices []*account.Invoice) ([]*graph.Invoice, error) {
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, err
	}
	idBefore := func(i *account.Invoice) string {
		return account.InvoiceID(i.Account, usage.MonthNumber(i.Month.Number()-1))
	}
	before, err := records.EntitiesByID(ctx, account.KindInvoice, values.Map(invoices, idBefore))
	if err != nil {
		return nil, err
	}
	return values.Map(invoices, func(i *account.Invoice) *graph.Invoice {
		previous, _ := before[idBefore(i)].(*account.Invoice)
		return shownAfter(i, previous)
	}), nil
}

// shownAfter returns an invoice, with what changed since the previous month, if it has an invoice.
func shownAfter(i, previous *account.Invoice) *graph.Invoice {
	shown := &graph.Invoice{
		ID: i.ID, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, Version: int(i.Version), Account: i.Account, Month: i.Month, State: i.State,
		Number: values.OrNil(i.Number), IssuedAt: i.IssuedAt, Issuer: shownParty(i.Issuer), Customer: shownParty(i.Customer),
		Statement: i.Statement, Plan: i.Plan, PlanName: i.PlanName, Currency: string(i.Terms.Currency), Lines: shownLines(i.Lines), Total: i.Total,
		Warnings: []graph.InvoiceWarning{},
	}
	if previous != nil && previous.Terms.Currency == i.Terms.Currency {
		shown.PreviousTotal = &previous.Total
		if i.Total.FarFrom(previous.Total) {
			shown.Warnings = append(shown.Warnings, graph.InvoiceWarningLargeChange)
		}
	}
	if i.Total.Sign() <= 0 {
		shown.Warnings = append(shown.Warnings, graph.InvoiceWarningNothingToPay)
	}
	if i.Customer.Address == "" {
		shown.Warnings = append(shown.Warnings, graph.InvoiceWarningNoAddress)
	}
	return shown
}

func shownParty(p billing.Party) *graph.InvoiceParty {
	return &graph.InvoiceParty{Name: p.Name, Address: p.Address, Email: p.Email}
}

// maxUnpriced is the most accounts without a price plan in one answer.
const maxUnpriced = 100

func (r *Resolver) InvoiceMonth(ctx context.Context, month usage.Month) (*graph.InvoiceMonth, error) {
	counts, err := r.counts()
	if err != nil {
		return nil, err
	}
	shown := &graph.InvoiceMonth{Month: month, WithoutPlan: []*graph.UnpricedAccount{}}
	totals := billing.Totals{}
	if err := r.EachInvoice(ctx, month, func(invoice *account.Invoice) error {
		totals.Add(invoice.Terms.Currency, invoice.Total)
		if invoice.State == billing.Issued {
			shown.Issued++
		} else {
			shown.Drafts++
		}
		return nil
	}); err != nil {
		return nil, err
	}
	shown.Totals = shownMoney(totals.Amounts())
	seals, err := counts.Seals(ctx)
	if err != nil {
		return nil, err
	}
	seal, err := sealOf(seals, month)
	if fault.CodeOf(err) == fault.Conflict {
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	at := seal.At.UTC()
	shown.SealedAt = &at
	statements, err := counts.Statements(ctx, "", month)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(statements, maxBatch) {
		if err := r.addUnpriced(ctx, shown, some); err != nil {
			return nil, err
		}
		if len(shown.WithoutPlan) == maxUnpriced {
			break
		}
	}
	return shown, nil
}

// addUnpriced adds the accounts of statements with billed usage, except those with a price plan and those of the operator, up to
// maxUnpriced.
func (r *Resolver) addUnpriced(ctx context.Context, shown *graph.InvoiceMonth, statements []usage.Statement) error {
	records, err := r.config.Registry.Store()
	if err != nil {
		return err
	}
	accounts, err := records.EntitiesByID(ctx, account.KindAccount, values.Map(statements, func(s usage.Statement) string { return s.Account }))
	if err != nil {
		return err
	}
	for i := range statements {
		s := &statements[i]
		of, found := accounts[s.Account].(*account.Account)
		if s.Plays == 0 && s.Seconds == 0 || found && (of.PricePlan != "" || of.Operator) || len(shown.WithoutPlan) == maxUnpriced {
			continue
		}
		unpriced := &graph.UnpricedAccount{Account: s.Account, Plays: s.Plays, Seconds: s.Seconds}
		if found {
			unpriced.Name = &of.Name
		}
		shown.WithoutPlan = append(shown.WithoutPlan, unpriced)
	}
	return nil
}
