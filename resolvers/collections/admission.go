package collections

import (
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
	// sees maps each named video that the caller sees to itself, and a retired one to its visible replacement.
	sees map[catalogue.ID]catalogue.ID
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
	a := &admission{sees: map[catalogue.ID]catalogue.ID{}, closed: map[catalogue.ID]bool{}}
	states, err := r.visibleOrReplaced(ctx, caller.Access, ids, a.sees)
	if err != nil {
		return nil, err
	}
	spoken := make(map[catalogue.ID]catalogue.Language, len(states))
	for i := range states {
		spoken[states[i].ID] = states[i].Language
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
		for i := range states {
			if !states[i].VisibleTo(access, r.today()) {
				a.closed[states[i].ID] = true
			}
		}
	}
	return a, nil
}

// visibleOrReplaced returns the states of those of the videos that an access shows and, for retired ones, of the visible
// videos that replace them. It adds to sees which video stands for which.
func (r *Resolver) visibleOrReplaced(ctx context.Context, access catalogue.Access, ids []catalogue.ID, sees map[catalogue.ID]catalogue.ID) (visible []catalogue.State, err error) {
	states, err := r.config.Videos.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	var hidden []catalogue.State
	for _, state := range states {
		if state.VisibleTo(access, r.today()) {
			visible, sees[state.ID] = append(visible, state), state.ID
		} else {
			hidden = append(hidden, state)
		}
	}
	replacements, err := r.config.Videos.Replacements(ctx, hidden)
	for from, replacement := range replacements {
		if replacement.VisibleTo(access, r.today()) {
			visible, sees[from] = append(visible, *replacement), replacement.ID
		}
	}
	return visible, err
}

// choose returns those of the videos and described assets that a collection with the assets before may have: what
// it has already, and what the caller sees. The error has the code Forbidden if only the operator may add one.
func (a *admission) choose(
	before []collection.Asset, ids []catalogue.ID, described []collection.Asset,
) (chosen []catalogue.ID, assets []collection.Asset, err error) {
	known, keys := make(map[catalogue.ID]bool, len(before)), make(map[collection.Key]bool, len(before))
	for i := range before {
		known[before[i].VideoID], keys[before[i].Key()] = true, true
	}
	for _, id := range ids {
		if id, err := a.video(id, known); err != nil {
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
		if asset.VideoID, err = a.video(asset.VideoID, known); err != nil {
			return nil, nil, err
		}
		if asset.VideoID != "" {
			assets = append(assets, asset)
		}
	}
	return chosen, assets, nil
}

// video returns the video that an ID stands for in a collection that has the known videos; "": none.
func (a *admission) video(id catalogue.ID, known map[catalogue.ID]bool) (catalogue.ID, error) {
	if known[id] {
		return id, nil
	}
	seen := a.sees[id]
	if a.closed[seen] && !known[seen] {
		return "", fault.Errorf(fault.Forbidden, "the video %q: a content package includes this collection and does not show the video; only the operator may add it", seen)
	}
	return seen, nil
}
