package collections

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/authz"
)

// admission decides which of the videos that a request names may be added to a collection: those that the caller
// sees. A hidden video is treated exactly as an unknown one, because a content package that includes the collection
// shows all of its videos.
type admission struct {
	// sees has the named videos, and those of the collection.
	sees shown
	// pieces are the named highlights and passages that exist, each with a video that the caller sees.
	pieces map[collection.Key]collection.Segment
	// closed are visible videos that some content package which includes the collection does not show. Only the
	// operator may add these.
	closed map[catalogue.ID]bool
}

// admit reads what decides about adding videos and assets to the collection with an ID; "" stands for a new collection.
func (r *Resolver) admit(ctx context.Context, id string, ids []catalogue.ID, assets []collection.Asset) (*admission, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	for i := range assets {
		ids = append(ids, assets[i].VideoID)
	}
	a := &admission{closed: map[catalogue.ID]bool{}}
	if a.sees, err = r.shownIn(ctx, id, ids); err != nil {
		return nil, err
	}
	spoken := make(map[catalogue.ID]catalogue.Language, len(a.sees))
	for _, video := range a.sees {
		spoken[video.ID] = video.Language
	}
	var keys []collection.Key
	for i := range assets {
		if assets[i].HighlightID != "" {
			keys = append(keys, assets[i].Key())
		}
	}
	if a.pieces, err = r.segmentsOf(ctx, keys, spoken); err != nil {
		return nil, err
	}
	if r.config.Roster == nil || caller.Account == nil || caller.Account.Operator {
		return a, nil
	}
	for _, access := range r.config.Roster().Including(catalogue.ID(id)) {
		for _, video := range a.sees {
			if !video.VisibleTo(access, r.today()) {
				a.closed[video.ID] = true
			}
		}
	}
	return a, nil
}

// shownIn returns the videos that the caller sees of those named and of those that the collection with an ID has.
func (r *Resolver) shownIn(ctx context.Context, id string, named []catalogue.ID) (shown, error) {
	if catalogue.ID(id).Valid() && len(named) > 0 {
		stored, err := r.store()
		if err != nil {
			return nil, err
		}
		found, err := stored.Collections(ctx, []catalogue.ID{catalogue.ID(id)})
		if err != nil {
			return nil, err
		}
		named, _ = assetsOf(found, named...)
	}
	return r.config.Videos.Shown(ctx, named)
}

// shown maps each video that the caller sees to itself, and a retired one to its visible replacement.
type shown map[catalogue.ID]*catalogue.State

// same reports whether two keys name the same asset for the caller.
func (s shown) same(a, b collection.Key) bool {
	return a == b || a.Highlight == b.Highlight && a.Highlight == "" && s[a.Video] != nil && s[b.Video] != nil && s[a.Video].ID == s[b.Video].ID
}

// choose returns those of the videos and described assets that a collection with the assets before may have: what
// it has already, and what the caller sees. The error has the code Forbidden if only the operator may add one.
func (a *admission) choose(
	before []collection.Asset, ids []catalogue.ID, described []collection.Asset,
) (chosen []catalogue.ID, assets []collection.Asset, err error) {
	keys := make(map[collection.Key]bool, len(before))
	known := make(map[catalogue.ID]catalogue.ID, len(before))
	for i := range before {
		keys[before[i].Key()] = true
		if video := a.sees[before[i].VideoID]; video != nil && before[i].HighlightID == "" {
			known[video.ID] = cmp.Or(known[video.ID], before[i].VideoID)
		}
	}
	for i := range before {
		known[before[i].VideoID] = before[i].VideoID
	}
	for _, id := range ids {
		if id, err := a.video(id, known, true); err != nil {
			return nil, nil, err
		} else if id != "" {
			chosen = append(chosen, id)
		}
	}
	for _, asset := range described {
		_, exists := a.pieces[asset.Key()]
		if asset.HighlightID != "" && !exists && !keys[asset.Key()] {
			continue
		}
		if asset.VideoID, err = a.video(asset.VideoID, known, asset.HighlightID == ""); err != nil {
			return nil, nil, err
		}
		if asset.VideoID != "" {
			assets = append(assets, asset)
		}
	}
	return chosen, assets, nil
}

// video returns the video that an ID stands for in a collection; "": none. known has the videos of the collection and, where
// a retired one of these shows its replacement to the caller, the retired one by the replacement, which names it if the whole
// video is meant: a collection keeps what it has, because a content package that includes it shows what it has.
func (a *admission) video(id catalogue.ID, known map[catalogue.ID]catalogue.ID, whole bool) (catalogue.ID, error) {
	seen := a.sees[id]
	switch {
	case known[id] == id:
		return id, nil
	case seen == nil:
		return "", nil
	case known[seen.ID] != "" && (whole || known[seen.ID] == seen.ID):
		return known[seen.ID], nil
	case a.closed[seen.ID]:
		return "", fault.Errorf(fault.Forbidden, "the video %q: a content package includes this collection and does not show the video; only the operator may add it", seen.ID)
	}
	return seen.ID, nil
}
