package resolvers

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

// CatalogueItem shows a thing whoever may see it else.
func (q query) CatalogueItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID) (*graph.CatalogueItem, error) {
	item, err := q.storedItem(ctx, kind, id)
	if err != nil || item == nil {
		return nil, err
	}
	if video, ok := item.(*catalogue.Video); ok && video.HasTranscript {
		texts, err := q.catalogue.Transcripts(ctx, []catalogue.ID{id})
		if err != nil {
			return nil, err
		}
		text := texts[id]
		video.Transcript = &text
	}
	return shownItem(item)
}

// storedItem returns the thing of a kind with an ID, nil where there is none.
func (r *resolver) storedItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID) (catalogue.Item, error) {
	ids := []catalogue.ID{id}
	switch {
	case kind == catalogue.KindVideo:
		return only(r.catalogue.Videos(ctx, ids))
	case kind.IsRecord():
		return only(r.catalogue.OwnedItems(ctx, kind, ids))
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	return directory.Item(kind, id), nil
}

// only is the one element of a list as an Item, nil where there is none.
func only[T catalogue.Item](items []T, err error) (catalogue.Item, error) {
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[0], nil
}

// CatalogueItems shows a page of a kind. Its cursors are what each kind is walked by.
func (q query) CatalogueItems(ctx context.Context, kind catalogue.Kind, first int, after *string) (*graph.CatalogueItemConnection, error) {
	if err := checkPage(first); err != nil {
		return nil, err
	}
	items, cursorOf, err := q.itemsAfter(ctx, kind, or(after), first+1)
	if err != nil {
		return nil, err
	}
	page := &graph.CatalogueItemConnection{Nodes: []*graph.CatalogueItem{}, PageInfo: &model.PageInfo{}}
	if len(items) > first {
		items = items[:first]
		last := cursorOf(items[first-1])
		page.PageInfo.HasNextPage, page.PageInfo.EndCursor = true, &last
	}
	for _, item := range items {
		node, err := shownItem(item)
		if err != nil {
			return nil, err
		}
		page.Nodes = append(page.Nodes, node)
	}
	return page, nil
}

// itemsAfter returns up to limit things of a kind behind a cursor, and how cursors are written.
func (r *resolver) itemsAfter(ctx context.Context, kind catalogue.Kind, after string, limit int) ([]catalogue.Item, func(catalogue.Item) string, error) {
	if catalogue.Holds(kind) {
		directory, err := r.directory(ctx)
		if err != nil {
			return nil, nil, err
		}
		return directory.ItemsOf(kind, catalogue.ID(after), limit), func(item catalogue.Item) string { return string(item.Head().ID) }, nil
	}
	place, err := placeOf(after)
	if err != nil {
		return nil, nil, err
	}
	if kind == catalogue.KindVideo {
		videos, err := r.catalogue.Scan(ctx, place, limit)
		for _, video := range videos {
			video.Transcript = nil
		}
		return itemsOf(videos), func(item catalogue.Item) string {
			video, _ := item.(*catalogue.Video)
			return strconv.FormatInt(video.Sequence, 10)
		}, err
	}
	records, err := r.catalogue.OwnedItemsSince(ctx, kind, place, limit)
	return itemsOf(records), func(item catalogue.Item) string {
		return strconv.FormatInt(item.Head().Version, 10)
	}, err
}

func itemsOf[T catalogue.Item](list []T) []catalogue.Item {
	items := make([]catalogue.Item, len(list))
	for i, item := range list {
		items[i] = item
	}
	return items
}

// placeOf reads a cursor that is a number, 0 for the start.
func placeOf(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	place, err := strconv.ParseInt(after, 10, 64)
	if err != nil || place < 0 {
		return 0, fault.InvalidRequest("%q is not a cursor that this list has handed out", catalogue.Shorten(after))
	}
	return place, nil
}

// shownItem is a thing as operators see it.
func shownItem(item catalogue.Item) (*graph.CatalogueItem, error) {
	body, err := writtenBody(item)
	if err != nil {
		return nil, err
	}
	head := item.Head()
	return &graph.CatalogueItem{
		Kind: item.Kind(), ID: head.ID, Version: int(head.Version), UpdatedAt: head.UpdatedAt,
		Source: head.Source, Reference: head.Reference, Body: body,
	}, nil
}

// writtenBody is an item by the names, and in the units, in which it is written.
func writtenBody(item catalogue.Item) ([]byte, error) {
	switch item := item.(type) {
	case *catalogue.Video:
		return json.Marshal(struct {
			*catalogue.Video
			Transcript *string `json:"transcript,omitempty"`
		}{item, item.Transcript})
	case *catalogue.Highlight:
		return json.Marshal(struct {
			*catalogue.Highlight
			Start float64 `json:"start"`
			End   float64 `json:"end"`
		}{item, item.Start.Seconds(), item.End.Seconds()})
	case *catalogue.Captions:
		return json.Marshal(struct {
			*catalogue.Captions
			Cues []writtenCue `json:"cues"`
		}{item, writtenCues(item.Cues)})
	}
	return json.Marshal(item)
}

// writtenCue is a cue in seconds.
type writtenCue struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

func writtenCues(cues []catalogue.Cue) []writtenCue {
	written := make([]writtenCue, len(cues))
	for i, cue := range cues {
		written[i] = writtenCue{cue.Start.Seconds(), cue.End.Seconds(), cue.Text}
	}
	return written
}
