package account

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// maxAddressLength is the maximum length of a billing address in characters.
const maxAddressLength = 500

// PricePlan is what accounts pay. A change affects invoices that are drafted later.
type PricePlan struct {
	ID string `json:"id"`
	Meta
	Name string `json:"name"`
	billing.Terms
}

// Key returns the key of the plan.
func (p *PricePlan) Key() EntityKey { return EntityKey{KindPricePlan, p.ID} }

// Validate checks all fields.
func (p *PricePlan) Validate() fault.FieldErrors {
	var f faults
	f.id("id", p.ID)
	f.Line("name", p.Name, 1, MaxNameLength)
	p.Check(&f.Faults)
	return f.List()
}

// Redacted returns the plan itself, which contains no secrets.
func (p *PricePlan) Redacted() Entity { return p }

// Invoice is the stored invoice of an account for a month.
type Invoice struct {
	// ID is InvoiceID.
	ID string `json:"id"`
	Meta
	billing.Invoice
}

// InvoiceID returns the ID of the invoice of an account for a month. It begins with the month, so that the invoices of a
// month follow one another in the order of IDs, and those of an account are in the order of months.
func InvoiceID(accountID string, month usage.Month) string {
	sum := sha256.Sum256([]byte(NameOf("invoice", accountID, month.String())))
	return month.String() + "-" + hex.EncodeToString(sum[:])[:catalogue.IDLength]
}

// Key returns the key of the invoice.
func (i *Invoice) Key() EntityKey { return EntityKey{KindInvoice, i.ID} }

// Owner returns the ID of the account. The invoice remains when the account is deleted.
func (i *Invoice) Owner() string { return i.Account }

// Names returns the number, which no other invoice has.
func (i *Invoice) Names() []string {
	if i.Number == "" {
		return nil
	}
	return []string{NameOf("invoice", i.Number)}
}

// Validate checks that the invoice agrees with itself.
func (i *Invoice) Validate() fault.FieldErrors {
	var f faults
	if i.ID != InvoiceID(i.Account, i.Month) {
		f.Add("id", "%q is not that of the invoice of %q for %s", fault.Shorten(i.ID), fault.Shorten(i.Account), i.Month)
	}
	catalogue.Listed(&f.Faults, "state", i.State, billing.States())
	if issued := i.State == billing.Issued; issued != (i.Number != "") || issued != (i.IssuedAt != nil) {
		f.Add("number", "an issued invoice has a number and a time, and a draft has neither")
	}
	if total := i.Terms.Total(i.Lines); !total.Equal(i.Total) {
		f.Add("total", "%s is not the sum of the lines, %s", i.Total, total)
	}
	return f.List()
}

// Redacted returns a copy without the times of channels, which would make the audit log large.
func (i *Invoice) Redacted() Entity {
	shown := *i
	shown.Channels = nil
	return &shown
}

// InvoiceNumbers holds the last number of an invoice. There is exactly one.
type InvoiceNumbers struct {
	Meta
	Year int `json:"year"`
	Last int `json:"last"`
}

// Key returns the key of the numbers.
func (n *InvoiceNumbers) Key() EntityKey { return EntityKey{KindInvoiceNumbers, "invoices"} }

// Validate returns nil: all numbers are valid.
func (n *InvoiceNumbers) Validate() fault.FieldErrors { return nil }

// Redacted returns the numbers themselves, which contain no secrets.
func (n *InvoiceNumbers) Redacted() Entity { return n }

// Next returns the next number in a year, and takes it. Each year begins with 1. Numbers never return to an earlier year.
func (n *InvoiceNumbers) Next(year int) string {
	if year > n.Year {
		n.Year, n.Last = year, 0
	}
	n.Last++
	return billing.Number(n.Year, n.Last)
}

// RoyaltyTerms is what a channel is paid.
type RoyaltyTerms struct {
	// ID is that of the channel, which may have been deleted since.
	ID string `json:"id"`
	Meta
	billing.Royalty
}

// Key returns the key of the terms.
func (r *RoyaltyTerms) Key() EntityKey { return EntityKey{KindRoyaltyTerms, r.ID} }

// Validate checks all fields except that the channel exists.
func (r *RoyaltyTerms) Validate() fault.FieldErrors {
	var f faults
	if !catalogue.ID(r.ID).Valid() {
		f.Add("channel", "%q is not the id of a channel", fault.Shorten(r.ID))
	}
	r.Check(&f.Faults)
	return f.List()
}

// Redacted returns the terms themselves, which contain no secrets.
func (r *RoyaltyTerms) Redacted() Entity { return r }

// validateBilling checks what invoices need of an account.
func (a *Account) validateBilling(f *faults) {
	if a.PricePlan != "" && a.Operator {
		f.Add("pricePlan", "%q: an account of the operator pays nothing", fault.Shorten(a.PricePlan))
	}
	f.Text("billingAddress", a.BillingAddress, 0, maxAddressLength)
	f.Line("billingEmail", a.BillingEmail, 0, maxEmailLength)
	if a.BillingEmail != "" && !strings.Contains(a.BillingEmail, "@") {
		f.Add("billingEmail", "%q is not an e-mail address", fault.Shorten(a.BillingEmail))
	}
}

// Party returns the account as one side of an invoice.
func (a *Account) Party() billing.Party {
	return billing.Party{Name: a.Name, Address: a.BillingAddress, Email: a.BillingEmail}
}
