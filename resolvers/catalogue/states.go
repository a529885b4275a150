package catalogue

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/authz"
)

// States returns the states of videos, each once, in one call. Texts that are not IDs are ignored.
func (r *Resolver) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id catalogue.ID) bool { return !id.Valid() })
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	return r.store.States(ctx, slices.Compact(ids))
}

// VisibleStates returns the states of those of the videos that the caller sees, in their order.
func (r *Resolver) VisibleStates(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	caller, err := authz.Caller(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	states, err := r.store.States(ctx, ids)
	today := r.Today()
	return slices.DeleteFunc(states, func(s catalogue.State) bool { return !s.VisibleTo(caller.Access, today) }), err
}

// Shown returns, by the IDs of a stored list, the states of the videos that the list shows to the caller: the video itself
// or, if it was retired into another, its replacement. IDs of videos that the caller does not see are missing.
func (r *Resolver) Shown(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*catalogue.State, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	states, err := r.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown, err := r.Replacements(ctx, states)
	if err != nil {
		return nil, err
	}
	for i := range states {
		if !states[i].Retired {
			shown[states[i].ID] = &states[i]
		}
	}
	today := r.Today()
	maps.DeleteFunc(shown, func(_ catalogue.ID, s *catalogue.State) bool { return !s.VisibleTo(caller.Access, today) })
	return shown, nil
}

// Replacements returns, by the IDs of retired videos, the videos that replace them: the ends of the chains of retired
// videos, of at most catalogue.MaxReplacements steps. A circle has no end. Each step is one call for all videos.
func (r *Resolver) Replacements(ctx context.Context, retired []catalogue.State) (map[catalogue.ID]*catalogue.State, error) {
	next := map[catalogue.ID]catalogue.ID{}
	for i := range retired {
		if s := &retired[i]; s.Retired && s.RetiredInto != nil {
			next[s.ID] = *s.RetiredInto
		}
	}
	ends := make(map[catalogue.ID]*catalogue.State, len(next))
	for step := 0; step < catalogue.MaxReplacements && len(next) > 0; step++ {
		states, err := r.States(ctx, slices.Collect(maps.Values(next)))
		if err != nil {
			return nil, err
		}
		byID := make(map[catalogue.ID]*catalogue.State, len(states))
		for i := range states {
			byID[states[i].ID] = &states[i]
		}
		for from, to := range next {
			switch state := byID[to]; {
			case state != nil && state.Retired && state.RetiredInto != nil:
				next[from] = *state.RetiredInto
				continue
			case state != nil && !state.Retired:
				ends[from] = state
			}
			delete(next, from)
		}
	}
	return ends, nil
}
