package model

import (
	"cmp"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Collection is a collection as one caller sees it.
type Collection struct {
	stored *collection.Collection
	// standing is what the caller is to this one.
	standing collection.Permissions
	around   *Around
}

// Around is what stands around the collections of an answer, read for all of them together. What it does not
// hold is left out of them.
type Around struct {
	Directory *catalogue.Directory
	// Standing is the caller's, without Saved.
	Standing collection.Permissions
	// Saved are those that the caller's user has saved.
	Saved map[catalogue.ID]bool
	// Refs are the videos that the caller may see, Videos the same as objects, where they are shown as such.
	Refs   map[catalogue.ID]catalogue.Ref
	Videos map[catalogue.ID]*Video
	// Pieces are the spans of those highlights that assets name and that there are.
	Pieces map[collection.Key]collection.Segment
	// Parts are, by the IDs of collections, those of their sub-collections that are shown, which have none of their
	// own.
	Parts map[catalogue.ID][]*collection.Collection
}

// NewCollection makes the view of a collection.
func NewCollection(stored *collection.Collection, around *Around) *Collection {
	c := &Collection{stored: stored, standing: around.Standing, around: around}
	c.standing.Saved = around.Saved[stored.ID]
	return c
}

// CollectionPage is one page of a list of collections.
type CollectionPage struct {
	Collections []*Collection
	// Total counts all of the list, across pages.
	Total int
}

// The fields of the collection itself.

func (c *Collection) ID() catalogue.ID               { return c.stored.ID }
func (c *Collection) Title() string                  { return c.stored.Title }
func (c *Collection) CreatedAt() time.Time           { return c.stored.CreatedAt }
func (c *Collection) UpdatedAt() time.Time           { return c.stored.UpdatedAt }
func (c *Collection) Discoverable() bool             { return c.stored.Discoverable }
func (c *Collection) Public() bool                   { return c.stored.Discoverable }
func (c *Collection) Promoted() bool                 { return c.stored.Promoted }
func (c *Collection) PromotedFor() []account.Product { return orEmpty(c.stored.PromotedFor) }
func (c *Collection) Mine() bool                     { return c.stored.OwnedBy(c.standing.User) }
func (c *Collection) Saved() bool                    { return c.standing.Saved }
func (c *Collection) Default() bool                  { return c.stored.Default }

// Owner is the id of the user who owns the collection, or of the operator's account.
func (c *Collection) Owner() catalogue.ID {
	return catalogue.ID(cmp.Or(c.stored.Owner, c.stored.Account))
}

// OwnerName is never empty for collections of the operator.
func (c *Collection) OwnerName() string {
	if c.stored.OwnerName == "" && c.stored.Service {
		return c.stored.Account
	}
	return c.stored.OwnerName
}

// Description is nil where there is none.
func (c *Collection) Description() *string { return orNil(c.stored.Description) }

// CreatedBy says whose it is, in the words of older clients.
func (c *Collection) CreatedBy() string {
	if c.stored.Service {
		return "Service"
	}
	return "Teacher"
}

// Subjects are those of the collection, in its order.
func (c *Collection) Subjects() []*Subject {
	return view(c.stored.SubjectIDs, c.around.Directory.Subject, NewSubject)
}

// AgeRange is nil where no bound is known.
func (c *Collection) AgeRange() *catalogue.AgeRange {
	if !c.stored.AgeRange.Known() {
		return nil
	}
	return &c.stored.AgeRange
}

// Attachments are those of the collection, in its order.
func (c *Collection) Attachments() []Attachment { return attachmentsOf(c.stored.Attachments) }

// Permissions are what others may do.
func (c *Collection) Permissions() CollectionPermissions {
	return CollectionPermissions{Anyone: c.stored.Anyone}
}

// CollectionPermissions say what those may do with a collection who saved it.
type CollectionPermissions struct{ Anyone collection.Permission }

// References are the videos of Assets in their order, each once.
func (c *Collection) References() *References {
	ids := c.videoIDs()
	refs := make([]catalogue.Ref, len(ids))
	for i, id := range ids {
		refs[i] = c.around.Refs[id]
	}
	return &References{List: refs}
}

// Videos are those of References.
func (c *Collection) Videos() []*Video {
	ids := c.videoIDs()
	videos := make([]*Video, len(ids))
	for i, id := range ids {
		videos[i] = c.around.Videos[id]
	}
	return videos
}

// SubCollections are those that the caller may read, as far as the answer has room for them.
func (c *Collection) SubCollections() []*Collection {
	if len(c.stored.SubCollections) == 0 {
		return []*Collection{}
	}
	shown := c.around.Parts[c.stored.ID]
	parts := make([]*Collection, len(shown))
	for i, part := range shown {
		parts[i] = NewCollection(part, c.around)
	}
	return parts
}

// Links are what the caller may do next with the collection.
func (c *Collection) Links() Links {
	links := selfOf("collection", c.stored.ID, account.Browse)
	for _, one := range collectionLinks {
		if !one.shows(c.stored, c.standing) {
			continue
		}
		link := one.Link
		link.ID = string(c.stored.ID)
		if link.Rel == "safeEdit" {
			link.UpdatedAt = c.stored.UpdatedAt.UTC().Format(catalogue.TimestampFormat)
		}
		links.List = append(links.List, link)
	}
	return links
}

// CollectionRelations are the names of all links that a collection can have, whoever asks.
func CollectionRelations() []string {
	links := selfOf("collection", "", account.Browse).List
	for _, one := range collectionLinks {
		links = append(links, one.Link)
	}
	return relationsOf(links)
}

// collectionLink is a link of collections, and of which it is.
type collectionLink struct {
	Link
	shows func(stored *collection.Collection, mine collection.Permissions) bool
}

var collectionLinks = []collectionLink{
	{Link{Rel: "edit", To: "collection", Permission: account.UpdateCollections}, retitles},
	{Link{Rel: "safeEdit", Permission: account.UpdateCollections}, retitles},
	{Link{Rel: "remove", To: "collection", Permission: account.DeleteCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Changes(c) && !c.Default }},
	{Link{Rel: "addVideo", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Edits(c) }},
	{Link{Rel: "removeVideo", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool {
			return mine.Owns(c) || mine.Edits(c) && !mine.Any
		}},
	{Link{Rel: "bookmark", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Saves(c) && !mine.Saved }},
	{Link{Rel: "unbookmark", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Saves(c) && mine.Saved }},
	{Link{Rel: "interactedWith", Permission: account.ViewCollections}, always},
	{Link{Rel: "trackCollectionShareLink", Permission: account.ViewCollections}, always},
	{Link{Rel: "updatePermissions", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Owns(c) }},
	{Link{Rel: "addComment", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool {
			return mine.Discusses(c) && len(c.Assets) > 0
		}},
	{Link{Rel: "removeComment", Permission: account.UpdateCollections},
		func(c *collection.Collection, mine collection.Permissions) bool { return mine.Discusses(c) }},
}

func retitles(c *collection.Collection, mine collection.Permissions) bool {
	return mine.Edits(c) && !c.Default
}

func always(*collection.Collection, collection.Permissions) bool { return true }
