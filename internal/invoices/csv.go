package invoices

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/spreadsheet"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// invoiceColumns are the columns of invoices. Quantities of minutes are seconds.
var invoiceColumns = []string{
	"invoice", "number", "state", "month", "account", "customer", "plan", "currency", "kind", "unit", "playMonth", "quantity", "stepFrom", "stepTo", "price",
	"amount", "total", "issuedAt", "statement",
}

// table writes rows as CSV (RFC 4180).
type table struct{ *csv.Writer }

func newTable(w io.Writer, columns []string) (table, error) {
	t := table{csv.NewWriter(w)}
	t.UseCRLF = true
	return t, t.Write(columns)
}

func (t table) end() error {
	t.Flush()
	return t.Error()
}

// add adds a row for each line of an invoice, and one without a line if it has none.
func (t table) add(i *account.Invoice) error {
	lines := i.Lines
	if len(lines) == 0 {
		lines = []billing.Line{{Month: i.Month, Amount: i.Total}}
	}
	issued := ""
	if i.IssuedAt != nil {
		issued = i.IssuedAt.UTC().Format(time.RFC3339)
	}
	for k := range lines {
		l := &lines[k]
		price, from, to := "", "", ""
		if l.Price != nil {
			price, from = l.Price.String(), strconv.FormatInt(l.From, 10)
		}
		if l.To > 0 {
			to = strconv.FormatInt(l.To, 10)
		}
		if err := t.Write([]string{
			i.ID, i.Number, string(i.State), i.Month.String(), spreadsheet.Inert(i.Account), spreadsheet.Inert(i.Customer.Name), spreadsheet.Inert(i.PlanName),
			string(i.Terms.Currency), string(l.Kind), string(l.Unit), l.Month.String(), strconv.FormatInt(l.Quantity, 10), from, to, price,
			l.Amount.String(), i.Total.String(), issued, i.Statement,
		}); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes an invoice, with a row for each line.
func CSV(w io.Writer, invoice *account.Invoice) error {
	t, err := newTable(w, invoiceColumns)
	if err != nil {
		return err
	}
	if err := t.add(invoice); err != nil {
		return err
	}
	return t.end()
}

// MonthCSV writes all invoices of a month as CSV does.
func MonthCSV(ctx context.Context, w io.Writer, source Source, month usage.Month) error {
	t, err := newTable(w, invoiceColumns)
	if err != nil {
		return err
	}
	if err := source.EachInvoice(ctx, month, t.add); err != nil {
		return err
	}
	return t.end()
}

var royaltyColumns = []string{
	"month", "final", "channel", "channelName", "account", "customer", "milliseconds", "accountMilliseconds", "revenueCurrency", "revenue", "basis", "percent", "price",
	"currency", "amount",
}

// RoyaltiesCSV writes the royalty statements of a month, with a row for each channel and account.
func RoyaltiesCSV(w io.Writer, month string, statements []billing.RoyaltyStatement, final bool) error {
	t, err := newTable(w, royaltyColumns)
	if err != nil {
		return err
	}
	for _, s := range statements {
		percent, price := "", ""
		if s.Royalty.Basis == billing.Share {
			percent = s.Royalty.Percent.String()
		} else {
			price = s.Royalty.Price.String()
		}
		for _, l := range s.Lines {
			if err := t.Write([]string{
				month, strconv.FormatBool(final), s.Channel, spreadsheet.Inert(s.ChannelName), spreadsheet.Inert(l.Account), spreadsheet.Inert(l.AccountName),
				strconv.FormatInt(l.Milliseconds, 10), strconv.FormatInt(l.AccountMilliseconds, 10), string(l.RevenueCurrency), l.Revenue.String(),
				string(s.Royalty.Basis), percent, price, string(l.Currency), l.Amount.String(),
			}); err != nil {
				return err
			}
		}
	}
	return t.end()
}
