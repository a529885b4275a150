package main

import (
	"context"
	"errors"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/search/analysis"
)

type searchesCommand struct {
	used
	From     catalogue.Date `required:"" help:"The first day (UTC)." placeholder:"YYYY-MM-DD"`
	To       catalogue.Date `required:"" help:"The last day (UTC)." placeholder:"YYYY-MM-DD"`
	Few      *int           `help:"Only texts whose last search without a filter found at most this many videos." placeholder:"VIDEOS"`
	Account  []string       `help:"Only searches of these accounts."`
	Sandbox  bool           `help:"Include searches in sandboxes."`
	Contains string         `help:"Only texts that contain this text." placeholder:"TEXT"`
	Order    string         `help:"The sort key, descending: searches, without-results or clicks." enum:"searches,without-results,clicks" default:"searches"`
	First    int            `help:"The maximum number of rows, up to 500." default:"100" placeholder:"ROWS"`
	Format   string         `help:"The output format: table, or jsonl, which also contains the clicked videos." enum:"table,jsonl" default:"table"`
}

// searchesColumns are the columns of the table.
const searchesColumns = "text searches accounts results withoutResults clicks"

// Run prints recorded searches. A server may run on the store.
func (c *searchesCommand) Run(ctx context.Context, console console) (err error) {
	stores, err := c.StoreSettings.OpenSearchLog(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	fields := searchesColumns
	if console.json || c.Format == "jsonl" {
		fields += " folded videos { id clicks }"
	}
	schema := resolvers.NewSchema(resolvers.Config{SearchLog: stores.Queries, Analyzer: analysis.New(analysis.Synonyms{})})
	answer, err := execute(account.WithCaller(ctx, atCommandLine()), schema, `
		query($from: Date!, $to: Date!, $filter: SearchReportFilter, $order: SearchReportOrder!, $first: Int!) {
			searchReport(from: $from, to: $to, filter: $filter, orderBy: $order, first: $first) { `+fields+` } }`, c.variables())
	if err != nil {
		return err
	}
	if console.json || c.Format == "table" {
		return printRows(console, answer, searchesColumns)
	}
	return printLines(console.out, answer)
}

func (c *searchesCommand) variables() input {
	filter := input{"sandbox": c.Sandbox}
	given(filter, "atMost", c.Few)
	if c.Account != nil {
		filter["accounts"] = c.Account
	}
	if c.Contains != "" {
		filter["contains"] = c.Contains
	}
	return input{"from": c.From, "to": c.To, "filter": filter, "order": enumOf(c.Order), "first": c.First}
}
