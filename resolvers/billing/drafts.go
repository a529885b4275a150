package billing

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// drafting composes the invoices of a month.
type drafting struct {
	records store.Registry
	counts  store.Usage
	seals   []usage.Seal
	month   usage.Month
	issuer  billing.Party
	plans   map[string]*account.PricePlan
	// read are the versions of the records that drafts build on: price plans, accounts and earlier invoices; 0: there is no
	// such record.
	read map[account.EntityKey]int64
}

// drafting returns an error with the code Conflict if the month is not sealed.
func (r *Resolver) drafting(ctx context.Context, month usage.Month) (*drafting, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, err
	}
	counts, err := r.counts()
	if err != nil {
		return nil, err
	}
	seals, err := counts.Seals(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := sealOf(seals, month); err != nil {
		return nil, err
	}
	d := &drafting{records: records, counts: counts, seals: seals, month: month, plans: map[string]*account.PricePlan{}, read: map[account.EntityKey]int64{}}
	if caller.Account != nil {
		d.issuer = caller.Account.Party()
	}
	return d, nil
}

// sealOf returns the seal of a month. The error has the code Conflict if the month is not sealed.
func sealOf(seals []usage.Seal, month usage.Month) (usage.Seal, error) {
	i := slices.IndexFunc(seals, func(s usage.Seal) bool { return s.Month == month })
	if i >= 0 {
		return seals[i], nil
	}
	if later := slices.IndexFunc(seals, func(s usage.Seal) bool { return month.Before(s.Month) }); later >= 0 {
		return usage.Seal{}, fault.Errorf(fault.Conflict, "%[1]s was sealed without %[2]s, which therefore has no invoices: its plays are adjustments of %[1]s", seals[later].Month, month)
	}
	return usage.Seal{}, fault.Errorf(fault.Conflict, "%s is not sealed; invoices follow from sealed statements", month)
}

// plan returns a plan, which it reads once.
func (d *drafting) plan(ctx context.Context, id string) (*account.PricePlan, error) {
	plan := d.plans[id]
	if plan == nil {
		var err error
		plan, err = account.As[*account.PricePlan](d.records.Entity(ctx, account.KindPricePlan.Key(id)))
		switch {
		case err != nil:
			return nil, err
		case plan == nil:
			return nil, fault.Errorf(fault.Conflict, "the price plan %q was deleted", fault.Shorten(id))
		}
		d.plans[id] = plan
	}
	d.read[plan.Key()] = plan.Version
	return plan, nil
}

// pastInvoices are the invoices of an account for earlier months, without the times of channels.
type pastInvoices = map[usage.Month]*account.Invoice

// earlierInvoices returns the earlier invoices of accounts by account.
func (d *drafting) earlierInvoices(ctx context.Context, ids ...string) (map[string]pastInvoices, error) {
	invoices := map[string]pastInvoices{}
	for _, id := range ids {
		invoices[id] = pastInvoices{}
		for _, seal := range d.seals {
			if seal.Month.Before(d.month) {
				d.read[account.KindInvoice.Key(account.InvoiceID(id, seal.Month))] = 0
			}
		}
	}
	err := eachInvoiceOf(ctx, d.records, ids, "", func(invoice *account.Invoice) bool {
		if !invoice.Month.Before(d.month) {
			return false
		}
		d.read[invoice.Key()] = invoice.Version
		invoice.Channels = nil // most of its memory
		invoices[invoice.Account][invoice.Month] = invoice
		return true
	})
	return invoices, err
}

// checkRead returns an error with the code Conflict if the records that drafts build on are no longer those that were read,
// or if an account has a later invoice by now.
func (d *drafting) checkRead(ctx context.Context, tx store.RegistryTx, drafts []*account.Invoice) error {
	later, err := d.withLater(ctx, tx, values.Map(drafts, func(draft *account.Invoice) string { return draft.Account })...)
	if err != nil {
		return err
	}
	for _, draft := range drafts {
		if later[draft.Account] {
			return fault.Errorf(fault.Conflict, "the account %q has an invoice for a later month, whose adjustments build on those before it", fault.Shorten(draft.Account))
		}
	}
	ids := map[account.Kind][]string{}
	for key := range d.read {
		ids[key.Kind] = append(ids[key.Kind], key.ID)
	}
	for kind, ids := range ids {
		now, err := tx.EntitiesByID(ctx, kind, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			version := int64(0)
			if record := now[id]; record != nil {
				version = record.Head().Version
			}
			if key := kind.Key(id); version != d.read[key] {
				return fault.Errorf(fault.Conflict, "the %s, on which a draft for %s builds, changed at the same time; draft again", registry.NameOf(key), d.month)
			}
		}
	}
	return nil
}

// invoiceReader reads the invoices of accounts, within a transaction or not.
type invoiceReader interface {
	EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) ([]account.Entity, error)
}

// withLater returns those of the accounts that have an invoice for a later month, whose adjustments build on this one.
func (d *drafting) withLater(ctx context.Context, records invoiceReader, ids ...string) (map[string]bool, error) {
	found := map[string]bool{}
	err := eachInvoiceOf(ctx, records, ids, d.month.Next().String(), func(invoice *account.Invoice) bool {
		found[invoice.Account] = true
		return len(found) < len(ids)
	})
	return found, err
}

// eachInvoiceOf visits the invoices of accounts with IDs above after, in their order, until visit returns false.
func eachInvoiceOf(ctx context.Context, records invoiceReader, accounts []string, after string, visit func(*account.Invoice) bool) error {
	for {
		page, err := records.EntitiesOf(ctx, account.KindInvoice, accounts, after, maxBatch)
		if err != nil {
			return err
		}
		for _, record := range page {
			if !visit(record.(*account.Invoice)) {
				return nil
			}
		}
		if len(page) < maxBatch {
			return nil
		}
		after = page[len(page)-1].Key().ID
	}
}

// compose returns the draft of an account with a price plan; nil if the account was created after the month and has no plays of
// it.
func (d *drafting) compose(ctx context.Context, of *account.Account, invoices pastInvoices) (*account.Invoice, error) {
	d.read[of.Key()] = of.Version
	plan, err := d.plan(ctx, of.PricePlan)
	if err != nil {
		return nil, err
	}
	statements, err := d.counts.Statements(ctx, of.ID, usage.Month{})
	if err != nil {
		return nil, err
	}
	draft := &account.Invoice{ID: account.InvoiceID(of.ID, d.month), Invoice: billing.Invoice{
		Account: of.ID, Month: d.month, State: billing.Draft, Issuer: d.issuer, Customer: of.Party(), Plan: plan.ID, PlanName: plan.Name, Terms: plan.Terms,
	}}
	var q billing.Quantities
	at := slices.IndexFunc(statements, func(s usage.Statement) bool { return s.Month == d.month })
	if at >= 0 {
		draft.Statement = statements[at].Checksum
		q.Add(&statements[at], d.month)
		if err := d.measure(ctx, draft, &q); err != nil {
			return nil, err
		}
	} else if !of.CreatedAt.Before(d.month.End().Time()) {
		return nil, nil
	}
	draft.Lines = plan.Lines(d.month, q, d.adjustments(plan, statements, invoices))
	draft.Total = plan.Total(draft.Lines)
	return draft, nil
}

// measure sets what no statement has: the active users, and the time of channels.
func (d *drafting) measure(ctx context.Context, draft *account.Invoice, q *billing.Quantities) error {
	query := usage.Query{From: d.month.Start(), To: d.month.End(), NoUsers: true, NoVideos: true, Limit: usage.MaxRows}
	query.Only[usage.ByAccount] = []string{draft.Account}
	if slices.ContainsFunc(draft.Terms.Components, func(c billing.Component) bool { return c.Unit == billing.ActiveUser }) {
		all := query
		all.NoUsers = false
		table, err := d.counts.Table(ctx, all)
		if err != nil {
			return err
		}
		q.Users = table.Total.Users
	}
	query.By = []usage.Dimension{usage.ByChannel}
	for {
		table, err := d.counts.Table(ctx, query)
		if err != nil {
			return err
		}
		draft.Milliseconds = table.Total.Milliseconds
		for _, row := range table.Rows {
			if row.Keys[0] != "" {
				draft.Channels = append(draft.Channels, billing.ChannelTime{Channel: row.Keys[0], Milliseconds: row.Milliseconds})
			}
		}
		if query.Offset += len(table.Rows); len(table.Rows) == 0 || query.Offset >= table.Count {
			return nil
		}
	}
}

// adjustments returns what the invoice of an account corrects about earlier months. What was charged before is what the
// statements with an invoice have. If an invoice no longer has its statement, because somebody restored the counts and
// sealed the month again, it is what the invoices have.
func (d *drafting) adjustments(plan *account.PricePlan, statements []usage.Statement, invoices pastInvoices) []billing.Adjustment {
	checksums := map[usage.Month]string{}
	for i := range statements {
		checksums[statements[i].Month] = statements[i].Checksum
	}
	resealed, months := false, map[usage.Month]bool{}
	for month, invoice := range invoices {
		resealed = resealed || invoice.Statement != checksums[month]
	}
	for i := range statements {
		if s := &statements[i]; s.Month == d.month || resealed && invoices[s.Month] != nil {
			for _, line := range s.Lines {
				months[line.Month] = true
			}
		}
	}
	if resealed {
		for _, invoice := range invoices {
			for i := range invoice.Lines {
				months[invoice.Lines[i].Month] = true
			}
		}
	}
	delete(months, d.month)
	var adjustments []billing.Adjustment
	for _, month := range slices.SortedFunc(maps.Keys(months), func(a, b usage.Month) int { return a.Number() - b.Number() }) {
		adjustment := billing.Adjustment{Month: month, Terms: &plan.Terms}
		if invoice := invoices[month]; invoice != nil && invoice.Terms.Currency == plan.Currency {
			adjustment.Terms = &invoice.Terms
		}
		if resealed {
			for _, invoice := range invoices {
				adjustment.Before.AddCharged(&invoice.Invoice, month)
			}
		}
		for i := range statements {
			s := &statements[i]
			if invoices[s.Month] != nil && !resealed {
				adjustment.Before.Add(s, month)
			}
			if invoices[s.Month] != nil || s.Month == d.month {
				adjustment.After.Add(s, month)
			}
		}
		adjustments = append(adjustments, adjustment)
	}
	return adjustments
}

func (r *Resolver) DraftInvoices(ctx context.Context, month usage.Month, first int, after *string) (*graph.DraftReport, error) {
	if err := paging.CheckSize(first, maxBatch); err != nil {
		return nil, err
	}
	d, err := r.drafting(ctx, month)
	if err != nil {
		return nil, err
	}
	accounts, info, err := pageOf[*account.Account](ctx, d.records, account.KindAccount, values.Or(after), first)
	if err != nil {
		return nil, err
	}
	report := &graph.DraftReport{PageInfo: info}
	for some := range slices.Chunk(accounts, batch) {
		some = slices.DeleteFunc(some, func(of *account.Account) bool { return of.PricePlan == "" })
		ids := values.Map(some, func(of *account.Account) string { return of.ID })
		later, err := d.withLater(ctx, d.records, ids...)
		if err != nil {
			return nil, err
		}
		clear(d.read)
		invoices, err := d.earlierInvoices(ctx, ids...)
		if err != nil {
			return nil, err
		}
		var drafts []*account.Invoice
		for _, of := range some {
			if later[of.ID] {
				report.Skipped++
				continue
			}
			draft, err := d.compose(ctx, of, invoices[of.ID])
			if err != nil {
				return nil, err
			}
			if draft != nil {
				drafts = append(drafts, draft)
			}
		}
		drafted, err := r.putDrafts(ctx, d, drafts)
		if err != nil {
			return nil, err
		}
		report.Drafted += drafted
		report.Issued += len(drafts) - drafted
	}
	return report, nil
}

// putDrafts puts those drafts whose invoices are not issued, and returns their number.
func (r *Resolver) putDrafts(ctx context.Context, d *drafting, drafts []*account.Invoice) (put int, err error) {
	if len(drafts) == 0 {
		return 0, nil
	}
	err = r.config.Registry.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		put = 0
		if err := d.checkRead(ctx, tx, drafts); err != nil {
			return err
		}
		stored, err := storedInvoices(ctx, tx, drafts)
		if err != nil {
			return err
		}
		for _, draft := range drafts {
			if before, found := stored[draft.ID].(*account.Invoice); found && before.State == billing.Issued {
				continue
			}
			if err := tx.Put(ctx, draft); err != nil {
				return err
			}
			put++
		}
		return nil
	})
	return put, err
}

func (r *Resolver) DraftInvoice(ctx context.Context, of string, month usage.Month) (*graph.Invoice, error) {
	d, err := r.drafting(ctx, month)
	if err != nil {
		return nil, err
	}
	customer, err := registry.Record[*account.Account](ctx, r.config.Registry, account.KindAccount.Key(of))
	switch {
	case err != nil:
		return nil, err
	case customer == nil:
		return nil, registry.NotFound(account.KindAccount.Key(of))
	case customer.PricePlan == "":
		return nil, fault.Errorf(fault.Conflict, "the account %q has no price plan", fault.Shorten(of))
	}
	invoices, err := d.earlierInvoices(ctx, of)
	if err != nil {
		return nil, err
	}
	draft, err := d.compose(ctx, customer, invoices[of])
	if err != nil {
		return nil, err
	}
	if draft == nil {
		return nil, fault.Errorf(fault.Conflict, "the account %q was created after %s", fault.Shorten(of), month)
	}
	put, err := r.putDrafts(ctx, d, []*account.Invoice{draft})
	if err != nil {
		return nil, err
	}
	if put == 0 {
		return nil, errIssued(draft.ID)
	}
	return r.shownInvoice(ctx, draft)
}

func errIssued(id string) error {
	return fault.Errorf(fault.Conflict, "the invoice %q is issued and never changes; late plays and voids adjust the next one", fault.Shorten(id))
}

func (r *Resolver) DeleteInvoice(ctx context.Context, id string, version *int) (string, error) {
	return id, r.config.Registry.Remove(ctx, account.KindInvoice.Key(id), version, checkDeletable)
}

// checkDeletable returns an error with the code Conflict if an invoice is issued, or if its account has a later invoice,
// whose adjustments count it as charged.
func checkDeletable(ctx context.Context, tx store.RegistryTx, record account.Entity) error {
	draft := record.(*account.Invoice)
	if draft.State == billing.Issued {
		return errIssued(draft.ID)
	}
	var later *account.Invoice // the first that is issued, or else the last draft, which nothing builds on
	if err := eachInvoiceOf(ctx, tx, []string{draft.Account}, draft.Month.Next().String(), func(one *account.Invoice) bool {
		later = one
		return one.State != billing.Issued
	}); err != nil {
		return err
	}
	of := fault.Shorten(draft.Account)
	switch {
	case later == nil:
		return nil
	case later.State == billing.Issued:
		return fault.Errorf(fault.Conflict, "the invoice %s of the account %q for %s is issued, and its adjustments build on this draft: issue this one, too",
			later.Number, of, later.Month)
	}
	return fault.Errorf(fault.Conflict, "the account %q has a draft for %s, whose adjustments build on this one: delete that draft first", of, later.Month)
}

func (r *Resolver) IssueInvoices(ctx context.Context, month usage.Month, ids []string, first int, after *string) (*graph.IssueReport, error) {
	if err := paging.CheckSize(first, maxBatch); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !ofMonth(id, month) {
			return nil, inputs.Invalid("ids", "%q is not the id of an invoice for %s", fault.Shorten(id), month)
		}
	}
	if err := r.checkClock(ctx); err != nil {
		return nil, err
	}
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, err
	}
	invoices, info, err := invoicesOf(ctx, records, month, values.Or(after), first)
	if err != nil {
		return nil, err
	}
	drafts := slices.DeleteFunc(invoices, func(i *account.Invoice) bool {
		return i.State != billing.Draft || ids != nil && !slices.Contains(ids, i.ID)
	})
	var earlier *account.Invoice
	owners := values.Map(drafts, func(draft *account.Invoice) string { return draft.Account })
	if err := eachInvoiceOf(ctx, records, owners, "", func(one *account.Invoice) bool {
		if one.State == billing.Draft && one.Month.Before(month) {
			earlier = one
		}
		return earlier == nil && one.Month.Before(month)
	}); err != nil {
		return nil, err
	}
	if earlier != nil {
		return nil, fault.Errorf(fault.Conflict, "the account %q has a draft for %s: issue it first, or delete its drafts from the last to that one", fault.Shorten(earlier.Account), earlier.Month)
	}
	report := &graph.IssueReport{PageInfo: info}
	for some := range slices.Chunk(drafts, batch) {
		if err := r.issue(ctx, some); err != nil {
			return nil, err
		}
		report.Issued += len(some)
	}
	return report, nil
}

// checkClock refuses to issue while a wall clock is not trusted: numbers never return to an earlier year.
func (r *Resolver) checkClock(ctx context.Context) error {
	if r.config.Clock == nil {
		return fault.Errorf(fault.Unavailable, "this server does not know whether its clock is right")
	}
	record, err := r.config.Clock(ctx)
	if err != nil {
		return err
	}
	return record.Check("invoices cannot be issued")
}

// issue gives drafts the next numbers. The error has the code Conflict if one of them changed after it was read, and if
// the year is before that of the last number.
func (r *Resolver) issue(ctx context.Context, drafts []*account.Invoice) error {
	at := r.config.Now().UTC().Truncate(time.Millisecond)
	return r.config.Registry.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		numbers := &account.InvoiceNumbers{}
		record, err := tx.Entity(ctx, numbers.Key())
		if err != nil {
			return err
		}
		if record != nil {
			numbers = record.(*account.InvoiceNumbers)
		}
		if at.Year() < numbers.Year {
			return fault.Errorf(fault.Conflict, "the last invoice has a number of %d, and the clock says %d: correct the clock", numbers.Year, at.Year())
		}
		stored, err := storedInvoices(ctx, tx, drafts)
		if err != nil {
			return err
		}
		for _, draft := range drafts {
			now := stored[draft.ID]
			if now == nil || now.Head().Version != draft.Version {
				return fault.Errorf(fault.Conflict, "the invoice %q changed at the same time; look at it, and issue it again", draft.ID)
			}
			issued := *draft
			issued.State, issued.Number, issued.IssuedAt = billing.Issued, numbers.Next(at.Year()), &at
			if err := tx.Put(ctx, &issued); err != nil {
				return err
			}
		}
		return tx.Put(ctx, numbers)
	})
}

// storedInvoices returns the stored invoices with the IDs of drafts. It also reads their accounts, which Put checks.
func storedInvoices(ctx context.Context, tx store.RegistryTx, drafts []*account.Invoice) (map[string]account.Entity, error) {
	if _, err := tx.EntitiesByID(ctx, account.KindAccount, values.Map(drafts, func(i *account.Invoice) string { return i.Account })); err != nil {
		return nil, err
	}
	return tx.EntitiesByID(ctx, account.KindInvoice, values.Map(drafts, func(i *account.Invoice) string { return i.ID }))
}

// pageOf returns a page of the records of a kind.
func pageOf[R account.Entity](ctx context.Context, records store.Registry, kind account.Kind, after string, first int) ([]R, *model.PageInfo, error) {
	var list []R
	for record, err := range store.Records[R](ctx, records, kind, "", after) {
		if err != nil {
			return nil, nil, err
		}
		if list = append(list, record); len(list) > first {
			break
		}
	}
	list, info := paging.Cut(list, first, func(record R) string { return record.Key().ID })
	return list, info, nil
}
