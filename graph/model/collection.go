package model

import (
	"cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Collection is a collection as one caller sees it. Fields of the schema that have no method here are those of the stored
// collection.
type Collection struct {
	*collection.Collection
	// permissions is the caller's relation to this collection.
	permissions collection.Permissions
	around      *Around
}

// Around is the data that the collections of an answer refer to, read once for all of them. Anything that is missing
// from it is omitted from the collections.
type Around struct {
	Directory *catalogue.Directory
	// Permissions is the caller's relation to collections, with Saved unset.
	Permissions collection.Permissions
	// Saved contains the collections that the caller's user saved.
	Saved map[catalogue.ID]bool
	// Refs are the videos that assets show to the caller, by the IDs in the assets and by their own: a
	// retired video shows its replacement. Videos contains the same videos as objects by their own IDs, if the answer includes them.
	Refs   map[catalogue.ID]catalogue.Ref
	Videos map[catalogue.ID]*Video
	// Pieces contains the segments of the existing highlights that assets refer to.
	Pieces map[collection.Key]collection.Segment
	// Parts maps the ID of a collection to its sub-collections in the answer. These have no sub-collections of their
	// own.
	Parts map[catalogue.ID][]*collection.Collection
}

// NewCollection returns the view of a collection.
func NewCollection(stored *collection.Collection, around *Around) *Collection {
	c := &Collection{Collection: stored, permissions: around.Permissions, around: around}
	c.permissions.Saved = around.Saved[stored.ID]
	return c
}

// CollectionPage is one page of a list of collections.
type CollectionPage struct {
	Collections []*Collection
	// Total is the length of the whole list, across pages.
	Total int
}

func (c *Collection) Public() bool { return c.Collection.Discoverable }
func (c *Collection) Mine() bool   { return c.Collection.OwnedBy(c.permissions.User) }
func (c *Collection) Saved() bool  { return c.permissions.Saved }

// Owner returns the ID of the user who owns the collection, or the ID of the account if no user owns it.
func (c *Collection) Owner() catalogue.ID {
	return catalogue.ID(cmp.Or(c.Collection.Owner, c.Collection.Account))
}

// OwnerName returns the name of the owner. It is never empty for collections of the operator.
func (c *Collection) OwnerName() string {
	if c.Collection.OwnerName == "" && c.Collection.Service {
		return c.Collection.Account
	}
	return c.Collection.OwnerName
}

// Description returns the description, or nil if there is none.
func (c *Collection) Description() *string { return orNil(c.Collection.Description) }

// CreatedBy returns the kind of owner in the terms of older clients: "Service" or "Teacher".
func (c *Collection) CreatedBy() string {
	if c.Collection.Service {
		return "Service"
	}
	return "Teacher"
}

// Subjects returns the collection's subjects, in the stored order.
func (c *Collection) Subjects() []*Subject {
	return view(c.Collection.SubjectIDs, c.around.Directory.Subject, NewSubject)
}

// AgeRange returns the collection's age range, or nil if neither bound is known.
func (c *Collection) AgeRange() *catalogue.AgeRange {
	if !c.Collection.AgeRange.Known() {
		return nil
	}
	return &c.Collection.AgeRange
}

// Attachments returns the collection's attachments, in the stored order.
func (c *Collection) Attachments() []Attachment { return attachmentsOf(c.Collection.Attachments) }

// Permissions returns the permissions of users other than the owner.
func (c *Collection) Permissions() CollectionPermissions {
	return CollectionPermissions{Anyone: c.Collection.Anyone}
}

// CollectionPermissions are the permissions of users who saved the collection.
type CollectionPermissions struct{ Anyone collection.Permission }

// References returns the videos of Assets in order, each once.
func (c *Collection) References() *References {
	ids := c.videoIDs()
	refs := make([]catalogue.Ref, len(ids))
	for i, id := range ids {
		refs[i] = c.around.Refs[id]
	}
	return &References{List: refs}
}

// Videos returns the videos of References, in the same order.
func (c *Collection) Videos() []*Video {
	ids := c.videoIDs()
	videos := make([]*Video, len(ids))
	for i, id := range ids {
		videos[i] = c.around.Videos[id]
	}
	return videos
}

// SubCollections returns the sub-collections that the caller may read, up to the limit of the answer.
func (c *Collection) SubCollections() []*Collection {
	if len(c.Collection.SubCollections) == 0 {
		return []*Collection{}
	}
	shown := c.around.Parts[c.Collection.ID]
	parts := make([]*Collection, len(shown))
	for i, part := range shown {
		parts[i] = NewCollection(part, c.around)
	}
	return parts
}

// Links returns the actions that the caller may perform on the collection.
func (c *Collection) Links() Links {
	links := selfOf("collection", c.Collection.ID, account.Browse)
	for _, one := range collectionLinks {
		if !one.shows(c.Collection, c.permissions) {
			continue
		}
		link := one.Link
		link.ID = string(c.Collection.ID)
		if link.Rel == "safeEdit" {
			link.UpdatedAt = c.Collection.UpdatedAt.UTC().Format(catalogue.TimestampFormat)
		}
		links.List = append(links.List, link)
	}
	return links
}

// CollectionRelations returns the names of all links that a collection can have for any caller, sorted.
func CollectionRelations() []string {
	links := selfOf("collection", "", account.Browse).List
	for _, one := range collectionLinks {
		links = append(links, one.Link)
	}
	return relationsOf(links)
}

// collectionLink is a link of collections. shows reports whether a collection has the link for a caller.
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
