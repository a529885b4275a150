package collections

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// One answer shows at most this much of its collections: enough for the largest collection with all its sub-collections,
// for pages of the default size with theirs, and, if videos are selected as objects, for the videos of any one
// collection. A larger answer is cut, not refused, because other users determine the size of what the caller asks for.
const (
	maxShownAssets  = collection.MaxAssets * (1 + collection.MaxParts)
	maxObjectAssets = min(collection.MaxAssets, catalogue.MaxVideosAtOnce)
	maxShownParts   = collection.DefaultPage * collection.MaxParts
)

// partsAtOnce is the number of sub-collections that are in memory at once with all their assets.
const partsAtOnce = 100

// budget is how many assets and sub-collections an answer can still show.
type budget struct{ assets, parts int }

func budgetFor(selected selection) *budget {
	if selected.videos {
		return &budget{assets: maxObjectAssets, parts: maxShownParts}
	}
	return &budget{assets: maxShownAssets, parts: maxShownParts}
}

// take returns a collection with all its assets or, if the budget does not cover them, without any.
func (b *budget) take(one *collection.Collection) *collection.Collection {
	if len(one.Assets) <= b.assets {
		b.assets -= len(one.Assets)
		return one
	}
	without := *one
	without.Assets = nil
	return &without
}

// partsOf returns the readable sub-collections of each collection in their order, as far as the budget allows. read holds
// those that were read with the collections.
func (r *Resolver) partsOf(
	ctx context.Context, list []*collection.Collection, mine collection.Permissions, left *budget, read []*collection.Collection,
) (map[catalogue.ID][]*collection.Collection, error) {
	named := make(map[catalogue.ID][]catalogue.ID, len(list))
	var all []catalogue.ID
	for _, one := range list {
		ids := one.SubCollections[:min(len(one.SubCollections), left.parts)]
		left.parts -= len(ids)
		named[one.ID], all = ids, append(all, ids...)
	}
	known, err := r.readParts(ctx, values.Distinct(all), mine, *left, read)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	parts := make(map[catalogue.ID][]*collection.Collection, len(list))
	for _, one := range list {
		for _, id := range named[one.ID] {
			if part := known[id]; part != nil {
				parts[one.ID] = append(parts[one.ID], left.take(part))
			}
		}
	}
	return parts, nil
}

// readParts returns readable sub-collections by their IDs, without the assets that the budget does not cover. It takes
// them from those that were read before and, unless these are all, from the store, partsAtOnce in one call.
func (r *Resolver) readParts(
	ctx context.Context, ids []catalogue.ID, mine collection.Permissions, left budget, read []*collection.Collection,
) (map[catalogue.ID]*collection.Collection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	before := make(map[catalogue.ID]*collection.Collection, len(read))
	for _, part := range read {
		before[part.ID] = part
	}
	complete := read != nil && len(read) < partsAtOnce
	known := make(map[catalogue.ID]*collection.Collection, len(ids))
	add := func(part *collection.Collection) {
		if part != nil && mine.Reads(part) {
			part.SubCollections = nil
			known[part.ID] = left.take(part)
		}
	}
	var missing []catalogue.ID
	for _, id := range ids {
		add(before[id])
		if before[id] == nil && !complete {
			missing = append(missing, id)
		}
	}
	for some := range slices.Chunk(missing, partsAtOnce) {
		found, err := stored.Collections(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, part := range found {
			add(part)
		}
	}
	return known, nil
}
