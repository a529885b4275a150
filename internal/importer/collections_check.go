package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// checkCollections checks the lines about collections against collections and users.
func (r *run) checkCollections(ctx context.Context) error {
	return r.eachPending(ctx, "checking collections", func(ctx context.Context, batch []collectionLine) error {
		stored, err := r.storedCollections(ctx, idsOf(batch))
		if err != nil {
			return err
		}
		for _, one := range batch {
			if err := r.checkCollection(ctx, one, stored[one.record.ID]); err != nil {
				return err
			}
		}
		return r.findParts(ctx, batch)
	})
}

// checkCollection checks a line against the stored collection; nil if none is stored.
func (r *run) checkCollection(ctx context.Context, one collectionLine, stored *collection.Collection) error {
	made, isMade := r.collections.made[one.record.ID]
	one.creates = stored == nil && !isMade
	said, faults := saidOf(one.record, one.creates)
	var err error
	switch {
	case len(faults) > 0:
	case one.creates:
		made, faults, err = r.findOwner(ctx, said.Body.Account, said.Body.Owner)
		if err == nil && len(faults) == 0 {
			r.collections.made[one.record.ID] = made
			one.owner = made.User
			err = r.countOwned(ctx, made.User)
		}
	case stored == nil:
		faults, err = r.staysWith(ctx, &said.Body, made.Account, made.User)
	case stored.Default:
		faults = fault.FieldErrors{{Field: "id", Problem: fmt.Sprintf("%q is the collection that the user %q was given, and belongs to no import", stored.ID, stored.Owner)}}
	default:
		faults, err = r.staysWith(ctx, &said.Body, stored.Account, stored.Owner)
	}
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		r.refuseLine(one, faults)
	}
	return nil
}

// saidOf returns the collection that a line alone describes, without what is stored.
func saidOf(record *importline.Record, creates bool) (*importline.Collection, fault.FieldErrors) {
	var before catalogue.Item
	if !creates {
		before = importline.CollectionOf(&collection.Collection{ID: record.ID, Title: "a title", Anyone: collection.ViewOnly})
	}
	item, faults := record.Apply(before)
	if len(faults) > 0 {
		return nil, faults
	}
	return item.(*importline.Collection), nil
}

// staysWith finds the faults of a line that would give a collection to another owner.
func (r *run) staysWith(ctx context.Context, said *collection.Collection, account, user string) (fault.FieldErrors, error) {
	if said.Owner == "" && (said.Account == "" || said.Account == account) {
		return nil, nil
	}
	owner, faults, err := r.findOwner(ctx, said.Account, said.Owner)
	if err != nil || len(faults) > 0 || owner.Account == account && owner.User == user {
		return faults, err
	}
	problem := fmt.Sprintf("the collection belongs to the account %q, and stays with it", account)
	if user != "" {
		problem = fmt.Sprintf("the collection belongs to the user %q of the account %q, and stays with them", user, account)
	}
	field := "owner"
	if said.Owner == "" {
		field = "account"
	}
	return fault.FieldErrors{{Field: field, Problem: problem}}, nil
}

// ownerName is how a line names an owner; foundOwner is the result of the lookup.
type (
	ownerName  struct{ account, user string }
	foundOwner struct {
		Owner
		faults fault.FieldErrors
	}
)

// findOwner looks up each owner once.
func (r *run) findOwner(ctx context.Context, account, user string) (Owner, fault.FieldErrors, error) {
	name := ownerName{account, user}
	known, met := r.collections.owners[name]
	if !met {
		err := r.patiently(ctx, func() (err error) {
			known.Owner, known.faults, err = r.Collections.Owner(ctx, account, user)
			return err
		})
		if err != nil {
			return Owner{}, nil, fmt.Errorf("owners of collections: %w", err)
		}
		r.collections.owners[name] = known
	}
	return known.Owner, known.faults, nil
}

// countOwned reads how many collections a user has.
func (r *run) countOwned(ctx context.Context, user string) error {
	if _, known := r.collections.owned[user]; known || user == "" {
		return nil
	}
	err := r.patiently(ctx, func() error {
		has, err := r.Collections.Store.UserCollections(ctx, user)
		r.collections.owned[user] = len(has.Own)
		return err
	})
	if err != nil {
		return fmt.Errorf("collections: %w", err)
	}
	return nil
}

// findParts records the sub-collections of each line that are not stored.
func (r *run) findParts(ctx context.Context, batch []collectionLine) error {
	links := linksOf(batch, func(link catalogue.Link) bool { return link.Kind == collection.Kind })
	var ids []catalogue.ID
	for _, ofOne := range links {
		for _, link := range ofOne {
			ids = append(ids, link.ID)
		}
	}
	there := map[catalogue.ID]bool{}
	for some := range slices.Chunk(once(ids), collectionBatch) {
		stored, err := r.storedCollections(ctx, some)
		if err != nil {
			return err
		}
		for id := range stored {
			there[id] = true
		}
	}
	for one, ofOne := range links {
		one.parts = slices.DeleteFunc(ofOne, func(link catalogue.Link) bool { return there[link.ID] })
	}
	return nil
}
