package editing

import (
	"context"
	"fmt"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

// maxRemovals is the most removals that are read for one page of removed videos, and removalChunk the most at a time.
const (
	maxRemovals  = 10_000
	removalChunk = 1000
)

// removedItems returns a page of the videos that were removed for a reason and still exist. The page is short if the
// matches among the next 10,000 removals do not fill it.
func (r *Resolver) removedItems(ctx context.Context, kind catalogue.Kind, text *string, reason catalogue.RemovalReason, first int, after *string) (*graph.CatalogueItemConnection, error) {
	if kind != catalogue.KindVideo || reason == catalogue.Deleted {
		return nil, fault.InvalidRequest("removed: %s: only videos are RETIRED or EXPIRED; deleted records are in catalogueAuditLog", reason)
	}
	place, err := readPlace(after)
	if err != nil {
		return nil, err
	}
	matches := func(catalogue.Item) bool { return true }
	if text != nil {
		matches = namedLike(*text)
	}
	found := []catalogue.Item{}
	for size, read := first, 0; ; { // the page grows while few match, and shrinks if too many do
		page, err := r.store.Removals(ctx, store.RemovalQuery{After: place, Size: size, Today: catalogue.DateOf(r.now())})
		if err != nil {
			return nil, err
		}
		items, err := r.videosRemoved(ctx, page.Removals, reason, matches)
		if err != nil {
			return nil, err
		}
		if len(found)+len(items) > first { // a cursor can stand only at the end of a page of removals
			size = max(size/2, 1)
			continue
		}
		place, read, size = page.Next, read+len(page.Removals), min(2*size, removalChunk)
		found = append(found, items...)
		switch {
		case !page.More:
			return connection(found, &model.PageInfo{}, nil)
		case len(found) == first || read >= maxRemovals:
			cursor := writePlace(place)
			return connection(found, &model.PageInfo{HasNextPage: true, EndCursor: &cursor}, nil)
		}
	}
}

// videosRemoved returns the videos of removals for a reason that match.
func (r *Resolver) videosRemoved(ctx context.Context, removals []catalogue.Removal, reason catalogue.RemovalReason, matches func(catalogue.Item) bool) ([]catalogue.Item, error) {
	var ids []catalogue.ID
	for _, removal := range removals {
		if removal.Reason == reason {
			ids = append(ids, removal.ID)
		}
	}
	videos, err := r.store.Videos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var items []catalogue.Item
	for _, item := range itemsOf(videos) {
		if matches(item) {
			items = append(items, item)
		}
	}
	return items, nil
}

// placeFormat is the form of cursors of removed videos.
const placeFormat = "%d.%d.%d.%s"

func writePlace(place store.RemovalPlace) string {
	return fmt.Sprintf(placeFormat, place.At, place.Position, place.Until, place.ID)
}

func readPlace(cursor *string) (place store.RemovalPlace, err error) {
	if cursor == nil {
		return place, nil
	}
	_, _ = fmt.Sscanf(*cursor, placeFormat, &place.At, &place.Position, &place.Until, (*string)(&place.ID)) // the ID may be missing
	if writePlace(place) != *cursor {
		return place, fault.InvalidRequest("%q is not a cursor of this list", fault.Shorten(*cursor))
	}
	return place, nil
}
