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

// userCollections returns the collections of the user, or none for a person without an ID. If the user has no record,
// the account of the collections identifies the user.
func (c *person) userCollections(ctx context.Context, u *use) (store.UserCollections, error) {
	if c.ID == "" {
		return store.UserCollections{}, nil
	}
	found, err := u.Collections.UserCollections(ctx, c.ID)
	if err != nil {
		return store.UserCollections{}, err
	}
	for _, own := range found.Own {
		if own.Account != c.Account {
			return store.UserCollections{}, fmt.Errorf("the user %s does not belong to the account %s", c.ID, c.Account)
		}
	}
	return found, nil
}

// The kinds of the lines for collections in an export of a user.
const (
	lineCollection = "COLLECTION"
	lineSaved      = "SAVED_COLLECTION"
	lineComment    = "COMMENT"
)

// ownLine is a collection of the user, without the comments of others.
type ownLine struct {
	Kind       string                 `json:"kind"`
	CreatedAt  time.Time              `json:"createdAt"`
	UpdatedAt  time.Time              `json:"updatedAt"`
	Collection *collection.Collection `json:"collection"`
}

// othersLine is a collection of another user that the user saved, or a comment of the user in it.
type othersLine struct {
	Kind         string              `json:"kind"`
	CollectionID catalogue.ID        `json:"collectionId"`
	Title        string              `json:"title"`
	VideoID      catalogue.ID        `json:"videoId,omitempty"`
	Comment      *collection.Comment `json:"comment,omitempty"`
}

// writeCollections writes the collections and comments of the user as JSON lines.
func (c *person) writeCollections(ctx context.Context, u *use, of store.UserCollections, w io.Writer) error {
	lines := json.NewEncoder(w)
	for _, own := range of.Own {
		for i := range own.Assets {
			own.Assets[i].Comments = slices.DeleteFunc(own.Assets[i].Comments, func(one collection.Comment) bool { return one.UserID != c.ID })
		}
		if err := lines.Encode(ownLine{lineCollection, own.CreatedAt, own.UpdatedAt, own}); err != nil {
			return err
		}
	}
	for _, saved := range of.Saved {
		if err := lines.Encode(othersLine{Kind: lineSaved, CollectionID: saved.ID, Title: saved.Title}); err != nil {
			return err
		}
	}
	if c.ID == "" {
		return nil
	}
	return c.writeComments(ctx, u, lines)
}

// writeComments searches all collections for the user's comments in collections of others.
func (c *person) writeComments(ctx context.Context, u *use, lines *json.Encoder) error {
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
