package cache

import (
	"context"
	"errors"
)

// Tiered is a Cache of two levels: near is in the process, and processes share far. far may be slow or unavailable:
// Tiered hides its errors, and Put never waits for it.
type Tiered struct {
	near, far Cache
	behind    *writeBehind
}

// NewTiered returns a Tiered of near and far. Closing Tiered closes both.
func NewTiered(near, far Cache) *Tiered {
	return &Tiered{near: near, far: far, behind: newWriteBehind(far)}
}

// Get implements Cache. It requests the entries that near lacks, or has only in versions below AtLeast, from far in one
// call, and stores the entries of far in near.
func (t *Tiered) Get(ctx context.Context, asks []Ask, into []Entry) error {
	if err := t.near.Get(ctx, asks, into); err != nil {
		return err
	}
	var missing []Ask
	var places []int
	for i, ask := range asks {
		if serves(into[i], ask) {
			continue
		}
		missing, places = append(missing, ask), append(places, i)
	}
	if missing == nil {
		return nil
	}
	return t.near.Put(ctx, t.getFar(ctx, missing, places, into))
}

// getFar sets the elements of into at places, and returns the items to store in near.
func (t *Tiered) getFar(ctx context.Context, asks []Ask, places []int, into []Entry) []Item {
	found := make([]Entry, len(asks))
	if err := t.far.Get(ctx, asks, found); err != nil {
		return nil
	}
	keep := make([]Item, 0, len(asks))
	for i, entry := range found {
		if entry.Version > into[places[i]].Version {
			into[places[i]] = entry
		}
		if serves(entry, asks[i]) {
			keep = append(keep, Item{Key: asks[i].Key, Entry: entry})
		}
	}
	return keep
}

func serves(entry Entry, ask Ask) bool { return entry.Version > 0 && entry.Version >= ask.AtLeast }

// Put implements Cache. It writes to far asynchronously, and drops items for far if too many are pending.
func (t *Tiered) Put(ctx context.Context, items []Item) error {
	if err := t.near.Put(ctx, items); err != nil {
		return err
	}
	t.behind.put(items)
	return nil
}

// Close writes the pending items, for two seconds at most, and closes both levels.
func (t *Tiered) Close() error {
	t.behind.close()
	return errors.Join(t.near.Close(), t.far.Close())
}
