package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// UserCollections is answered from what the user has, which is short: by the rules of searches, and at once
// after each change.
func (q query) UserCollections(
	ctx context.Context, user string, filter *graph.UserCollectionFilter, sortBy []collection.Order, page, size int,
) (*model.CollectionPage, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	standing := standingOf(caller)
	if !standing.Any && (caller.User == "" || user != caller.User) {
		return nil, fault.Errorf(fault.Forbidden, "the collections of the user %q are another's", user)
	}
	if filter == nil {
		filter = &graph.UserCollectionFilter{Saved: true}
	}
	if err := checkText(filter.Query); err != nil {
		return nil, err
	}
	var asked search.CollectionQuery
	if filter.Query != nil && !q.asksNothing(*filter.Query) {
		asked.Text, asked.PartialTitle = *filter.Query, filter.PartialTitleMatch
	}
	asked.Audience.All = true // of those that are chosen below
	if sortBy == nil {
		sortBy = []collection.Order{collection.ByUpdatedAt}
	}
	if err := placePage(&asked, sortBy, page, size); err != nil {
		return nil, err
	}
	shelf, err := q.shelfOf(ctx, caller, user)
	if err != nil {
		return nil, err
	}
	chosen := choose(shelf, filter, standing)
	documents := make([]search.CollectionDocument, len(chosen))
	byID := make(map[catalogue.ID]*collection.Collection, len(chosen))
	for i, one := range chosen {
		documents[i], byID[one.ID] = search.DocumentOf(one), one
	}
	found := search.FindAmong(q.analyzer, &asked, documents)
	list := make([]*collection.Collection, len(found.Refs))
	for i, ref := range found.Refs {
		list[i] = byID[ref.ID]
	}
	if user != caller.User {
		return q.showPage(ctx, caller, list, nil, found.Total, wantedBelow(ctx, "collections."))
	}
	return q.showPage(ctx, caller, list, savedOf(shelf), found.Total, wantedBelow(ctx, "collections."))
}

// shelfOf reads what a user has. Who looks at their own for the first time is given their default collection.
func (r *resolver) shelfOf(ctx context.Context, caller *account.Caller, user string) (store.UserCollections, error) {
	shelves, err := r.collections()
	if err != nil {
		return store.UserCollections{}, err
	}
	shelf, err := shelves.UserCollections(ctx, user)
	if err != nil || user != caller.User || slices.ContainsFunc(shelf.Own, isDefault) {
		return shelf, err
	}
	first, err := r.newCollection(ctx, caller)
	if err != nil {
		return shelf, err
	}
	first.Title, first.Default = collection.DefaultTitle, true
	first, err = shelves.Create(ctx, first)
	switch {
	case fault.CodeOf(err) == fault.Invalid: // the user has as many as there may be
		return shelf, nil
	case err != nil:
		return shelf, err
	}
	shelf.Own = append(shelf.Own, first)
	return shelf, nil
}

func isDefault(c *collection.Collection) bool { return c.Default }

// choose takes from a shelf what the filter asks for, but for its text, as far as the caller may read it.
func choose(shelf store.UserCollections, filter *graph.UserCollectionFilter, standing collection.Permissions) []*collection.Collection {
	types := filter.Types
	wants := func(kind graph.CollectionType) bool { return types == nil || slices.Contains(types, kind) }
	var chosen []*collection.Collection
	if wants(graph.CollectionTypeOwned) {
		chosen = append(chosen, shelf.Own...)
	}
	if !filter.Saved {
		return chosen
	}
	for _, saved := range shelf.Saved {
		kind := graph.CollectionTypeUserShared
		if saved.Service {
			kind = graph.CollectionTypeServiceShared
		}
		if wants(kind) && standing.Reads(saved) && (!filter.CanEdit || saved.Anyone == collection.Edit) {
			chosen = append(chosen, saved)
		}
	}
	return chosen
}

func savedOf(shelf store.UserCollections) map[catalogue.ID]bool {
	saved := make(map[catalogue.ID]bool, len(shelf.Saved))
	for _, one := range shelf.Saved {
		saved[one.ID] = true
	}
	return saved
}
