package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

// What was searched for, as docs/search.md defines it.

var errNoQueries = fault.Errorf(fault.Unavailable, "this server keeps no searches")

var queryOrders = map[graph.SearchReportOrder]store.SearchLogOrder{
	graph.SearchReportOrderSearches:       store.MostSearches,
	graph.SearchReportOrderWithoutResults: store.MostEmpty,
	graph.SearchReportOrderClicks:         store.MostClicks,
}

func (q query) SearchReport(ctx context.Context, from, to catalogue.Date, filter *graph.SearchReportFilter, orderBy graph.SearchReportOrder, first int) ([]*graph.SearchedText, error) {
	if filter == nil {
		filter = &graph.SearchReportFilter{}
	}
	accounts, err := reach(ctx, filter.Accounts)
	if err != nil {
		return nil, err
	}
	if q.queries == nil {
		return nil, errNoQueries
	}
	question := store.SearchLogQuery{
		From: from, To: to, Accounts: accounts, Sandbox: filter.Sandbox, Order: queryOrders[orderBy], Limit: first,
	}
	if filter.AtMost != nil {
		few := int64(*filter.AtMost)
		question.Few = &few
	}
	if filter.Contains != nil {
		question.Contains = q.analyzer.Fold(*filter.Contains)
	}
	if err := question.Check(); err != nil {
		return nil, err
	}
	rows, err := q.queries.Report(ctx, question)
	if err != nil {
		return nil, err
	}
	shown := make([]*graph.SearchedText, len(rows))
	for i := range rows {
		shown[i] = shownQuery(&rows[i])
	}
	return shown, nil
}

func shownQuery(row *store.SearchLogRow) *graph.SearchedText {
	shown := &graph.SearchedText{
		Text: row.Spelling, Folded: row.Text, Searches: row.Searches, Accounts: row.Accounts, Results: row.Found,
		WithoutResults: row.Empty, Clicks: row.Clicks, Videos: make([]*graph.ClickedVideo, len(row.Videos)),
	}
	for i, video := range row.Videos {
		shown.Videos[i] = &graph.ClickedVideo{ID: video.Video, Clicks: video.Clicks}
	}
	return shown
}

// forgetQueries forgets what an account searched for, which goes with it.
func (r *resolver) forgetQueries(ctx context.Context, account string) error {
	if r.queries == nil {
		return nil
	}
	return r.queries.ForgetAccount(ctx, account)
}
