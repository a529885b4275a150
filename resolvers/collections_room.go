package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// What one answer shows of its collections: enough for the largest collection with all its sub-collections, for
// pages of the usual size with all of theirs, and, where videos are objects, for the videos of any one collection.
// Nothing is refused for being larger, because much of it is what others wrote.
const (
	maxShownAssets = collection.MaxAssets * (1 + collection.MaxParts)
	maxWholeAssets = min(collection.MaxAssets, catalogue.MaxVideosAtOnce)
	maxShownParts  = collection.DefaultPage * collection.MaxParts
)

// partsAtOnce is of how many sub-collections all assets are held at once.
const partsAtOnce = 100

// room is how many assets and sub-collections an answer can still take.
type room struct{ assets, parts int }

func roomFor(wanted wanted) *room {
	if wanted.videos {
		return &room{assets: maxWholeAssets, parts: maxShownParts}
	}
	return &room{assets: maxShownAssets, parts: maxShownParts}
}

// admit takes a collection in: with all its assets or, where there is no room for them, without any.
func (room *room) admit(one *collection.Collection) *collection.Collection {
	if len(one.Assets) <= room.assets {
		room.assets -= len(one.Assets)
		return one
	}
	without := *one
	without.Assets = nil
	return &without
}

func (room *room) admitAll(list []*collection.Collection) []*collection.Collection {
	admitted := make([]*collection.Collection, len(list))
	for i, one := range list {
		admitted[i] = room.admit(one)
	}
	return admitted
}

// partsOf finds, of each collection by its ID, the sub-collections that may be read, in the order in which they are
// shown, as far as there is room for them. read are those that came with the collections.
func (r *resolver) partsOf(
	ctx context.Context, list []*collection.Collection, standing collection.Permissions, room *room, read []*collection.Collection,
) (map[catalogue.ID][]*collection.Collection, error) {
	named := make(map[catalogue.ID][]catalogue.ID, len(list))
	var all []catalogue.ID
	for _, one := range list {
		ids := one.SubCollections[:min(len(one.SubCollections), room.parts)]
		room.parts -= len(ids)
		named[one.ID], all = ids, append(all, ids...)
	}
	known, err := r.readParts(ctx, once(all), standing, *room, read)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	parts := make(map[catalogue.ID][]*collection.Collection, len(list))
	for _, one := range list {
		for _, id := range named[one.ID] {
			if part := known[id]; part != nil {
				parts[one.ID] = append(parts[one.ID], room.admit(part))
			}
		}
	}
	return parts, nil
}

// readParts finds sub-collections, without the assets that there is no room for: among those that were read before and,
// unless these are all, by partsAtOnce from the store.
func (r *resolver) readParts(
	ctx context.Context, ids []catalogue.ID, standing collection.Permissions, room room, read []*collection.Collection,
) (map[catalogue.ID]*collection.Collection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	shelves, err := r.collections()
	if err != nil {
		return nil, err
	}
	before := make(map[catalogue.ID]*collection.Collection, len(read))
	for _, part := range read {
		before[part.ID] = part
	}
	all := read != nil && len(read) < partsAtOnce
	known := make(map[catalogue.ID]*collection.Collection, len(ids))
	take := func(part *collection.Collection) {
		if part != nil && standing.Reads(part) {
			part.SubCollections = nil
			known[part.ID] = room.admit(part)
		}
	}
	var missing []catalogue.ID
	for _, id := range ids {
		take(before[id])
		if before[id] == nil && !all {
			missing = append(missing, id)
		}
	}
	for some := range slices.Chunk(missing, partsAtOnce) {
		found, err := shelves.Collections(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, part := range found {
			take(part)
		}
	}
	return known, nil
}
