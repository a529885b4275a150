package catalogue

import (
	"cmp"
	"slices"
)

// Item returns the item with the given kind and ID, or nil.
func (d *Directory) Item(kind Kind, id ID) Item { return d.items[key{kind, id}] }

// ItemsOf returns up to limit items of a kind with IDs greater than after, ordered by ID.
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
