package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// openQueries notes what is searched for, where any of it is to be kept, until the service closes.
func (s *service) openQueries(ctx context.Context, settings *serveCommand) {
	if settings.KeepQueries == 0 {
		return
	}
	s.asked = searchlog.New(searchlog.Options{Queries: s.stores.queries, Fold: s.analyzer.Fold, Logger: s.logger})
	s.whileOpen(ctx, s.asked.Run, s.asked.Share)
}

// searchLog is who is told of searches, queryStore what keeps them; nil: nothing is noted.
func (s *service) searchLog() resolvers.SearchRecorder {
	if s.asked == nil {
		return nil
	}
	return s.asked
}

func (s *service) queryStore() store.SearchLog {
	if s.asked == nil {
		return nil
	}
	return s.stores.queries
}

// droppedQueries is what the metrics tell of searches.
func (s *service) droppedQueries() int64 {
	if s.asked == nil {
		return 0
	}
	return s.asked.Dropped()
}

// forgottenQueries is the day before which searches are forgotten, where so many days are kept, the last of which is
// today.
func forgottenQueries(today catalogue.Date, kept int) catalogue.Date {
	return today + 1 - catalogue.Date(kept)
}

type searchesCommand struct {
	used
	From     catalogue.Date `required:"" help:"The first day (UTC)." placeholder:"YYYY-MM-DD"`
	To       catalogue.Date `required:"" help:"The last day (UTC)." placeholder:"YYYY-MM-DD"`
	Few      *int           `help:"Only texts whose last search without a filter found at most this many videos." placeholder:"VIDEOS"`
	Account  []string       `help:"Only searches of these accounts."`
	Sandbox  bool           `help:"Include searches in sandboxes."`
	Contains string         `help:"Only texts that contain this text." placeholder:"TEXT"`
	Order    searchesOrder  `help:"The sort key, descending: searches, without-results or clicks." enum:"searches,without-results,clicks" default:"searches"`
	First    int            `help:"The maximum number of rows, up to 500." default:"100" placeholder:"ROWS"`
	Format   string         `help:"The output format: table, or jsonl, which also contains the clicked videos." enum:"table,jsonl" default:"table"`
}

// searchesOrder is an order by the name that the command has for it.
type searchesOrder string

func (o searchesOrder) ofSchema() string {
	return strings.ToUpper(strings.ReplaceAll(string(o), "-", "_"))
}

// searchesColumns are what the table shows.
const searchesColumns = "text searches accounts results withoutResults clicks"

// Run prints what was searched for, whether a server runs on the store or not.
func (c *searchesCommand) Run(ctx context.Context, console console) (err error) {
	queries, closeStore, err := c.storeSettings.openQueries(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	fields := searchesColumns
	if c.Format == "jsonl" {
		fields += " folded videos { id clicks }"
	}
	schema := resolvers.NewSchema(resolvers.Config{SearchLog: queries, Analyzer: analysis.New(analysis.Synonyms{})})
	answer, err := execute(account.WithCaller(ctx, atCommandLine()), schema, `
		query($from: Date!, $to: Date!, $filter: SearchReportFilter, $order: SearchReportOrder!, $first: Int!) {
			searchReport(from: $from, to: $to, filter: $filter, orderBy: $order, first: $first) { `+fields+` } }`, c.variables())
	if err != nil {
		return err
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(answer, &rows); err != nil {
		return err
	}
	if c.Format == "table" {
		return printTable(console.out, strings.Fields(searchesColumns), rows)
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(console.out, "%s\n", row); err != nil {
			return err
		}
	}
	return nil
}

func (c *searchesCommand) variables() input {
	filter := input{"sandbox": c.Sandbox}
	given(filter, "atMost", c.Few)
	givenList(filter, "accounts", c.Account)
	if c.Contains != "" {
		filter["contains"] = c.Contains
	}
	return input{"from": c.From, "to": c.To, "filter": filter, "order": c.Order.ofSchema(), "first": c.First}
}

// openQueries opens what was searched for, alone where it is in a file of its own, and returns what closes it.
func (c *storeSettings) openQueries(ctx context.Context, data string) (store.SearchLog, func() error, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	if c.inFiles() {
		file := filepath.Join(data, queriesFile)
		if _, err := os.Stat(file); err != nil {
			return nil, nil, fmt.Errorf("there is no %s in %s", queriesFile, data)
		}
		queries, err := sqlite.OpenSearchLog(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		return queries, queries.Close, nil
	}
	opened, err := c.open(ctx, data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return opened.queries, opened.close, nil
}
