package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/store"
)

func (q query) DeprecationNotices(ctx context.Context, at *catalogue.Date) ([]*graph.DeprecationNotice, error) {
	day := q.today()
	if at != nil {
		day = *at
	}
	registry, err := q.administered()
	if err != nil {
		return nil, err
	}
	records, _, err := registry.Roster(ctx)
	if err != nil {
		return nil, err
	}
	known, decided := account.NewRoster(records), decisions(records)
	list := []*graph.DeprecationNotice{}
	for _, item := range deprecation.Items() {
		uses, err := q.allUses(ctx, item, day)
		if err != nil {
			return nil, err
		}
		for _, notice := range item.Notices(day, decided[item.Key], uses) {
			if told := shownNotice(item, notice, known); told != nil {
				list = append(list, told)
			}
		}
	}
	return list, nil
}

// allUses are the uses of an item of which somebody could be told on a day.
func (r *resolver) allUses(ctx context.Context, item *deprecation.Item, day catalogue.Date) (all []account.DeprecatedUse, err error) {
	kept, err := r.usesKept()
	if err != nil {
		return nil, err
	}
	query := store.DeprecatedUseQuery{Item: item.Key, Since: deprecation.UsedSince(day), Limit: store.MaxDeprecatedUses}
	for {
		page, err := kept.DeprecatedUses(ctx, query)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < store.MaxDeprecatedUses {
			return all, nil
		}
		last := page[len(page)-1]
		query.After = &store.DeprecatedUsePlace{Client: last.Client, Account: last.Account}
	}
}

// shownNotice is nil where the client is gone, or belongs to another account by now.
func shownNotice(item *deprecation.Item, notice deprecation.Notice, known *account.Roster) *graph.DeprecationNotice {
	client := known.Clients[notice.Use.Client]
	if client == nil || client.AccountID != notice.Use.Account {
		return nil
	}
	told := &graph.DeprecationNotice{
		Reason: graph.DeprecationReason(notice.Reason), Key: item.Key, What: item.What, Instead: item.Instead,
		Client: client.ID, ClientName: client.Name, Account: client.AccountID,
		Sunset: notice.Sunset, LastUsedAt: notice.Use.Last,
	}
	if customer := known.Accounts[client.AccountID]; customer != nil {
		told.AccountName = customer.Name
	}
	return told
}
