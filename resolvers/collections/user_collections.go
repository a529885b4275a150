package collections

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// UserCollections searches the collections of a user, which are few, in memory. It follows the rules of the index, but
// sees every change at once.
func (r *Resolver) UserCollections(
	ctx context.Context, user string, filter *graph.UserCollectionFilter, sortBy []collection.Order, page, size int,
) (*model.CollectionPage, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	mine := permissionsOf(caller)
	if !mine.Any && (caller.User == "" || user != caller.User) {
		return nil, fault.Errorf(fault.Forbidden, "the user %q is not the token's", user)
	}
	if filter == nil {
		filter = &graph.UserCollectionFilter{Saved: true}
	}
	query := search.CollectionQuery{Audience: search.CollectionAudience{All: true}} // of those that are chosen below
	if err := r.setText(&query, filter.Query, filter.PartialTitleMatch); err != nil {
		return nil, err
	}
	if sortBy == nil {
		sortBy = []collection.Order{collection.ByUpdatedAt}
	}
	if err := setPage(&query, sortBy, page, size); err != nil {
		return nil, err
	}
	of, err := r.userCollections(ctx, caller, user)
	if err != nil {
		return nil, err
	}
	chosen := choose(of, filter, mine)
	documents := make([]search.CollectionDocument, len(chosen))
	byID := make(map[catalogue.ID]*collection.Collection, len(chosen))
	for i, one := range chosen {
		documents[i], byID[one.ID] = search.DocumentOf(one), one
	}
	found := search.FindAmong(r.config.Analyzer, &query, documents)
	list := make([]*collection.Collection, len(found.Refs))
	for i, ref := range found.Refs {
		list[i] = byID[ref.ID]
	}
	var saved map[catalogue.ID]bool
	if user == caller.User {
		saved = make(map[catalogue.ID]bool, len(of.Saved))
		for _, one := range of.Saved {
			saved[one.ID] = true
		}
	}
	return r.showPage(ctx, list, saved, found.Total, selectionBelow(ctx, "collections."))
}

// userCollections reads the collections that a user owns or has saved. It creates the default collection of a caller who
// looks at their own for the first time.
func (r *Resolver) userCollections(ctx context.Context, caller *account.Caller, user string) (store.UserCollections, error) {
	stored, err := r.store()
	if err != nil {
		return store.UserCollections{}, err
	}
	of, err := stored.UserCollections(ctx, user)
	if err != nil || user != caller.User || slices.ContainsFunc(of.Own, func(c *collection.Collection) bool { return c.Default }) {
		return of, err
	}
	first, err := r.newCollection(ctx, caller)
	if err != nil {
		return of, err
	}
	first.Title, first.Default = collection.DefaultTitle, true
	first, err = stored.Create(ctx, first)
	switch {
	case fault.CodeOf(err) == fault.Invalid: // the user has as many collections as allowed
		return of, nil
	case err != nil:
		return of, err
	}
	of.Own = append(of.Own, first)
	return of, r.forgetIfDeleted(ctx, caller)
}

// choose applies a filter, except for its text, to the collections of a user.
func choose(of store.UserCollections, filter *graph.UserCollectionFilter, mine collection.Permissions) []*collection.Collection {
	includes := func(kind graph.CollectionType) bool {
		return filter.Types == nil || slices.Contains(filter.Types, kind)
	}
	var chosen []*collection.Collection
	if includes(graph.CollectionTypeOwned) {
		chosen = append(chosen, of.Own...)
	}
	if !filter.Saved {
		return chosen
	}
	for _, saved := range of.Saved {
		kind := graph.CollectionTypeUserShared
		if saved.Service {
			kind = graph.CollectionTypeServiceShared
		}
		if includes(kind) && mine.Reads(saved) && (!filter.CanEdit || saved.Anyone == collection.Edit) {
			chosen = append(chosen, saved)
		}
	}
	return chosen
}
