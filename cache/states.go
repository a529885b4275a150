package cache

import (
	"context"
	"maps"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
)

// state is a cached State. It is valid only in its epoch.
type state struct {
	catalogue.State
	epoch int64
}

// weight returns the approximate memory of a state in bytes.
func (s *state) weight() uint32 {
	const entry, value = 280, 30
	return uint32(entry + value*(len(s.Subjects)+len(s.EducationLevels)+len(s.Categories)+len(s.Warnings)+len(s.DistributionMethods)))
}

// States implements store.Catalogue. The results share their lists with the cache: callers must not change them.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	epoch := c.epoch.Load()
	states := make([]catalogue.State, len(ids))
	var missing []catalogue.ID
	for i, id := range ids {
		if known, ok := c.states.GetIfPresent(id); ok && known.epoch == epoch {
			states[i] = known.State
		} else {
			missing = append(missing, id)
		}
	}
	c.lookups.states.add(len(ids)-len(missing), len(missing))
	if missing == nil {
		return states, nil
	}
	found, err := c.readStates(ctx, missing)
	if err != nil {
		return nil, err
	}
	return fillGaps(ids, states, found), nil
}

func (c *Catalogue) readStates(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	begun := c.guard.begin()
	found, err := c.Catalogue.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	c.guard.keep(begun, func() {
		for _, s := range found {
			c.states.Set(s.ID, state{State: s, epoch: c.epoch.Load()})
		}
	})
	return found, nil
}

// fillGaps fills the empty states with those of found, which is in the order of ids, and removes the states that stay
// empty.
func fillGaps(ids []catalogue.ID, states, found []catalogue.State) []catalogue.State {
	filled := states[:0]
	for i, id := range ids {
		switch {
		case states[i].ID != "":
			filled = append(filled, states[i])
		case len(found) > 0 && found[0].ID == id:
			filled, found = append(filled, found[0]), found[1:]
		}
	}
	return filled
}

// Aliases implements store.Catalogue.
func (c *Catalogue) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	known, missing := c.aliases.get(legacy)
	c.lookups.aliases.add(len(known), len(missing))
	if missing == nil {
		return known, nil
	}
	begun := c.guard.begin()
	found, err := c.Catalogue.Aliases(ctx, missing)
	if err != nil {
		return nil, err
	}
	c.guard.keep(begun, func() { c.aliases.put(found) })
	maps.Copy(known, found)
	return known, nil
}

// aliases caches the videos of legacy identifiers. A video has at most one legacy identifier, so aliases also maps
// videos to identifiers. At the limit it starts empty again.
type aliases struct {
	limit int
	mu    sync.RWMutex
	ids   map[string]catalogue.ID
	of    map[catalogue.ID]string
}

func newAliases(limit int) aliases {
	return aliases{limit: limit, ids: map[string]catalogue.ID{}, of: map[catalogue.ID]string{}}
}

func (a *aliases) get(legacy []string) (known map[string]catalogue.ID, missing []string) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	known = make(map[string]catalogue.ID, len(legacy))
	for _, alias := range legacy {
		if id, ok := a.ids[alias]; ok {
			known[alias] = id
		} else {
			missing = append(missing, alias)
		}
	}
	return known, missing
}

func (a *aliases) put(found map[string]catalogue.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for alias, id := range found {
		if len(a.ids) >= a.limit {
			clear(a.ids)
			clear(a.of)
		}
		a.ids[alias], a.of[id] = id, alias
	}
}

func (a *aliases) forget(id catalogue.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if alias, ok := a.of[id]; ok {
		delete(a.of, id)
		delete(a.ids, alias)
	}
}

func (a *aliases) forgetAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.ids)
	clear(a.of)
}
