package importer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// writeCollections writes the collections, each in a transaction of its own, so that users who write theirs wait for one at
// most. It runs after the commit of the catalogue; after an interruption, the next run writes the rest and finds the
// others unchanged.
func (r *run) writeCollections(ctx context.Context) error {
	err := r.eachPending(ctx, "writing collections", func(ctx context.Context, batch []collectionLine) error {
		stored, err := r.storedCollections(ctx, idsOf(batch))
		if err != nil {
			return err
		}
		for _, one := range batch {
			if err := r.writeCollection(ctx, one, stored); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("not all collections are in, running the import again brings the rest: %w", err)
	}
	return r.pruneCollections(ctx)
}

// writeCollection writes one line and counts the result.
func (r *run) writeCollection(ctx context.Context, one collectionLine, stored map[catalogue.ID]*collection.Collection) error {
	id := one.record.ID
	written, status, hidden, err := r.put(ctx, one.record, stored[id])
	switch faults, isFault := faultsOf(err); {
	case isFault:
		r.refuseLine(one, faults)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", one.file, one.line, err)
	default:
		stored[id] = written
		r.hidden += hidden
		r.accept(entry{position: one.position, record: one.record}, status)
	}
	return nil
}

// faultsOf separates faults of a line, which the checks could not find, from failures of the run.
func faultsOf(err error) (fault.FieldErrors, bool) {
	if faults, ok := errors.AsType[fault.FieldErrors](err); ok {
		return faults, true
	}
	if fault.CodeOf(err) == fault.Invalid {
		return fault.FieldErrors{{Problem: err.Error()}}, true
	}
	return nil, false
}

// maxTurns is how often put starts again because others create and delete the collection meanwhile.
const maxTurns = 5

// put applies a line to a collection. stored is the collection as read before, or nil. hidden is how many of the line's
// videos were left out because the owner's account does not see them.
func (r *run) put(ctx context.Context, record *importline.Record, stored *collection.Collection) (written *collection.Collection, status store.Status, hidden int, err error) {
	for range maxTurns {
		if stored == nil {
			written, hidden, err = r.create(ctx, record)
			if fault.CodeOf(err) != fault.Conflict {
				return written, store.Added, hidden, err
			}
			found, reading := r.storedCollections(ctx, []catalogue.ID{record.ID})
			if reading != nil {
				return nil, 0, 0, reading
			}
			stored = found[record.ID]
			continue
		}
		written, status, hidden, err = r.change(ctx, record, stored)
		if fault.CodeOf(err) != fault.NotFound {
			return written, status, hidden, err
		}
		stored = nil
	}
	return nil, 0, 0, err
}

// create adds the collection that a line describes.
func (r *run) create(ctx context.Context, record *importline.Record) (created *collection.Collection, hidden int, err error) {
	said, faults := saidOf(record, true)
	if len(faults) > 0 {
		return nil, 0, faults
	}
	owner, faults, err := r.findOwner(ctx, said.Body.Account, said.Body.Owner)
	if err != nil {
		return nil, 0, err
	}
	if len(faults) > 0 {
		return nil, 0, faults
	}
	made := said.Collection()
	made.Account, made.Owner, made.OwnerName, made.Service = owner.Account, owner.User, owner.Name, owner.Service
	visible, err := r.visibleTo(ctx, made, made.VideoIDs())
	if err != nil {
		return nil, 0, err
	}
	hidden = visible.leave(made, nil)
	err = r.patiently(ctx, func() error {
		created, err = r.Collections.Store.Create(ctx, made)
		return err
	})
	return created, hidden, err
}

// visibleVideos are videos that the account of a collection's owner sees; nil means that the owner is the operator, who
// may add any video.
type visibleVideos map[catalogue.ID]bool

// visibleTo returns which of the videos may be added to a collection.
func (r *run) visibleTo(ctx context.Context, c *collection.Collection, videos []catalogue.ID) (visibleVideos, error) {
	if c.Service {
		return nil, nil
	}
	visible := visibleVideos{}
	if len(videos) == 0 {
		return visible, nil
	}
	err := r.patiently(ctx, func() (err error) {
		found, err := r.Collections.Visible(ctx, c.Account, videos)
		if found != nil {
			visible = found
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("videos of collections: %w", err)
	}
	return visible, nil
}

// leave removes assets with hidden videos from a collection, unless they were in it before, and returns how many it
// removed.
func (v visibleVideos) leave(c *collection.Collection, before []collection.Asset) (hidden int) {
	if v == nil {
		return 0
	}
	known := make(map[catalogue.ID]bool, len(before))
	for i := range before {
		known[before[i].VideoID] = true
	}
	named := len(c.Assets)
	c.Assets = slices.DeleteFunc(slices.Clone(c.Assets), func(asset collection.Asset) bool { return !known[asset.VideoID] && !v[asset.VideoID] })
	return named - len(c.Assets)
}

// added lists the videos of next that are not in before.
func added(next, before *collection.Collection) []catalogue.ID {
	known := before.VideoIDs()
	return slices.DeleteFunc(next.VideoIDs(), func(id catalogue.ID) bool { return slices.Contains(known, id) })
}

// change applies a line to a collection. If that changes nothing, it starts no transaction.
func (r *run) change(ctx context.Context, record *importline.Record, stored *collection.Collection) (changed *collection.Collection, status store.Status, hidden int, err error) {
	next, err := laidOver(record, stored)
	if err != nil {
		return stored, store.Unchanged, 0, err
	}
	visible, err := r.visibleTo(ctx, stored, added(next, stored))
	if err != nil {
		return stored, store.Unchanged, 0, err
	}
	hidden = visible.leave(next, stored.Assets)
	if reflect.DeepEqual(next, stored) {
		return stored, store.Unchanged, hidden, nil
	}
	var before int64
	err = r.patiently(ctx, func() error {
		changed, err = r.Collections.Store.Change(ctx, record.ID, func(c *collection.Collection) error {
			before = c.Version
			next, err := laidOver(record, c)
			if err == nil {
				hidden = visible.leave(next, c.Assets)
				*c = *next
			}
			return err
		})
		return err
	})
	if err != nil || changed.Version == before {
		return changed, store.Unchanged, hidden, err
	}
	return changed, store.Changed, hidden, nil
}

// laidOver returns the collection as the line wants it. Its owner and the users' feedback on its videos remain.
func laidOver(record *importline.Record, stored *collection.Collection) (*collection.Collection, error) {
	item, faults := record.Apply(importline.CollectionOf(stored))
	if len(faults) > 0 {
		return nil, faults
	}
	next := item.(*importline.Collection).Collection()
	next.Account, next.Owner = stored.Account, stored.Owner
	said := make(map[collection.Key][]collection.Comment, len(stored.Assets))
	for _, asset := range stored.Assets {
		said[asset.Key()] = asset.Comments
	}
	next.Assets = slices.Clone(next.Assets)
	for i := range next.Assets {
		next.Assets[i].Comments = said[next.Assets[i].Key()]
	}
	return next, nil
}

// pruneCollections deletes, if requested, the collections of unmentionedCollections. It reads all collections, because no
// index knows their sources. Like prune, it deletes none that another writer adds meanwhile.
func (r *run) pruneCollections(ctx context.Context) error {
	if r.collections.lines.len() == 0 || !r.mayPrune() {
		return nil
	}
	r.sortMentioned(collection.Kind)
	gone, all, err := r.unmentionedCollections(ctx)
	if err != nil {
		return err
	}
	if r.collectionsKept = r.tooMany(collection.Kind, len(gone), all); r.collectionsKept != "" {
		return nil
	}
	for _, id := range gone {
		if err := r.pruneCollection(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// unmentionedCollections lists the collections that the run did not mention and that come from sources of collections in
// this run, and counts all that come from them.
func (r *run) unmentionedCollections(ctx context.Context) (gone []catalogue.ID, all int, err error) {
	for after := catalogue.ID(""); ; {
		var some []*collection.Collection
		err := r.patiently(ctx, func() (err error) {
			some, err = r.Collections.Store.Scan(ctx, after, collectionBatch)
			return err
		})
		if err != nil || len(some) == 0 {
			return gone, all, err
		}
		var ids []catalogue.ID
		for _, one := range some {
			if r.collectionSource(one) {
				ids = append(ids, one.ID)
			}
		}
		gone = append(gone, unmentioned(ids, r.mentioned[collection.Kind])...)
		all += len(ids)
		after = some[len(some)-1].ID
	}
}

// collectionSource reports whether a collection comes from a source of collections in this run.
func (r *run) collectionSource(one *collection.Collection) bool {
	return r.origins[origin{kind: collection.Kind, source: one.Source}]
}

func (r *run) pruneCollection(ctx context.Context, id catalogue.ID) error {
	err := r.patiently(ctx, func() error {
		return r.Collections.Store.Delete(ctx, id, func(one *collection.Collection) error {
			if !r.collectionSource(one) {
				return fault.Errorf(fault.NotFound, "the collection %q has another source by now", id)
			}
			return nil
		})
	})
	if fault.CodeOf(err) == fault.NotFound { // another writer has deleted or moved it first
		return nil
	}
	if err == nil {
		r.counts.of(collection.Kind).Pruned++
	}
	return err
}
