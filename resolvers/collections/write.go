package collections

import (
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) CreateCollection(ctx context.Context, input graph.CollectionInput) (*model.Collection, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	created, err := r.newCollection(ctx, caller)
	if err != nil {
		return nil, err
	}
	created.Title, created.Description, created.Discoverable = input.Title, values.Or(input.Description), input.Discoverable
	if created.SubjectIDs, err = r.subjectsNamed(ctx, input.Subjects); err != nil {
		return nil, err
	}
	ids, assets, admission, err := r.assetsNamed(ctx, "", input.Videos, input.Assets)
	if err != nil {
		return nil, err
	}
	if ids, assets, err = admission.choose(nil, ids, assets); err != nil {
		return nil, err
	}
	created.Assets = merge(nil, ids, assets)
	if created, err = stored.Create(ctx, created); err != nil {
		return nil, err
	}
	if err := r.forgetIfDeleted(ctx, caller); err != nil {
		return nil, err
	}
	return r.showCollection(ctx, created)
}

// newCollection makes an empty collection of the caller's user or, for a client of the operator, of the operator.
func (r *Resolver) newCollection(ctx context.Context, caller *account.Caller) (*collection.Collection, error) {
	if caller.Account == nil || caller.User == "" && !caller.Account.Operator {
		return nil, fault.InvalidRequest("the token has no user, who could own the collection")
	}
	name, err := r.ownerName(ctx, caller)
	return &collection.Collection{
		ID: catalogue.RandomID(), Account: caller.Account.ID, Owner: caller.User, OwnerName: name,
		Service: caller.Account.Operator, Anyone: collection.ViewOnly,
	}, err
}

// ownerName returns the name of the caller's user, or that of the operator.
func (r *Resolver) ownerName(ctx context.Context, caller *account.Caller) (string, error) {
	user, err := r.userOf(ctx, caller)
	switch {
	case err != nil:
		return "", err
	case caller.Account.Operator:
		return caller.Account.Name, nil
	case user == nil:
		return "", nil
	}
	return user.Name(), nil
}

// userOf returns the caller's user, or nil if the caller has none or there is no registry. The error has the code Forbidden
// if the user has been deleted.
func (r *Resolver) userOf(ctx context.Context, caller *account.Caller) (*account.User, error) {
	if caller.User == "" || !r.config.Registry.Available() {
		return nil, nil
	}
	user, err := registry.Record[*account.User](ctx, r.config.Registry, account.KindUser.Key(caller.User))
	if err == nil && user == nil {
		err = fault.Errorf(fault.Forbidden, "the user %q has been deleted", fault.Shorten(caller.User))
	}
	return user, err
}

// forgetIfDeleted follows each write that stores a caller whom userOf found before. If the user has been deleted since, it
// removes what the deletion could not see yet, and returns the error of userOf.
func (r *Resolver) forgetIfDeleted(ctx context.Context, caller *account.Caller) error {
	_, deleted := r.userOf(ctx, caller)
	if fault.CodeOf(deleted) != fault.Forbidden {
		return deleted
	}
	if _, err := r.config.Store.ForgetUser(context.WithoutCancel(ctx), caller.User); err != nil {
		return err
	}
	return deleted
}

// subjectsNamed returns subjects by their IDs, each once. The error has the code NotFound if one does not exist.
func (r *Resolver) subjectsNamed(ctx context.Context, texts []string) ([]catalogue.ID, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	directory, err := r.config.Videos.Directory(ctx)
	if err != nil {
		return nil, err
	}
	ids := values.Distinct(values.IDs(texts))
	for _, id := range ids {
		if directory.Subject(id) == nil {
			return nil, inputs.NotFound("subject", string(id))
		}
	}
	return ids, nil
}

// change edits a collection that the caller may read, and shows the result. The error is the same whether a collection
// does not exist or the caller may not read it.
func (r *Resolver) change(ctx context.Context, id string, edit func(mine collection.Permissions, c *collection.Collection) error) (*model.Collection, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	if !catalogue.ID(id).Valid() {
		return nil, inputs.NotFound("collection", id)
	}
	mine := permissionsOf(caller)
	if mine.User != "" {
		saved, err := stored.Saved(ctx, mine.User, []catalogue.ID{catalogue.ID(id)})
		if err != nil {
			return nil, err
		}
		mine.Saved = saved[catalogue.ID(id)]
	}
	readable := false
	changed, err := stored.Change(ctx, catalogue.ID(id), func(c *collection.Collection) error {
		if readable = mine.Reads(c); !readable {
			return inputs.NotFound("collection", id)
		}
		return edit(mine, c)
	})
	switch {
	case !readable && fault.CodeOf(err) == fault.NotFound:
		return nil, inputs.NotFound("collection", id)
	case err != nil:
		return nil, err
	}
	return r.showCollection(ctx, changed)
}

// errNotYours is the error for a caller who may read a collection, but not change it in some way.
func errNotYours(c *collection.Collection) error {
	return fault.Errorf(fault.Forbidden, "the collection %q is not yours to change in this way", string(c.ID))
}

func (r *Resolver) UpdateCollection(ctx context.Context, id string, lastUpdatedAt *time.Time, input graph.UpdateCollectionInput) (*model.Collection, error) {
	update, err := r.newUpdate(ctx, id, input)
	if err != nil {
		return nil, err
	}
	return r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		if err := update.check(mine, c); err != nil {
			return err
		}
		if lastUpdatedAt != nil && c.UpdatedAt.After(*lastUpdatedAt) {
			return fault.Errorf(fault.Conflict, "the collection %q changed at %s", id, c.UpdatedAt.UTC().Format(catalogue.TimestampFormat))
		}
		return update.apply(c)
	})
}

func (r *Resolver) AddToCollection(ctx context.Context, id, video string, highlight *string) (*model.Collection, error) {
	videoID, err := r.config.Videos.VisibleVideo(ctx, video)
	if err != nil {
		return nil, err
	}
	asset := collection.Asset{VideoID: videoID, HighlightID: catalogue.ID(values.Or(highlight))}
	if asset.HighlightID != "" && !collection.IsPiece(asset.HighlightID) {
		return nil, inputs.NotFound("highlight", string(asset.HighlightID))
	}
	admission, err := r.admit(ctx, id, nil, []collection.Asset{asset})
	if err != nil {
		return nil, err
	}
	if _, exists := admission.pieces[asset.Key()]; asset.HighlightID != "" && !exists {
		return nil, fault.Errorf(fault.NotFound, "the video %q has no highlight %q", videoID, asset.HighlightID)
	}
	return r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		if !mine.Edits(c) {
			return errNotYours(c)
		}
		_, chosen, err := admission.choose(c.Assets, nil, []collection.Asset{asset})
		for _, one := range chosen {
			c.Add(one)
		}
		return err
	})
}

// RemoveFromCollection also removes videos that the caller does not see, or that no longer exist.
func (r *Resolver) RemoveFromCollection(ctx context.Context, id, video string, highlight *string) (*model.Collection, error) {
	ids, err := r.config.Videos.ResolveAliases(ctx, []string{video})
	if err != nil {
		return nil, err
	}
	key := collection.Key{Video: ids[0], Highlight: catalogue.ID(values.Or(highlight))}
	sees, err := r.shownIn(ctx, id, ids)
	if err != nil {
		return nil, err
	}
	return r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		if !mine.Edits(c) {
			return errNotYours(c)
		}
		for _, asset := range slices.Clone(c.Assets) {
			if sees.same(asset.Key(), key) {
				c.Remove(asset.Key())
			}
		}
		return nil
	})
}

func (r *Resolver) SetCollectionPermission(ctx context.Context, id string, anyone collection.Permission) (*model.Collection, error) {
	return r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		if !mine.Owns(c) {
			return errNotYours(c)
		}
		c.Anyone = anyone
		return nil
	})
}

func (r *Resolver) SaveCollection(ctx context.Context, id string, saved bool) (*model.Collection, error) {
	found, err := r.Readable(ctx, id)
	if err != nil {
		return nil, err
	}
	caller := account.CallerOf(ctx)
	switch {
	case found == nil:
		return nil, inputs.NotFound("collection", id)
	case caller.User == "":
		return nil, fault.InvalidRequest("the token has no user, who could save the collection")
	case !permissionsOf(caller).Saves(found):
		return nil, fault.InvalidRequest("the collection %q is your own, and need not be saved", id)
	}
	if _, err := r.userOf(ctx, caller); err != nil {
		return nil, err
	}
	if err := r.config.Store.Save(ctx, caller.User, found.ID, saved); err != nil {
		return nil, err
	}
	if err := r.forgetIfDeleted(ctx, caller); err != nil {
		return nil, err
	}
	return r.showCollection(ctx, found)
}

func (r *Resolver) DeleteCollection(ctx context.Context, id string) (string, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return "", err
	}
	stored, err := r.store()
	if err != nil {
		return "", err
	}
	if !catalogue.ID(id).Valid() {
		return "", inputs.NotFound("collection", id)
	}
	mine := permissionsOf(caller)
	err = stored.Delete(ctx, catalogue.ID(id), func(c *collection.Collection) error {
		switch {
		case !mine.Reads(c):
			return inputs.NotFound("collection", id)
		case !mine.Changes(c):
			return errNotYours(c)
		case c.Default:
			return fault.InvalidRequest("the collection %q is the default collection, which cannot be deleted", id)
		}
		return nil
	})
	if fault.CodeOf(err) == fault.NotFound {
		return "", inputs.NotFound("collection", id)
	}
	return id, err
}
