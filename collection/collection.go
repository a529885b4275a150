package collection

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Kind is the kind of collections in import lines and logs, where catalogue items have theirs.
const Kind catalogue.Kind = "collection"

// Limits of a collection, and of a user.
const (
	MaxTitle       = 200
	MaxDescription = 5_000
	MaxAssets      = 1_000
	MaxSubjects    = 50
	MaxComments    = 500 // of one asset
	MaxComment     = 5_000
	// MaxDiscussion and MaxDiscussed are the maximum number of comments on all assets of a collection, and the
	// maximum number of bytes of their texts.
	MaxDiscussion  = 2_000
	MaxDiscussed   = 1 << 20
	MaxAttachments = 20
	MaxParts       = 50 // sub-collections
	// MaxOwned and MaxSaved are the maximum numbers of collections that one user may own and have saved.
	MaxOwned = 1_000
	MaxSaved = 1_000
)

// MaxPage and DefaultPage are the maximum and default page size of lists of collections.
const (
	MaxPage     = 500
	DefaultPage = 30
)

// DefaultTitle is the title of the collection that every user gets.
const DefaultTitle = "Watch later"

// Permission is what users other than the owner may do with a collection that they have saved.
type Permission string

// The permissions.
const (
	ViewOnly Permission = "VIEW_ONLY"
	Edit     Permission = "EDIT"
)

// AllPermissions returns all permissions.
func AllPermissions() []Permission { return []Permission{ViewOnly, Edit} }

// Order is a sort criterion for lists of collections.
type Order string

// The sort criteria.
const (
	ByTitle         Order = "TITLE"          // folded with catalogue.FoldName, ascending
	ByUpdatedAt     Order = "UPDATED_AT"     // newest first
	ByDefault       Order = "IS_DEFAULT"     // default collection first
	ByHasAttachment Order = "HAS_ATTACHMENT" // collections with attachments first
)

// Orders returns all sort criteria.
func Orders() []Order { return []Order{ByTitle, ByUpdatedAt, ByDefault, ByHasAttachment} }

// Collection is a list of videos.
type Collection struct {
	ID catalogue.ID `json:"id"`
	// Version increases with every change. UpdatedAt is the time of the last change in UTC with microseconds. Saving
	// a collection changes neither. The store sets both.
	Version   int64     `json:"-"`
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`

	// Source and Reference identify an imported collection at the operator, as in catalogue.Meta; both are "" for a
	// collection created through the API.
	Source    string `json:"source,omitempty"`
	Reference string `json:"ref,omitempty"`

	// Account is the owner's account. Owner is the owner's user ID; "" for a collection that a client of the operator
	// created.
	Account string `json:"account"`
	Owner   string `json:"owner"`
	// OwnerName is the owner's name at the time of the last change.
	OwnerName string `json:"ownerName"`
	// Service reports whether the owner belongs to the operator.
	Service bool `json:"service"`
	// Default marks the collection that its owner got automatically. It cannot be edited or deleted, but videos can
	// be added and removed.
	Default bool `json:"default"`

	Title       string `json:"title"`
	Description string `json:"description"`
	// Assets are in the order in which they were added. No two have the same Key.
	Assets      []Asset                `json:"assets"`
	SubjectIDs  []catalogue.ID         `json:"subjects"`
	AgeRange    catalogue.AgeRange     `json:"ageRange"`
	Attachments []catalogue.Attachment `json:"attachments"`
	// Discoverable collections are found by all users who may read them. Promoted ones are shown first on the
	// operator's pages; only the operator sets it.
	Discoverable bool              `json:"discoverable"`
	Promoted     bool              `json:"promoted"`
	PromotedFor  []account.Product `json:"promotedFor"`
	// Anyone is what users who saved the collection may do with it.
	Anyone Permission `json:"anyone"`
	// SubCollections are shown within this collection if the caller may read them. They have no sub-collections
	// themselves.
	SubCollections []catalogue.ID `json:"subCollections"`
}

// Asset is a video of a collection, or a part of one.
type Asset struct {
	VideoID catalogue.ID `json:"video"`
	// HighlightID is the ID of the part; "" for the video itself.
	HighlightID catalogue.ID `json:"highlight,omitempty"`
	// Segment is the part selected by the owner; nil for the whole video or highlight.
	Segment *Segment `json:"segment,omitempty"`
	Note    string   `json:"note,omitempty"`
	// Comments are in the order in which they were made.
	Comments []Comment `json:"comments,omitempty"`
}

// Segment is a part of a video.
type Segment struct {
	Start catalogue.Millis `json:"start"`
	End   catalogue.Millis `json:"end"`
}

// Comment is a user's comment on an asset.
type Comment struct {
	ID     catalogue.ID `json:"id"`
	UserID string       `json:"user"`
	Name   string       `json:"name"`
	Email  string       `json:"email"`
	Text   string       `json:"text"`
	At     time.Time    `json:"at"`
}

// Key identifies an asset within a collection.
type Key struct{ Video, Highlight catalogue.ID }

// Key returns the key of the asset.
func (asset Asset) Key() Key { return Key{asset.VideoID, asset.HighlightID} }

// OwnedBy reports whether the user owns the collection. It is false if user is "".
func (c *Collection) OwnedBy(user string) bool { return user != "" && c.Owner == user }

// Add appends an asset, unless one with the same key exists, and reports whether it did.
func (c *Collection) Add(asset Asset) bool {
	if slices.ContainsFunc(c.Assets, func(a Asset) bool { return a.Key() == asset.Key() }) {
		return false
	}
	c.Assets = append(c.Assets, asset)
	return true
}

// Remove removes the asset with the given key and reports whether it existed.
func (c *Collection) Remove(key Key) bool {
	before := len(c.Assets)
	c.Assets = slices.DeleteFunc(c.Assets, func(a Asset) bool { return a.Key() == key })
	return len(c.Assets) < before
}

// VideoIDs returns the videos in the order of their assets, without duplicates.
func (c *Collection) VideoIDs() []catalogue.ID {
	ids := make([]catalogue.ID, 0, len(c.Assets))
	met := make(map[catalogue.ID]bool, len(c.Assets))
	for _, asset := range c.Assets {
		if !met[asset.VideoID] {
			met[asset.VideoID] = true
			ids = append(ids, asset.VideoID)
		}
	}
	return ids
}

// VideosOf returns the VideoIDs of collections by collection ID.
func VideosOf(list []*Collection) map[catalogue.ID][]catalogue.ID {
	videos := make(map[catalogue.ID][]catalogue.ID, len(list))
	for _, c := range list {
		videos[c.ID] = c.VideoIDs()
	}
	return videos
}

// ResourceTypes returns the types of the attachments without duplicates, in the order of catalogue.AttachmentTypes.
func (c *Collection) ResourceTypes() []catalogue.AttachmentType {
	return slices.DeleteFunc(catalogue.AttachmentTypes(), func(t catalogue.AttachmentType) bool {
		return !slices.ContainsFunc(c.Attachments, func(a catalogue.Attachment) bool { return a.Type == t })
	})
}
