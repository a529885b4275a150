package resolvers

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/store"
)

func deprecationKey(item *deprecation.Item) account.EntityKey {
	return account.EntityKey{Kind: account.KindDeprecation, ID: item.Key}
}

func (q query) Deprecations(ctx context.Context) ([]*graph.Deprecation, error) {
	registry, err := q.administered()
	if err != nil {
		return nil, err
	}
	items := deprecation.Items()
	records, err := registry.Entities(ctx, account.KindDeprecation, "", "", maxRecords)
	if err != nil {
		return nil, err
	}
	decided := decisions(records)
	list := make([]*graph.Deprecation, len(items))
	for i, item := range items {
		list[i] = shownDeprecation(item, decided[item.Key])
	}
	return list, nil
}

// decisions are those among records, by the keys of their items.
func decisions(records []account.Entity) map[string]*account.Deprecation {
	decided := map[string]*account.Deprecation{}
	for _, record := range records {
		if record, ok := record.(*account.Deprecation); ok {
			decided[record.ID] = record
		}
	}
	return decided
}

func (m mutation) SetDeprecationSunset(ctx context.Context, key string, sunset catalogue.Date, client *string, version *int) (*graph.Deprecation, error) {
	item, err := deprecated(key)
	if err != nil {
		return nil, err
	}
	today := m.today()
	if sunset <= max(today, item.Since) {
		return nil, invalidField("sunset", "%s is not later than %s", sunset, max(today, item.Since))
	}
	var decided *account.Deprecation
	err = m.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		decided = &account.Deprecation{ID: item.Key}
		found, err := tx.Entity(ctx, decided.Key())
		if err != nil {
			return err
		}
		if found, ok := found.(*account.Deprecation); ok {
			decided = found
		}
		if err := checkVersion(decided, version); err != nil {
			return err
		}
		if client != nil {
			err = postpone(ctx, tx, decided, account.Postponement{Client: *client, Sunset: sunset, SetOn: today})
		} else if decided.Version == 0 || decided.Sunset != sunset {
			decided.Sunset, decided.SetOn = sunset, today
		}
		if err != nil {
			return err
		}
		return tx.Put(ctx, decided)
	})
	if err != nil {
		return nil, err
	}
	return shownDeprecation(item, decided), nil
}

// postpone gives a client of the registry longer than all have.
func postpone(ctx context.Context, tx store.RegistryTx, decided *account.Deprecation, to account.Postponement) error {
	client, err := tx.Entity(ctx, clientKey(to.Client))
	switch {
	case err != nil:
		return err
	case client == nil:
		return fault.Errorf(fault.NotFound, "there is no %s", nameOf(clientKey(to.Client)))
	case decided.Version == 0:
		return invalidField("client", "no day is set that it could have longer than")
	case to.Sunset <= decided.Sunset:
		return invalidField("sunset", "%s is not later than %s, the day of all", to.Sunset, decided.Sunset)
	}
	decided.Postpone(to)
	return nil
}

func (m mutation) ClearDeprecationSunset(ctx context.Context, key string, client *string, version *int) (*graph.Deprecation, error) {
	item, err := deprecated(key)
	if err != nil {
		return nil, err
	}
	if client == nil {
		if err := m.remove(ctx, deprecationKey(item), version); err != nil {
			return nil, err
		}
		return shownDeprecation(item, nil), nil
	}
	decided, err := update(ctx, m.resolver, deprecationKey(item), version, func(decided *account.Deprecation) error {
		if !decided.Resume(*client) {
			return fault.Errorf(fault.NotFound, "the client %.100q has no day of its own", *client)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownDeprecation(item, decided), nil
}

// deprecated finds what is deprecated under a key.
func deprecated(key string) (*deprecation.Item, error) {
	item := deprecation.ItemOf(key)
	if item == nil {
		return nil, fault.Errorf(fault.NotFound, "nothing is deprecated under the key %.100q", key)
	}
	return item, nil
}

// shownDeprecation also shows an item of which nothing was decided.
func shownDeprecation(item *deprecation.Item, decided *account.Deprecation) *graph.Deprecation {
	view := &graph.Deprecation{
		Key: item.Key, What: item.What, Instead: item.Instead, Places: item.Places(),
		Since: item.Since, Documentation: item.Documentation, Postponed: []*graph.DeprecationPostponement{},
	}
	if decided == nil {
		return view
	}
	view.Sunset, view.SetOn = &decided.Sunset, &decided.SetOn
	view.UpdatedAt, view.Version = unlessZero(decided.UpdatedAt), int(decided.Version)
	for _, one := range decided.Postponed {
		view.Postponed = append(view.Postponed, &graph.DeprecationPostponement{Client: one.Client, Sunset: one.Sunset, SetOn: one.SetOn})
	}
	return view
}

// Deprecation resolves the fields of a Deprecation that read more than it.
func (r *resolver) Deprecation() graph.DeprecationResolver { return oneDeprecation{r} }

type oneDeprecation struct{ *resolver }

func (d oneDeprecation) Uses(ctx context.Context, of *graph.Deprecation, first int, after, client *string) (*graph.DeprecatedUseConnection, error) {
	if err := checkPage(first); err != nil {
		return nil, err
	}
	place, err := usePlace(after)
	if err != nil {
		return nil, err
	}
	kept, err := d.usesKept()
	if err != nil {
		return nil, err
	}
	uses, err := kept.DeprecatedUses(ctx, store.DeprecatedUseQuery{Item: of.Key, Client: client, After: place, Limit: first + 1})
	if err != nil {
		return nil, err
	}
	page := &graph.DeprecatedUseConnection{Nodes: []*graph.DeprecatedUse{}, PageInfo: &model.PageInfo{}}
	if len(uses) > first {
		uses = uses[:first]
		cursor := useCursor(uses[first-1])
		page.PageInfo.HasNextPage, page.PageInfo.EndCursor = true, &cursor
	}
	for _, use := range uses {
		page.Nodes = append(page.Nodes, &graph.DeprecatedUse{
			Client: unlessZero(use.Client), Account: unlessZero(use.Account),
			FirstUsedAt: use.First, LastUsedAt: use.Last, Count: use.Count,
		})
	}
	return page, nil
}

// usesKept returns who keeps uses, or an error of code Unavailable where this schema has nobody.
func (r *resolver) usesKept() (store.Deprecations, error) {
	if r.deprecations == nil {
		return nil, fault.Errorf(fault.Unavailable, "the use of what is deprecated is not kept here")
	}
	return r.deprecations, nil
}

// useCursor names the place of a use.
func useCursor(use account.DeprecatedUse) string {
	text, _ := json.Marshal([]string{use.Client, use.Account}) // texts always encode
	return string(text)
}

func usePlace(cursor *string) (*store.DeprecatedUsePlace, error) {
	if cursor == nil {
		return nil, nil
	}
	var parts []string
	if err := json.Unmarshal([]byte(*cursor), &parts); err != nil || len(parts) != 2 {
		return nil, fault.InvalidRequest("%.100q is not a cursor that uses have handed out", *cursor)
	}
	return &store.DeprecatedUsePlace{Client: parts[0], Account: parts[1]}, nil
}
