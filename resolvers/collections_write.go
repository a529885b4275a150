package resolvers

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (m mutation) CreateCollection(ctx context.Context, input graph.CollectionInput) (*model.Collection, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	shelves, err := m.collections()
	if err != nil {
		return nil, err
	}
	created, err := m.newCollection(ctx, caller)
	if err != nil {
		return nil, err
	}
	created.Title, created.Description, created.Discoverable = input.Title, or(input.Description), input.Discoverable
	if created.SubjectIDs, err = m.subjectsNamed(ctx, input.Subjects); err != nil {
		return nil, err
	}
	videos, assets, admission, err := m.assetsNamed(ctx, "", input.Videos, input.Assets)
	if err != nil {
		return nil, err
	}
	if videos, assets, err = admission.choose(nil, videos, assets); err != nil {
		return nil, err
	}
	created.Assets = arranged(nil, videos, assets)
	if created, err = shelves.Create(ctx, created); err != nil {
		return nil, err
	}
	return m.showCollection(ctx, caller, created)
}

// newCollection is an empty one of the caller's user or, for a client of the operator's, of the operator.
func (r *resolver) newCollection(ctx context.Context, caller *account.Caller) (*collection.Collection, error) {
	if caller.Account == nil || caller.User == "" && !caller.Account.Operator {
		return nil, fault.InvalidRequest("the token has no user, to whom the collection could belong")
	}
	name, err := r.ownerName(ctx, caller)
	return &collection.Collection{
		ID: newCollectionID(), Account: caller.Account.ID, Owner: caller.User, OwnerName: name,
		Service: caller.Account.Operator, Anyone: collection.ViewOnly,
	}, err
}

// newCollectionID is random, as users' are.
func newCollectionID() catalogue.ID { return catalogue.ID(account.NewUserID()) }

// ownerName is how what belongs to the caller says whose it is: the user's name, or the operator's.
func (r *resolver) ownerName(ctx context.Context, caller *account.Caller) (string, error) {
	if caller.Account.Operator {
		return caller.Account.Name, nil
	}
	user, err := r.userOf(ctx, caller)
	if err != nil || user == nil {
		return "", err
	}
	return user.Name(), nil
}

// userOf is the caller's user; nil where there is none, or none that is kept.
func (r *resolver) userOf(ctx context.Context, caller *account.Caller) (*account.User, error) {
	if caller.User == "" || r.registry == nil {
		return nil, nil
	}
	return recordOf[*account.User](ctx, r, userKey(caller.User))
}

// subjectsNamed are subjects by their ids, each once. The error is of code NotFound for one that there is not.
func (r *resolver) subjectsNamed(ctx context.Context, texts []string) ([]catalogue.ID, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	var ids []catalogue.ID
	for _, id := range once(texts) {
		if directory.Subject(catalogue.ID(id)) == nil {
			return nil, noSuch("subject", id)
		}
		ids = append(ids, catalogue.ID(id))
	}
	return ids, nil
}

// once leaves repetitions out.
func once[T comparable](list []T) []T {
	met := make(map[T]bool, len(list))
	var kept []T
	for _, one := range list {
		if !met[one] {
			met[one] = true
			kept = append(kept, one)
		}
	}
	return kept
}

// change lets edit change a collection that the caller may read, and shows what came of it. What the caller
// may not read is not there.
func (m mutation) change(ctx context.Context, id string, edit func(by collection.Permissions, c *collection.Collection) error) (*model.Collection, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	shelves, err := m.collections()
	if err != nil {
		return nil, err
	}
	if !catalogue.ID(id).Valid() {
		return nil, noSuch("collection", id)
	}
	by := standingOf(caller)
	if by.User != "" {
		saved, err := shelves.Saved(ctx, by.User, []catalogue.ID{catalogue.ID(id)})
		if err != nil {
			return nil, err
		}
		by.Saved = saved[catalogue.ID(id)]
	}
	met := false
	changed, err := shelves.Change(ctx, catalogue.ID(id), func(c *collection.Collection) error {
		if met = by.Reads(c); !met {
			return noSuch("collection", id)
		}
		return edit(by, c)
	})
	switch {
	case !met && fault.CodeOf(err) == fault.NotFound: // in the same words, whatever the reason
		return nil, noSuch("collection", id)
	case err != nil:
		return nil, err
	}
	return m.showCollection(ctx, caller, changed)
}

// notChanged is the error for whoever may read a collection and may not do this with it.
func notChanged(c *collection.Collection) error {
	return fault.Errorf(fault.Forbidden, "the collection %q is not yours to change in this way", string(c.ID))
}

func (m mutation) UpdateCollection(ctx context.Context, id string, lastUpdatedAt *time.Time, input graph.UpdateCollectionInput) (*model.Collection, error) {
	update, err := m.collectionUpdate(ctx, id, input)
	if err != nil {
		return nil, err
	}
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		if err := update.allowed(by, c); err != nil {
			return err
		}
		if lastUpdatedAt != nil && c.UpdatedAt.After(*lastUpdatedAt) {
			return fault.Errorf(fault.Conflict, "the collection %q changed at %s", id, c.UpdatedAt.UTC().Format(catalogue.TimestampFormat))
		}
		return update.apply(c)
	})
}

func (m mutation) AddToCollection(ctx context.Context, id, video string, highlight *string) (*model.Collection, error) {
	videoID, err := m.visibleVideo(ctx, video)
	if err != nil {
		return nil, err
	}
	asset := collection.Asset{VideoID: videoID, HighlightID: catalogue.ID(or(highlight))}
	if asset.HighlightID != "" && !collection.IsPiece(asset.HighlightID) {
		return nil, noSuch("highlight", string(asset.HighlightID))
	}
	admission, err := m.admit(ctx, id, nil, []collection.Asset{asset})
	if err != nil {
		return nil, err
	}
	if _, exists := admission.pieces[asset.Key()]; asset.HighlightID != "" && !exists {
		return nil, fault.Errorf(fault.NotFound, "the video %q has no highlight %q", videoID, asset.HighlightID)
	}
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		if !by.Edits(c) {
			return notChanged(c)
		}
		_, chosen, err := admission.choose(c.Assets, nil, []collection.Asset{asset})
		for _, one := range chosen {
			c.Add(one)
		}
		return err
	})
}

// RemoveFromCollection also removes what the caller may not see, or what is a video no longer.
func (m mutation) RemoveFromCollection(ctx context.Context, id, video string, highlight *string) (*model.Collection, error) {
	ids, err := m.resolveAliases(ctx, []string{video})
	if err != nil {
		return nil, err
	}
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		if !by.Edits(c) {
			return notChanged(c)
		}
		c.Remove(collection.Key{Video: ids[0], Highlight: catalogue.ID(or(highlight))})
		return nil
	})
}

func (m mutation) SetCollectionPermission(ctx context.Context, id string, anyone collection.Permission) (*model.Collection, error) {
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		if !by.Owns(c) {
			return notChanged(c)
		}
		c.Anyone = anyone
		return nil
	})
}

func (m mutation) SaveCollection(ctx context.Context, id string, saved bool) (*model.Collection, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	found, err := m.readable(ctx, caller, id)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, noSuch("collection", id)
	case caller.User == "":
		return nil, fault.InvalidRequest("the token has no user, who could save the collection")
	case !standingOf(caller).Saves(found):
		return nil, fault.InvalidRequest("the collection %q is your own: it need not be saved", id)
	}
	if err := m.shelves.Save(ctx, caller.User, found.ID, saved); err != nil {
		return nil, err
	}
	return m.showCollection(ctx, caller, found)
}

func (m mutation) DeleteCollection(ctx context.Context, id string) (string, error) {
	caller, err := caller(ctx)
	if err != nil {
		return "", err
	}
	shelves, err := m.collections()
	if err != nil {
		return "", err
	}
	if !catalogue.ID(id).Valid() {
		return "", noSuch("collection", id)
	}
	by := standingOf(caller)
	err = shelves.Delete(ctx, catalogue.ID(id), func(c *collection.Collection) error {
		switch {
		case !by.Reads(c):
			return noSuch("collection", id)
		case !by.Changes(c):
			return notChanged(c)
		case c.Default:
			return fault.InvalidRequest("the collection %q is the default one, which stays", id)
		}
		return nil
	})
	if fault.CodeOf(err) == fault.NotFound {
		return "", noSuch("collection", id)
	}
	return id, err
}

// RecordCollectionInteraction keeps the collection's id beside what was done. A repetition is one also when the
// collection has gone since.
func (m mutation) RecordCollectionInteraction(ctx context.Context, id string, body event.Body, key *string) (bool, error) {
	told := telling{what: event.CollectionInteraction, of: id, body: body, key: key}
	return m.record(ctx, told, func(received event.Instant) ([]event.Event, error) {
		caller, err := caller(ctx)
		if err != nil {
			return nil, err
		}
		found, err := m.readable(ctx, caller, id)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, noSuch("collection", id)
		}
		return one(event.DecodeCollectionInteraction(id, body, received))
	})
}
