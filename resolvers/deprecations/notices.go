package deprecations

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/store"
)

func (r *Resolver) DeprecationNotices(ctx context.Context, at *catalogue.Date) ([]*graph.DeprecationNotice, error) {
	day := r.today()
	if at != nil {
		day = *at
	}
	stored, err := r.registry.Store()
	if err != nil {
		return nil, err
	}
	records, _, err := stored.Roster(ctx)
	if err != nil {
		return nil, err
	}
	known, decided := account.NewRoster(records), decisions(records)
	list := []*graph.DeprecationNotice{}
	for _, item := range deprecation.Items() {
		uses, err := r.allUses(ctx, item, day)
		if err != nil {
			return nil, err
		}
		for _, notice := range item.Notices(day, decided[item.Key], uses) {
			if one := shownNotice(item, notice, known); one != nil {
				list = append(list, one)
			}
		}
	}
	return list, nil
}

// allUses returns the uses of an item that a notice on a day could be about.
func (r *Resolver) allUses(ctx context.Context, item *deprecation.Item, day catalogue.Date) (all []account.DeprecatedUse, err error) {
	stored, err := r.storedUses()
	if err != nil {
		return nil, err
	}
	query := store.DeprecatedUseQuery{Item: item.Key, Since: deprecation.UsedSince(day), Limit: store.MaxDeprecatedUses}
	for {
		page, err := stored.DeprecatedUses(ctx, query)
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

// shownNotice returns nil if the client was deleted or now belongs to another account.
func shownNotice(item *deprecation.Item, notice deprecation.Notice, known *account.Roster) *graph.DeprecationNotice {
	client := known.Clients[notice.Use.Client]
	if client == nil || client.AccountID != notice.Use.Account {
		return nil
	}
	shown := &graph.DeprecationNotice{
		Reason: graph.DeprecationReason(notice.Reason), Key: item.Key, What: item.What, Instead: item.Instead,
		Client: client.ID, ClientName: client.Name, Account: client.AccountID,
		Sunset: notice.Sunset, LastUsedAt: notice.Use.Last,
	}
	if customer := known.Accounts[client.AccountID]; customer != nil {
		shown.AccountName = customer.Name
	}
	return shown
}
