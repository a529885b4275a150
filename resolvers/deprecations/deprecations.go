// Package deprecations shows the deprecated parts of the API and who uses them, and sets the days on which they end
// (docs/versioning.md).
package deprecations

import (
	"context"
	"encoding/json"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Resolver resolves the fields about deprecations, and those of a deprecation that need the store.
type Resolver struct {
	registry *registry.Registry
	uses     store.Deprecations
	now      func() time.Time
}

// New makes a resolver. Without uses, fields that need them return errors with the code Unavailable.
func New(records *registry.Registry, uses store.Deprecations, now func() time.Time) *Resolver {
	return &Resolver{registry: records, uses: uses, now: now}
}

func (r *Resolver) today() catalogue.Date { return catalogue.DateOf(r.now()) }

func (r *Resolver) Deprecations(ctx context.Context) ([]*graph.Deprecation, error) {
	stored, err := r.registry.Store()
	if err != nil {
		return nil, err
	}
	records, err := stored.Entities(ctx, account.KindDeprecation, "", "", paging.MaxSize)
	decided := decisions(records)
	return values.Map(deprecation.Items(), func(item *deprecation.Item) *graph.Deprecation { return shown(item, decided[item.Key]) }), err
}

// decisions returns the deprecations among records by the keys of their items.
func decisions(records []account.Entity) map[string]*account.Deprecation {
	decided := map[string]*account.Deprecation{}
	for _, record := range records {
		if record, ok := record.(*account.Deprecation); ok {
			decided[record.ID] = record
		}
	}
	return decided
}

func (r *Resolver) SetDeprecationSunset(ctx context.Context, key string, sunset catalogue.Date, client *string, version *int) (*graph.Deprecation, error) {
	item, err := itemOf(key)
	if err != nil {
		return nil, err
	}
	today := r.today()
	if sunset <= max(today, item.Since) {
		return nil, inputs.Invalid("sunset", "%s is not later than %s", sunset, max(today, item.Since))
	}
	create := func() *account.Deprecation { return &account.Deprecation{ID: item.Key} }
	decided, err := registry.Put(ctx, r.registry, version, create, func(ctx context.Context, tx store.RegistryTx, decided *account.Deprecation) error {
		if client != nil {
			return postpone(ctx, tx, decided, account.Postponement{Client: *client, Sunset: sunset, SetOn: today})
		}
		if decided.Version == 0 || decided.Sunset != sunset {
			decided.Sunset, decided.SetOn = sunset, today
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shown(item, decided), nil
}

// postpone gives a client of the registry a later day than all others.
func postpone(ctx context.Context, tx store.RegistryTx, decided *account.Deprecation, to account.Postponement) error {
	key := account.KindClient.Key(to.Client)
	client, err := tx.Entity(ctx, key)
	switch {
	case err != nil:
		return err
	case client == nil:
		return registry.NotFound(key)
	case decided.Version == 0:
		return inputs.Invalid("client", "cannot have a later day, because no day is set")
	case to.Sunset <= decided.Sunset:
		return inputs.Invalid("sunset", "%s is not later than %s, the day for all clients", to.Sunset, decided.Sunset)
	}
	decided.Postpone(to)
	return nil
}

func (r *Resolver) ClearDeprecationSunset(ctx context.Context, key string, client *string, version *int) (*graph.Deprecation, error) {
	item, err := itemOf(key)
	if err != nil {
		return nil, err
	}
	if client == nil {
		if err := r.registry.Remove(ctx, account.KindDeprecation.Key(item.Key), version); err != nil {
			return nil, err
		}
		return shown(item, nil), nil
	}
	decided, err := registry.Update(ctx, r.registry, account.KindDeprecation.Key(item.Key), version, func(decided *account.Deprecation) error {
		if !decided.Resume(*client) {
			return fault.Errorf(fault.NotFound, "the client %.100q has no day of its own", *client)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shown(item, decided), nil
}

// itemOf returns the deprecated part of the API with a key.
func itemOf(key string) (*deprecation.Item, error) {
	item := deprecation.ItemOf(key)
	if item == nil {
		return nil, fault.Errorf(fault.NotFound, "there is no deprecation %.100q", key)
	}
	return item, nil
}

// shown shows an item and, unless it is nil, what was decided about it.
func shown(item *deprecation.Item, decided *account.Deprecation) *graph.Deprecation {
	view := &graph.Deprecation{
		Key: item.Key, What: item.What, Instead: item.Instead, Places: item.Places(),
		Since: item.Since, Documentation: item.Documentation, Postponed: []*graph.DeprecationPostponement{},
	}
	if decided == nil {
		return view
	}
	view.Sunset, view.SetOn = &decided.Sunset, &decided.SetOn
	view.UpdatedAt, view.Version = values.OrNil(decided.UpdatedAt), int(decided.Version)
	for _, one := range decided.Postponed {
		view.Postponed = append(view.Postponed, &graph.DeprecationPostponement{Client: one.Client, Sunset: one.Sunset, SetOn: one.SetOn})
	}
	return view
}

func (r *Resolver) Uses(ctx context.Context, of *graph.Deprecation, first int, after, client *string) (*graph.DeprecatedUseConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	place, err := readCursor(after)
	if err != nil {
		return nil, err
	}
	stored, err := r.storedUses()
	if err != nil {
		return nil, err
	}
	uses, err := stored.DeprecatedUses(ctx, store.DeprecatedUseQuery{Item: of.Key, Client: client, After: place, Limit: first + 1})
	if err != nil {
		return nil, err
	}
	uses, info := paging.Cut(uses, first, cursorOf)
	return &graph.DeprecatedUseConnection{PageInfo: info, Nodes: values.Map(uses, func(use account.DeprecatedUse) *graph.DeprecatedUse {
		return &graph.DeprecatedUse{
			Client: values.OrNil(use.Client), Account: values.OrNil(use.Account),
			FirstUsedAt: use.First, LastUsedAt: use.Last, Count: use.Count,
		}
	})}, nil
}

// storedUses returns the store of uses, or an error with the code Unavailable if there is none.
func (r *Resolver) storedUses() (store.Deprecations, error) {
	if r.uses == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server does not record the use of deprecated parts")
	}
	return r.uses, nil
}

// cursorOf returns the cursor of a use.
func cursorOf(use account.DeprecatedUse) string {
	text, _ := json.Marshal([]string{use.Client, use.Account}) // texts always encode
	return string(text)
}

func readCursor(cursor *string) (*store.DeprecatedUsePlace, error) {
	if cursor == nil {
		return nil, nil
	}
	var parts []string
	if err := json.Unmarshal([]byte(*cursor), &parts); err != nil || len(parts) != 2 {
		return nil, fault.InvalidRequest("%.100q is not a cursor of this list", *cursor)
	}
	return &store.DeprecatedUsePlace{Client: parts[0], Account: parts[1]}, nil
}
