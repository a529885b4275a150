package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// collections returns the store of collections, or an error of code Unavailable where there is none.
func (r *resolver) collections() (store.Collections, error) {
	if r.shelves == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server keeps no collections")
	}
	return r.shelves, nil
}

// standingOf is what a caller is to collections, but for what the caller has saved.
func standingOf(caller *account.Caller) collection.Permissions {
	standing := collection.Permissions{
		User: caller.User,
		Any:  caller.Permissions.Has(account.ViewAnyCollection) || caller.Permissions.Has(account.Operate),
	}
	if caller.Account != nil {
		standing.Account = caller.Account.ID
	}
	if rules := caller.Access.Rules; rules != nil {
		standing.Only = rules.Collections
	}
	return standing
}

// Collection is null for what the caller may not read. The referer is attribution; it changes nothing.
func (q query) Collection(ctx context.Context, id string, _ *string) (*model.Collection, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	found, err := q.readable(ctx, caller, id)
	if err != nil || found == nil {
		return nil, err
	}
	return q.showCollection(ctx, caller, found)
}

// readable is the collection with an id, nil where there is none or the caller may not read it.
func (r *resolver) readable(ctx context.Context, caller *account.Caller, id string) (*collection.Collection, error) {
	shelves, err := r.collections()
	if err != nil || !catalogue.ID(id).Valid() {
		return nil, err
	}
	found, err := shelves.Collections(ctx, []catalogue.ID{catalogue.ID(id)})
	if err != nil || len(found) == 0 || !standingOf(caller).Reads(found[0]) {
		return nil, err
	}
	return found[0], nil
}

func (q query) Collections(ctx context.Context, filter *graph.CollectionFilter, sortBy []collection.Order, page, size int) (*model.CollectionPage, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := q.collectionQuery(ctx, caller, filter)
	if err != nil {
		return nil, err
	}
	if err := placePage(asked, sortBy, page, size); err != nil {
		return nil, err
	}
	if q.finder == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server does not search collections")
	}
	found, err := q.finder.Find(ctx, *asked)
	if err != nil {
		return nil, err
	}
	wanted := wantedBelow(ctx, "collections.")
	list, err := q.loadCollections(ctx, found.Refs, &asked.Audience, &wanted)
	if err != nil {
		return nil, err
	}
	return q.showPage(ctx, caller, list, nil, found.Total, wanted)
}

// collectionQuery turns what a client asked for into what the engines understand.
func (r *resolver) collectionQuery(ctx context.Context, caller *account.Caller, asked *graph.CollectionFilter) (*search.CollectionQuery, error) {
	standing := standingOf(caller)
	query := &search.CollectionQuery{
		Audience: search.CollectionAudience{Account: standing.Account, User: standing.User, Only: standing.Only},
	}
	if asked == nil {
		return query, nil
	}
	if err := checkCollectionFilter(asked, standing); err != nil {
		return nil, err
	}
	// Who may see any collection finds all where it is said which kind is wanted.
	query.Audience.All = standing.Any && (asked.IgnoreDiscoverable || asked.Discoverable != nil || asked.Owner != nil)
	if asked.Query != nil && !r.asksNothing(*asked.Query) {
		query.Text, query.PartialTitle = *asked.Query, asked.PartialTitleMatch
	}
	query.Promoted, query.PromotedFor, query.Owner = asked.Promoted, asked.PromotedFor, asked.Owner
	query.Subjects, query.ResourceTypes = idsOf(asked.Subjects), asked.ResourceTypes
	query.AgeMin, query.AgeMax = asked.AgeMin, asked.AgeMax
	if !asked.IgnoreDiscoverable && standing.Only == nil {
		query.Discoverable = asked.Discoverable
	}
	var err error
	if query.Ages, err = ageBrackets(asked.Ages); err != nil {
		return nil, err
	}
	if asked.Saved != nil && *asked.Saved {
		query.IDs, err = r.savedBy(ctx, caller.User)
	}
	return query, err
}

func checkCollectionFilter(asked *graph.CollectionFilter, standing collection.Permissions) error {
	if err := checkText(asked.Query); err != nil {
		return err
	}
	for _, list := range []struct {
		name string
		n    int
	}{
		{"subjects", len(asked.Subjects)}, {"promotedFor", len(asked.PromotedFor)},
		{"resourceTypes", len(asked.ResourceTypes)}, {"ages", len(asked.Ages)},
	} {
		if list.n > catalogue.MaxFilterValues {
			return fault.InvalidRequest("%s has %d values, at most %d are allowed", list.name, list.n, catalogue.MaxFilterValues)
		}
	}
	switch {
	case asked.IgnoreDiscoverable && !standing.Any:
		return lacksAny("ignoreDiscoverable")
	case asked.Owner != nil && !standing.Any && (standing.User == "" || *asked.Owner != standing.User):
		return lacksAny("the owner " + *asked.Owner)
	}
	return checkAges(asked.AgeMin, asked.AgeMax)
}

func lacksAny(what string) error {
	return fault.Errorf(fault.Forbidden, "%s: the permission %s is required", what, account.ViewAnyCollection)
}

// savedBy lists what a user has saved, which is nothing for nobody.
func (r *resolver) savedBy(ctx context.Context, user string) ([]catalogue.ID, error) {
	ids := []catalogue.ID{}
	if user == "" {
		return ids, nil
	}
	shelves, err := r.collections()
	if err != nil {
		return nil, err
	}
	shelf, err := shelves.UserCollections(ctx, user)
	for _, saved := range shelf.Saved {
		ids = append(ids, saved.ID)
	}
	return ids, err
}

func checkText(text *string) error {
	if text != nil && len([]rune(*text)) > maxQueryLength {
		return fault.InvalidRequest("query has %d characters, at most %d are allowed", len([]rune(*text)), maxQueryLength)
	}
	return nil
}

// placePage says which page of the query's answer is wanted, in which order.
func placePage(query *search.CollectionQuery, sortBy []collection.Order, page, size int) error {
	if err := catalogue.CheckWindow(page, size, collection.MaxPage); err != nil {
		return err
	}
	if len(sortBy) > len(collection.Orders()) {
		return fault.InvalidRequest("sortBy has %d criteria, there are %d", len(sortBy), len(collection.Orders()))
	}
	query.Order, query.Offset, query.Size = sortBy, page*size, size
	return nil
}

// loadCollections reads what was found, in its order, leaving out what is gone or no longer found by them; where
// sub-collections are wanted, these come with it.
func (r *resolver) loadCollections(ctx context.Context, refs []catalogue.Ref, by *search.CollectionAudience, wanted *wanted) ([]*collection.Collection, error) {
	shelves, err := r.collections()
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	ids := make([]catalogue.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	var loaded []*collection.Collection
	if wanted.parts {
		loaded, wanted.read, err = shelves.WithParts(ctx, ids, partsAtOnce)
	} else {
		loaded, err = shelves.Collections(ctx, ids)
	}
	kept := loaded[:0]
	for _, one := range loaded {
		if document := search.DocumentOf(one); by.Finds(&document) {
			kept = append(kept, one)
		}
	}
	return kept, err
}
