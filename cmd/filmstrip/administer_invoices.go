package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/invoices"
	"github.com/filmstrip/filmstrip/resolvers/billing"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/usage"
)

type invoicesCommand struct {
	List   invoicesList   `cmd:"" help:"List invoices."`
	Show   invoicesShow   `cmd:"" help:"Show an invoice with its lines."`
	Draft  invoicesDraft  `cmd:"" help:"Draft the invoices of a sealed month for all accounts with a price plan; drafts that exist are replaced."`
	Issue  invoicesIssue  `cmd:"" help:"Give the drafts of a month their numbers, after which they never change."`
	Export invoicesExport `cmd:"" help:"Write an invoice as PDF or CSV, or all of a month as CSV or as a ZIP file of PDFs."`
}

const (
	invoiceColumns = "id account month state number currency total"
	invoiceFields  = invoiceColumns + ` previousTotal warnings issuedAt issuer { name address email } customer { name address email }
		statement plan planName createdAt updatedAt version lines { kind unit month quantity from to price amount }`
	invoiceLineColumns = "kind unit month quantity from to price amount"
)

type invoicesList struct {
	used
	Month   *usage.Month `help:"Only those of a month, such as 2026-10."`
	Account *string      `help:"Only those of an account."`
	State   *string      `help:"Only drafts (draft), or only issued invoices (issued)."`
}

// Run lists invoices in the order of months.
func (c *invoicesList) Run(ctx context.Context, console console) error {
	if c.State != nil {
		*c.State = enumOf(*c.State)
	}
	return c.using(ctx, func(u *use) error {
		fields := invoiceColumns
		if console.json {
			fields = invoiceFields
		}
		nodes, err := allNodes(ctx, u.ask, `query($month: Month, $account: String, $state: InvoiceState, $after: String) {
			invoices(month: $month, account: $account, state: $state, first: 200, after: $after) { nodes { `+fields+` } pageInfo { hasNextPage endCursor } } }`,
			input{"month": c.Month, "account": c.Account, "state": c.State}, "after")
		if err != nil {
			return err
		}
		return console.print(nodes, func(w io.Writer) error { return printTable(w, strings.Fields(invoiceColumns), nodes) })
	})
}

type invoicesShow struct {
	used
	ID string `arg:"" name:"id" help:"The id of the invoice."`
}

// Run shows an invoice.
func (c *invoicesShow) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		answer, err := u.ask(ctx, `query($id: String!) { invoice(id: $id) { `+invoiceFields+` } }`, input{"id": c.ID})
		if answer, err = existing(answer, err, "invoice", c.ID); err != nil {
			return err
		}
		return console.print(answer, func(w io.Writer) error {
			var invoice struct{ Lines []json.RawMessage }
			if err := json.Unmarshal(answer, &invoice); err != nil {
				return err
			}
			head, _, _ := strings.Cut(string(answer), `,"lines":`)
			if err := printRecord(w, json.RawMessage(head+"}")); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
			return printTable(w, strings.Fields(invoiceLineColumns), invoice.Lines)
		})
	})
}

type invoicesDraft struct {
	used
	Month  usage.Month `required:"" help:"The month, such as 2026-10."`
	Issuer string      `required:"" help:"The operator's account, whose name and billing address the invoices bear."`
}

// Run drafts the invoices of a month.
func (c *invoicesDraft) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		of, err := account.As[*account.Account](u.Accounts.Entity(ctx, account.KindAccount.Key(c.Issuer)))
		if err != nil {
			return err
		}
		if of == nil || !of.Operator {
			return fmt.Errorf("--issuer %q is not an account of the operator", c.Issuer)
		}
		caller := atCommandLine()
		caller.Account = of
		sums, err := u.inPages(ctx, caller, `mutation($month: Month!, $after: String) {
			draftInvoices(month: $month, after: $after) { drafted issued skipped pageInfo { hasNextPage endCursor } } }`, input{"month": c.Month})
		if err != nil {
			return err
		}
		return console.printf(sums, "%d drafted, %d issued already, %d with a later invoice\n", sums["drafted"], sums["issued"], sums["skipped"])
	})
}

type invoicesIssue struct {
	used
	Month usage.Month `required:"" help:"The month, such as 2026-10."`
	IDs   []string    `arg:"" optional:"" name:"id" help:"Only the drafts with these ids."`
}

// Run issues invoices.
func (c *invoicesIssue) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		variables := input{"month": c.Month}
		if len(c.IDs) > 0 {
			variables["ids"] = c.IDs
		}
		sums, err := u.inPages(ctx, atCommandLine(), `mutation($month: Month!, $ids: [String!], $after: String) {
			issueInvoices(month: $month, ids: $ids, after: $after) { issued pageInfo { hasNextPage endCursor } } }`, variables)
		if err != nil {
			return err
		}
		return console.printf(sums, "%d issued\n", sums["issued"])
	})
}

// inPages repeats an operation that does its work in pages, and returns the sums of the numbers that it reports.
func (u *use) inPages(ctx context.Context, caller *account.Caller, operation string, variables input) (map[string]int, error) {
	sums := map[string]int{}
	for {
		answer, err := u.askAs(ctx, caller, operation, variables)
		if err != nil {
			return nil, err
		}
		var page struct {
			Drafted, Issued, Skipped *int
			PageInfo                 struct {
				HasNextPage bool
				EndCursor   *string
			}
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return nil, err
		}
		for name, n := range map[string]*int{"drafted": page.Drafted, "issued": page.Issued, "skipped": page.Skipped} {
			if n != nil {
				sums[name] += *n
			}
		}
		if !page.PageInfo.HasNextPage {
			return sums, nil
		}
		variables = maps.Clone(variables)
		variables["after"] = page.PageInfo.EndCursor
	}
}

type invoicesExport struct {
	used
	ID     string       `arg:"" optional:"" name:"id" help:"The id of an invoice, unless --month is given."`
	Month  *usage.Month `help:"The month of which to write all invoices, such as 2026-10."`
	Format string       `enum:"pdf,csv,zip" default:"csv" help:"The format: pdf (one invoice), csv, or zip (the PDFs of a month)."`
	Output string       `help:"The output file instead of standard output; it appears once it is complete." placeholder:"FILE"`
}

// Run writes invoices as a file.
func (c *invoicesExport) Run(ctx context.Context, console console) error {
	switch {
	case console.json:
		return errors.New("--json excludes invoices export, which writes PDF, CSV and ZIP files; invoices show and invoices list print JSON")
	case (c.ID == "") == (c.Month == nil):
		return errors.New("name either the id of an invoice or --month")
	case c.ID != "" && c.Format == "zip":
		return errors.New("--format zip is for --month; one invoice is pdf or csv")
	case c.Month != nil && c.Format == "pdf":
		return errors.New("--format pdf is for one invoice; those of a month are zip or csv")
	}
	return c.using(ctx, func(u *use) error {
		ctx := account.WithCaller(ctx, atCommandLine())
		source := billing.New(billing.Config{Registry: registry.New(u.Accounts), Catalogue: u.Catalogue, Counts: u.Usage, Now: time.Now})
		write := func(w io.Writer) error { return invoices.MonthCSV(ctx, w, source, *c.Month) }
		switch {
		case c.ID != "":
			invoice, err := source.StoredInvoice(ctx, c.ID)
			if err != nil {
				return err
			}
			write = func(w io.Writer) error { return invoices.PDF(w, invoice) }
			if c.Format == "csv" {
				write = func(w io.Writer) error { return invoices.CSV(w, invoice) }
			}
		case c.Format == "zip":
			list, err := invoices.OfMonth(ctx, source, *c.Month)
			if err != nil {
				return err
			}
			write = func(w io.Writer) error { return invoices.ZIP(ctx, w, list) }
		}
		return writeOutput(console, c.Output, write)
	})
}
