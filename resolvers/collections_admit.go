package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
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
func (r *resolver) admit(ctx context.Context, id string, videos []catalogue.ID, assets []collection.Asset) (*admission, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	videos = slices.Clone(videos)
	for i := range assets {
		videos = append(videos, assets[i].VideoID)
	}
	a := &admission{sees: map[catalogue.ID]catalogue.ID{}, closed: map[catalogue.ID]bool{}}
	states, err := r.visibleOrMoved(ctx, caller, once(videos), a.sees)
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
	if a.pieces, err = r.piecesNamed(ctx, keys, spoken); err != nil {
		return nil, err
	}
	if r.roster == nil || caller.Account == nil || caller.Account.Operator {
		return a, nil
	}
	for _, access := range r.roster().Including(catalogue.ID(id)) {
		for i := range states {
			if !states[i].VisibleTo(access, r.today()) {
				a.closed[states[i].ID] = true
			}
		}
	}
	return a, nil
}

// visibleOrMoved returns the states of those videos that the caller sees and, for retired ones, of the visible
// videos that replace them. It notes in sees which video stands for which.
func (r *resolver) visibleOrMoved(
	ctx context.Context, caller *account.Caller, ids []catalogue.ID, sees map[catalogue.ID]catalogue.ID,
) (visible []catalogue.State, err error) {
	// asked maps each video that is read next to those that end there.
	asked := make(map[catalogue.ID][]catalogue.ID, len(ids))
	for _, id := range ids {
		asked[id] = []catalogue.ID{id}
	}
	for round := 0; len(ids) > 0 && round <= catalogue.MaxTwins; round++ {
		states, err := r.catalogue.States(ctx, ids)
		if err != nil {
			return nil, err
		}
		next := map[catalogue.ID][]catalogue.ID{}
		ids = nil
		for _, state := range states {
			switch {
			case state.VisibleTo(caller.Access, r.today()):
				visible = append(visible, state)
				for _, from := range asked[state.ID] {
					sees[from] = state.ID
				}
			case state.Retired && state.RetiredInto != nil:
				if next[*state.RetiredInto] == nil {
					ids = append(ids, *state.RetiredInto)
				}
				next[*state.RetiredInto] = append(next[*state.RetiredInto], asked[state.ID]...)
			}
		}
		asked = next
	}
	return visible, nil
}

// choose returns those of the videos and described assets that a collection with the assets before may have: what
// it has already, and what the caller sees. The error is of code Forbidden where only the operator may add one.
func (a *admission) choose(
	before []collection.Asset, videos []catalogue.ID, described []collection.Asset,
) (chosen []catalogue.ID, assets []collection.Asset, err error) {
	known, keys := make(map[catalogue.ID]bool, len(before)), make(map[collection.Key]bool, len(before))
	for i := range before {
		known[before[i].VideoID], keys[before[i].Key()] = true, true
	}
	for _, id := range videos {
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
