// Package collections shows and edits collections of videos. A collection that the caller may not read does not exist for
// the caller.
package collections

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
)

// Config lists the ports that collections need. Store, Index and Roster may be nil.
type Config struct {
	Videos *videos.Resolver
	// Catalogue holds highlights.
	Catalogue store.Catalogue
	Store     store.Collections
	Index     search.CollectionReader
	Analyzer  *analysis.Analyzer
	// Registry holds the users who own collections.
	Registry *registry.Registry
	// Roster returns the content packages that are in force.
	Roster func() *account.Roster
	Now    func() time.Time
}

// Resolver resolves the fields about collections.
type Resolver struct{ config Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }

// store returns the store of collections, or an error with the code Unavailable if there is none.
func (r *Resolver) store() (store.Collections, error) {
	if r.config.Store == nil {
		return nil, searches.ErrNoCollections
	}
	return r.config.Store, nil
}

func (r *Resolver) today() catalogue.Date { return r.config.Videos.Today() }

// permissionsOf returns what a caller may do with collections, apart from what follows from saving one.
func permissionsOf(caller *account.Caller) collection.Permissions {
	mine := collection.Permissions{
		User: caller.User,
		Any:  caller.Permissions.Has(account.ViewAnyCollection) || caller.Permissions.Has(account.Operate),
	}
	if caller.Account != nil {
		mine.Account = caller.Account.ID
	}
	if rules := caller.Access.Rules; rules != nil {
		mine.Only = rules.Collections
	}
	return mine
}

// Collection returns nil if the caller may not read the collection. The referer is attribution and changes nothing.
func (r *Resolver) Collection(ctx context.Context, id string, _ *string) (*model.Collection, error) {
	found, err := r.Readable(ctx, id)
	if err != nil || found == nil {
		return nil, err
	}
	return r.showCollection(ctx, found)
}

// Readable returns the collection with an ID, or nil if there is none that the caller may read.
func (r *Resolver) Readable(ctx context.Context, id string) (*collection.Collection, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := r.store()
	if err != nil || !catalogue.ID(id).Valid() {
		return nil, err
	}
	found, err := stored.Collections(ctx, []catalogue.ID{catalogue.ID(id)})
	if err != nil || len(found) == 0 || !permissionsOf(caller).Reads(found[0]) {
		return nil, err
	}
	return found[0], nil
}

func (r *Resolver) Collections(ctx context.Context, filter *graph.CollectionFilter, sortBy []collection.Order, page, size int) (*model.CollectionPage, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query, err := r.queryOf(ctx, caller, filter)
	if err != nil {
		return nil, err
	}
	if err := setPage(query, sortBy, page, size); err != nil {
		return nil, err
	}
	if r.config.Index == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server does not search collections")
	}
	found, err := r.config.Index.Find(ctx, *query)
	if err != nil {
		return nil, err
	}
	selected := selectionBelow(ctx, "collections.")
	list, err := r.load(ctx, found.Refs, &query.Audience, &selected)
	if err != nil {
		return nil, err
	}
	return r.showPage(ctx, list, nil, found.Total, selected)
}

// queryOf turns a filter of the schema into a query of the index.
func (r *Resolver) queryOf(ctx context.Context, caller *account.Caller, filter *graph.CollectionFilter) (*search.CollectionQuery, error) {
	mine := permissionsOf(caller)
	query := &search.CollectionQuery{
		Audience: search.CollectionAudience{Account: mine.Account, User: mine.User, Only: mine.Only},
	}
	if filter == nil {
		return query, nil
	}
	if err := checkFilter(filter, mine); err != nil {
		return nil, err
	}
	// A caller who may see any collection finds all of them only with a filter that says which.
	query.Audience.All = mine.Any && (filter.IgnoreDiscoverable || filter.Discoverable != nil || filter.Owner != nil)
	if err := r.setText(query, filter.Query, filter.PartialTitleMatch); err != nil {
		return nil, err
	}
	query.Promoted, query.PromotedFor, query.Owner = filter.Promoted, filter.PromotedFor, filter.Owner
	query.Subjects, query.ResourceTypes = values.IDs(filter.Subjects), filter.ResourceTypes
	query.AgeMin, query.AgeMax = filter.AgeMin, filter.AgeMax
	if !filter.IgnoreDiscoverable && mine.Only == nil {
		query.Discoverable = filter.Discoverable
	}
	var err error
	if query.Ages, err = searches.AgeBrackets(filter.Ages); err != nil {
		return nil, err
	}
	if filter.Saved != nil && *filter.Saved {
		query.IDs, err = r.savedBy(ctx, caller.User)
	}
	return query, err
}

func checkFilter(filter *graph.CollectionFilter, mine collection.Permissions) error {
	for _, list := range []struct {
		name string
		n    int
	}{
		{"subjects", len(filter.Subjects)}, {"promotedFor", len(filter.PromotedFor)},
		{"resourceTypes", len(filter.ResourceTypes)}, {"ages", len(filter.Ages)},
	} {
		if err := searches.CheckList(list.name, list.n); err != nil {
			return err
		}
	}
	switch {
	case filter.IgnoreDiscoverable && !mine.Any:
		return fault.About("filter.ignoreDiscoverable", errRequiresAny)
	case filter.Owner != nil && !mine.Any && (mine.User == "" || *filter.Owner != mine.User):
		return fault.About("filter.owner", errRequiresAny)
	}
	return searches.CheckAges(filter.AgeMin, filter.AgeMax)
}

var errRequiresAny = fault.Errorf(fault.Forbidden, "the permission %s is required", account.ViewAnyCollection)

// setText sets the text of a query, unless it is blank.
func (r *Resolver) setText(query *search.CollectionQuery, text *string, partialTitle bool) error {
	if text == nil {
		return nil
	}
	if err := inputs.CheckText(*text, searches.MaxQueryLength); err != nil {
		return err
	}
	if !inputs.IsBlank(r.config.Analyzer, *text) {
		query.Text, query.PartialTitle = *text, partialTitle
	}
	return nil
}

// savedBy returns the collections that a user has saved, which are none without a user.
func (r *Resolver) savedBy(ctx context.Context, user string) ([]catalogue.ID, error) {
	if user == "" {
		return []catalogue.ID{}, nil
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	of, err := stored.UserCollections(ctx, user)
	return values.Map(of.Saved, func(one *collection.Collection) catalogue.ID { return one.ID }), err
}

// setPage sets the order and the page of a query.
func setPage(query *search.CollectionQuery, sortBy []collection.Order, page, size int) error {
	if err := catalogue.CheckWindow(page, size, collection.MaxPage); err != nil {
		return err
	}
	if len(sortBy) > len(collection.Orders()) {
		return fault.InvalidRequest("sortBy has %d criteria, there are %d", len(sortBy), len(collection.Orders()))
	}
	query.Order, query.Offset, query.Size = sortBy, page*size, size
	return nil
}

// load reads collections in the order in which the index found them. It leaves out those that were deleted, or that the
// audience does not find any more. If the operation selects sub-collections, it reads these too.
func (r *Resolver) load(ctx context.Context, refs []catalogue.Ref, audience *search.CollectionAudience, selected *selection) ([]*collection.Collection, error) {
	stored, err := r.store()
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	ids := values.Map(refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID })
	var loaded []*collection.Collection
	if selected.parts {
		loaded, selected.read, err = stored.WithParts(ctx, ids, partsAtOnce)
	} else {
		loaded, err = stored.Collections(ctx, ids)
	}
	kept := loaded[:0]
	for _, one := range loaded {
		if document := search.DocumentOf(one); audience.Finds(&document) {
			kept = append(kept, one)
		}
	}
	return kept, err
}
