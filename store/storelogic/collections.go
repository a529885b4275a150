package storelogic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// CollectionEngine is one open transaction of an engine on collections, which no other writes beside. It is used
// by one goroutine at a time.
type CollectionEngine interface {
	// Row reads the row of a collection; nil: there is none.
	Row(ctx context.Context, id catalogue.ID) (*CollectionRow, error)
	// DefaultOf reads the row of a user's default collection; nil: there is none.
	DefaultOf(ctx context.Context, owner string) (*CollectionRow, error)
	// CountOwned and CountSaved count what a user owns and has saved.
	CountOwned(ctx context.Context, owner string) (int, error)
	CountSaved(ctx context.Context, user string) (int, error)
	// IsSaved reports whether a user has saved a collection.
	IsSaved(ctx context.Context, user string, id catalogue.ID) (bool, error)
	// OwnedBy, Holding and CommentedBy read up to limit rows: of what a user owns, of what holds one of some
	// videos, of what has comments that tell who a user is.
	OwnedBy(ctx context.Context, owner string, limit int) ([]*CollectionRow, error)
	Holding(ctx context.Context, videos []catalogue.ID, limit int) ([]*CollectionRow, error)
	CommentedBy(ctx context.Context, user string, limit int) ([]*CollectionRow, error)

	// PutRow writes a row in the place of what there is under its ID.
	PutRow(ctx context.Context, row *CollectionRow) error
	// Link makes a collection be found by other videos and commentators than before.
	Link(ctx context.Context, id catalogue.ID, videos, commentators Links) error
	// DeleteRow removes a row, by what it is found, and who saved it.
	DeleteRow(ctx context.Context, id catalogue.ID) error
	// SetSaved makes a user have saved a collection, or no longer.
	SetSaved(ctx context.Context, user string, id catalogue.ID, saved bool) error
	// UnsaveAll makes a user have saved nothing.
	UnsaveAll(ctx context.Context, user string) error
	// AddChange adds an entry to the log.
	AddChange(ctx context.Context, change store.Change) error
}

// CollectionRow is what is stored of a collection.
type CollectionRow struct {
	ID      catalogue.ID
	Version int64
	// Created and Updated are microseconds since 1970, UTC.
	Created, Updated int64
	Owner            string
	Default          bool
	Body             []byte
}

// Collection reads the row.
func (row *CollectionRow) Collection() (*collection.Collection, error) {
	c := &collection.Collection{}
	if err := fastjson.Unmarshal(row.Body, c); err != nil {
		return nil, fmt.Errorf("store: decode collection %s: %w", row.ID, err)
	}
	c.Version, c.CreatedAt, c.UpdatedAt = row.Version, time.UnixMicro(row.Created).UTC(), time.UnixMicro(row.Updated).UTC()
	return c, nil
}

// CollectionsOf reads rows.
func CollectionsOf(rows []*CollectionRow) ([]*collection.Collection, error) {
	list := make([]*collection.Collection, len(rows))
	for i, row := range rows {
		var err error
		if list[i], err = row.Collection(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// PartsOf are the IDs of the sub-collections of a list, sorted, each once.
func PartsOf(list []*collection.Collection) (ids []catalogue.ID) {
	for _, one := range list {
		ids = append(ids, one.SubCollections...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sortRows puts rows into the order of a store.Shelf.
func sortRows(rows []*CollectionRow) {
	slices.SortFunc(rows, func(a, b *CollectionRow) int {
		if a.Updated != b.Updated {
			return int(min(1, max(-1, b.Updated-a.Updated)))
		}
		return bytes.Compare([]byte(a.ID), []byte(b.ID))
	})
}

func encodeCollection(c *collection.Collection) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("store: encode collection %s: %w", c.ID, err)
	}
	return body, nil
}

// Links are what a collection is found by from now on, and no longer.
type Links struct{ Added, Removed []string }

// linksOf compares two lists, each without repetitions.
func linksOf(before, after []string) (links Links) {
	links.Added = slices.DeleteFunc(slices.Clone(after), contains(before))
	links.Removed = slices.DeleteFunc(slices.Clone(before), contains(after))
	return links
}

func contains(list []string) func(string) bool {
	known := make(map[string]bool, len(list))
	for _, one := range list {
		known[one] = true
	}
	return func(one string) bool { return known[one] }
}

// videosOf are the videos that a collection is found by; nil has none.
func videosOf(c *collection.Collection) (list []string) {
	if c == nil {
		return nil
	}
	for _, id := range c.VideoIDs() {
		list = append(list, string(id))
	}
	return list
}

// commentatorsOf are the users whose names or addresses stand in comments of a collection; nil has none.
func commentatorsOf(c *collection.Collection) (list []string) {
	if c == nil {
		return nil
	}
	met := map[string]bool{}
	for _, asset := range c.Assets {
		for _, comment := range asset.Comments {
			if comment.UserID != "" && (comment.Name != "" || comment.Email != "") && !met[comment.UserID] {
				met[comment.UserID] = true
				list = append(list, comment.UserID)
			}
		}
	}
	return list
}

// ShelfOf makes a shelf of rows, which it sorts.
func ShelfOf(own, saved []*CollectionRow) (shelf store.UserCollections, err error) {
	sortRows(own)
	sortRows(saved)
	if shelf.Own, err = CollectionsOf(own); err != nil {
		return store.UserCollections{}, err
	}
	if shelf.Saved, err = CollectionsOf(saved); err != nil {
		return store.UserCollections{}, err
	}
	return shelf, nil
}
