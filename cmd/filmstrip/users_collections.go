package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// shelf is what the user has, empty for one who has no id. Whose record is gone is known by what they own.
func (c *somebody) shelf(ctx context.Context, u *use) (store.UserCollections, error) {
	if c.ID == "" {
		return store.UserCollections{}, nil
	}
	shelf, err := u.Collections.UserCollections(ctx, c.ID)
	if err != nil {
		return store.UserCollections{}, err
	}
	for _, own := range shelf.Own {
		if own.Account != c.Account {
			return store.UserCollections{}, fmt.Errorf("the user %s does not belong to the account %s", c.ID, c.Account)
		}
	}
	return shelf, nil
}

// The kinds of lines that an export of a user has behind those of events.
const (
	lineCollection = "COLLECTION"
	lineSaved      = "SAVED_COLLECTION"
	lineComment    = "COMMENT"
)

// ownLine is a collection of the user's, without what others said of it.
type ownLine struct {
	Kind       string                 `json:"kind"`
	CreatedAt  time.Time              `json:"createdAt"`
	UpdatedAt  time.Time              `json:"updatedAt"`
	Collection *collection.Collection `json:"collection"`
}

// othersLine is a collection of somebody else's that the user has saved, or what the user said of a video in it.
type othersLine struct {
	Kind         string              `json:"kind"`
	CollectionID catalogue.ID        `json:"collectionId"`
	Title        string              `json:"title"`
	VideoID      catalogue.ID        `json:"videoId,omitempty"`
	Comment      *collection.Comment `json:"comment,omitempty"`
}

// writeShelf writes what the user has, and has said, as JSON lines.
func (c *somebody) writeShelf(ctx context.Context, u *use, shelf store.UserCollections, w io.Writer) error {
	lines := json.NewEncoder(w)
	for _, own := range shelf.Own {
		for i := range own.Assets {
			own.Assets[i].Comments = slices.DeleteFunc(own.Assets[i].Comments, func(one collection.Comment) bool { return one.UserID != c.ID })
		}
		if err := lines.Encode(ownLine{lineCollection, own.CreatedAt, own.UpdatedAt, own}); err != nil {
			return err
		}
	}
	for _, saved := range shelf.Saved {
		if err := lines.Encode(othersLine{Kind: lineSaved, CollectionID: saved.ID, Title: saved.Title}); err != nil {
			return err
		}
	}
	if c.ID == "" {
		return nil
	}
	return c.writeComments(ctx, u, lines)
}

// writeComments looks through all collections for what the user said in those of others.
func (c *somebody) writeComments(ctx context.Context, u *use, lines *json.Encoder) error {
	for after := catalogue.ID(""); ; {
		part, err := u.Collections.Scan(ctx, after, 100)
		if err != nil || len(part) == 0 {
			return err
		}
		for _, one := range part {
			after = one.ID
			if one.OwnedBy(c.ID) {
				continue
			}
			for _, asset := range one.Assets {
				for i := range asset.Comments {
					if asset.Comments[i].UserID != c.ID {
						continue
					}
					if err := lines.Encode(othersLine{lineComment, one.ID, one.Title, asset.VideoID, &asset.Comments[i]}); err != nil {
						return err
					}
				}
			}
		}
	}
}
