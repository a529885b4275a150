package editing

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// CatalogueItem returns an item even if nobody else sees it.
func (r *Resolver) CatalogueItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID) (*graph.CatalogueItem, error) {
	item, err := r.item(ctx, kind, id)
	if err != nil || item == nil {
		return nil, err
	}
	if video, ok := item.(*catalogue.Video); ok && video.HasTranscript {
		texts, err := r.store.Transcripts(ctx, []catalogue.ID{id})
		if err != nil {
			return nil, err
		}
		text := texts[id]
		video.Transcript = &text
	}
	return shown(item)
}

// item returns the stored item of a kind with an ID, or nil if there is none.
func (r *Resolver) item(ctx context.Context, kind catalogue.Kind, id catalogue.ID) (catalogue.Item, error) {
	ids := []catalogue.ID{id}
	switch {
	case kind == catalogue.KindVideo:
		return only(r.store.Videos(ctx, ids))
	case kind.IsRecord():
		return only(r.store.OwnedItems(ctx, kind, ids))
	}
	directory, err := r.store.Directory(ctx, 0)
	if err != nil {
		return nil, err
	}
	return directory.Item(kind, id), nil
}

// only returns the one element of a list as an Item, or nil for an empty list.
func only[T catalogue.Item](items []T, err error) (catalogue.Item, error) {
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[0], nil
}

// CatalogueItems returns a page of a kind.
func (r *Resolver) CatalogueItems(ctx context.Context, kind catalogue.Kind, first int, after *string) (*graph.CatalogueItemConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	items, cursorOf, err := r.itemsAfter(ctx, kind, after, first+1)
	if err != nil {
		return nil, err
	}
	items, info := paging.Cut(items, first, cursorOf)
	page := &graph.CatalogueItemConnection{Nodes: []*graph.CatalogueItem{}, PageInfo: info}
	for _, item := range items {
		node, err := shown(item)
		if err != nil {
			return nil, err
		}
		page.Nodes = append(page.Nodes, node)
	}
	return page, nil
}

// itemsAfter returns up to limit items of a kind after a cursor, and how to write cursors: items of the directory are in
// the order of their IDs, videos in that of their sequence, and records in that of their versions.
func (r *Resolver) itemsAfter(ctx context.Context, kind catalogue.Kind, after *string, limit int) ([]catalogue.Item, func(catalogue.Item) string, error) {
	if catalogue.Holds(kind) {
		directory, err := r.store.Directory(ctx, 0)
		if err != nil {
			return nil, nil, err
		}
		return directory.ItemsOf(kind, catalogue.ID(values.Or(after)), limit), func(item catalogue.Item) string { return string(item.Head().ID) }, nil
	}
	place, err := paging.Number(after)
	if err != nil {
		return nil, nil, err
	}
	if kind == catalogue.KindVideo {
		videos, err := r.store.Scan(ctx, place, limit)
		for _, video := range videos {
			video.Transcript = nil
		}
		return itemsOf(videos), func(item catalogue.Item) string { return paging.Cursor(item.(*catalogue.Video).Sequence) }, err
	}
	records, err := r.store.OwnedItemsSince(ctx, kind, place, limit)
	return itemsOf(records), func(item catalogue.Item) string { return paging.Cursor(item.Head().Version) }, err
}

func itemsOf[T catalogue.Item](list []T) []catalogue.Item {
	return values.Map(list, func(one T) catalogue.Item { return one })
}

// shown returns an item as operators see it.
func shown(item catalogue.Item) (*graph.CatalogueItem, error) {
	body, err := importline.Body(item)
	if err != nil {
		return nil, err
	}
	head := item.Head()
	return &graph.CatalogueItem{
		Kind: item.Kind(), ID: head.ID, Version: int(head.Version), UpdatedAt: head.UpdatedAt,
		Source: head.Source, Reference: head.Reference, Body: catalogue.WithoutHeld(body), Held: heldFields(head.Held),
	}, nil
}
