package editing

import (
	"context"
	"encoding/json"
	"math"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
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
func (r *Resolver) CatalogueItems(ctx context.Context, kind catalogue.Kind, text *string, first int, after *string) (*graph.CatalogueItemConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	if kind == catalogue.KindVideo && text != nil {
		return nil, fault.InvalidRequest("text %q: videos cannot be listed by text; listedVideos finds those in every state", fault.Shorten(*text))
	}
	list, err := r.listOf(ctx, kind)
	if err != nil {
		return nil, err
	}
	if text == nil {
		items, err := list.read(values.Or(after), first+1)
		if err != nil {
			return nil, err
		}
		items, info := paging.Cut(items, first, list.cursorOf)
		return connection(items, info, &list.total)
	}
	matches := namedLike(*text)
	items, info, err := paging.Find(first, values.Or(after), list.read, list.cursorOf, matches)
	if err != nil {
		return nil, err
	}
	return connection(items, info, list.countOf(matches))
}

func connection(items []catalogue.Item, info *model.PageInfo, total *int) (*graph.CatalogueItemConnection, error) {
	page := &graph.CatalogueItemConnection{Nodes: []*graph.CatalogueItem{}, Total: total, PageInfo: info}
	for _, item := range items {
		node, err := shown(item)
		if err != nil {
			return nil, err
		}
		page.Nodes = append(page.Nodes, node)
	}
	return page, nil
}

// namedLike returns a function that reports whether an item's name has each word of a text. What names an item has one of
// few names in import lines.
func namedLike(text string) func(catalogue.Item) bool {
	matching := paging.Matching(text)
	return func(item catalogue.Item) bool {
		body, err := importline.Body(item)
		if err != nil {
			return false
		}
		var names struct {
			Name, Title, Label, Text, Query, Code string
			Words                                 []string
		}
		_ = json.Unmarshal(body, &names) // a member of another type names nothing
		return matching(append(names.Words, names.Name, names.Title, names.Label, names.Text, names.Query, names.Code)...)
	}
}

// list is all items of a kind, in an order.
type list struct {
	read     func(after string, limit int) ([]catalogue.Item, error)
	cursorOf func(catalogue.Item) string
	total    int
	// all contains the items of the directory; it is nil for larger kinds.
	all []catalogue.Item
}

// countOf counts the items that match, unless the kind is too large for it.
func (l *list) countOf(matches func(catalogue.Item) bool) *int {
	if l.all == nil {
		return nil
	}
	count := 0
	for _, item := range l.all {
		if matches(item) {
			count++
		}
	}
	return &count
}

// listOf returns the list of a kind: items of the directory are in the order of their IDs, videos in that of their
// sequence, and records in that of their versions.
func (r *Resolver) listOf(ctx context.Context, kind catalogue.Kind) (*list, error) {
	if catalogue.Holds(kind) {
		directory, err := r.store.Directory(ctx, 0)
		if err != nil {
			return nil, err
		}
		all := directory.ItemsOf(kind, "", math.MaxInt)
		return &list{
			read: func(after string, limit int) ([]catalogue.Item, error) {
				return directory.ItemsOf(kind, catalogue.ID(after), limit), nil
			},
			cursorOf: func(item catalogue.Item) string { return string(item.Head().ID) },
			total:    len(all), all: all,
		}, nil
	}
	read, cursorOf, count := r.owned(ctx, kind)
	if kind == catalogue.KindVideo {
		read, cursorOf, count = r.videos(ctx)
	}
	total, err := count()
	return &list{cursorOf: cursorOf, total: total, read: func(after string, limit int) ([]catalogue.Item, error) {
		var cursor *string
		if after != "" {
			cursor = &after
		}
		place, err := paging.Number(cursor)
		if err != nil {
			return nil, err
		}
		return read(place, limit)
	}}, err
}

type reader func(place int64, limit int) ([]catalogue.Item, error)

func (r *Resolver) videos(ctx context.Context) (reader, func(catalogue.Item) string, func() (int, error)) {
	read := func(place int64, limit int) ([]catalogue.Item, error) {
		videos, err := r.store.Scan(ctx, place, limit)
		for _, video := range videos {
			video.Transcript = nil
		}
		return itemsOf(videos), err
	}
	cursorOf := func(item catalogue.Item) string { return paging.Cursor(item.(*catalogue.Video).Sequence) }
	return read, cursorOf, func() (int, error) { return r.store.CountVideos(ctx) }
}

func (r *Resolver) owned(ctx context.Context, kind catalogue.Kind) (reader, func(catalogue.Item) string, func() (int, error)) {
	read := func(place int64, limit int) ([]catalogue.Item, error) {
		records, err := r.store.OwnedItemsSince(ctx, kind, place, limit)
		return itemsOf(records), err
	}
	cursorOf := func(item catalogue.Item) string { return paging.Cursor(item.Head().Version) }
	return read, cursorOf, func() (int, error) {
		count, _, err := r.store.CountOwnedItems(ctx, kind)
		return count, err
	}
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
