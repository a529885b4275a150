package catalogue

import (
	"cmp"
	"slices"
)

// Item returns the thing of a kind with an ID, nil if the directory holds none.
func (d *Directory) Item(kind Kind, id ID) Item { return d.items[key{kind, id}] }

// ItemsOf returns up to limit things of a kind with an ID above after, in the order of their IDs.
func (d *Directory) ItemsOf(kind Kind, after ID, limit int) []Item {
	var items []Item
	for key, item := range d.items {
		if key.kind == kind && key.id > after {
			items = append(items, item)
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Head().ID, b.Head().ID) })
	return items[:min(limit, len(items))]
}
