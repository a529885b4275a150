package search

import (
	"context"
	"reflect"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// logSearch records a search with a text, unless the caller is an operator.
func (r *Resolver) logSearch(by *account.Caller, text string, filter *graph.VideoFilter, found int) {
	if r.Recorder == nil || by.Account == nil || by.Permissions.Has(account.Operate) {
		return
	}
	filtered := filter != nil && !reflect.ValueOf(filter).Elem().IsZero()
	r.Recorder.Searched(by.Account, text, filtered, found)
}

var errNoReports = fault.Errorf(fault.Unavailable, "this server does not record searches")

var reportOrders = map[graph.SearchReportOrder]store.SearchLogOrder{
	graph.SearchReportOrderSearches:       store.MostSearches,
	graph.SearchReportOrderWithoutResults: store.MostEmpty,
	graph.SearchReportOrderClicks:         store.MostClicks,
}

func (r *Resolver) SearchReport(ctx context.Context, from, to catalogue.Date, filter *graph.SearchReportFilter, orderBy graph.SearchReportOrder, first int) ([]*graph.SearchedText, error) {
	if filter == nil {
		filter = &graph.SearchReportFilter{}
	}
	accounts, err := authz.Accounts(ctx, filter.Accounts)
	if err != nil {
		return nil, err
	}
	if r.Log == nil {
		return nil, errNoReports
	}
	question := store.SearchLogQuery{
		From: from, To: to, Accounts: accounts, Sandbox: filter.Sandbox, Order: reportOrders[orderBy], Limit: first,
	}
	if filter.AtMost != nil {
		few := int64(*filter.AtMost)
		question.Few = &few
	}
	if filter.Contains != nil {
		question.Contains = r.Analyzer.Fold(*filter.Contains)
	}
	if err := question.Check(); err != nil {
		return nil, err
	}
	rows, err := r.Log.Report(ctx, question)
	return values.Map(rows, shownRow), err
}

func shownRow(row store.SearchLogRow) *graph.SearchedText {
	return &graph.SearchedText{
		Text: row.Spelling, Folded: row.Text, Searches: row.Searches, Accounts: row.Accounts, Results: row.Found,
		WithoutResults: row.Empty, Clicks: row.Clicks,
		Videos: values.Map(row.Videos, func(v store.SearchLogVideo) *graph.ClickedVideo {
			return &graph.ClickedVideo{ID: v.Video, Clicks: v.Clicks}
		}),
	}
}
