package collection

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Kind is that of collections where things of the catalogue have theirs: in import lines and in logs.
const Kind catalogue.Kind = "collection"

// The most that a collection, and a user, may have.
const (
	MaxTitle       = 200
	MaxDescription = 5_000
	MaxAssets      = 1_000
	MaxSubjects    = 50
	MaxComments    = 500 // of one asset
	MaxComment     = 5_000
	// MaxDiscussion and MaxDiscussed are how many comments all assets of a collection have together, and how many
	// bytes of text these.
	MaxDiscussion  = 2_000
	MaxDiscussed   = 1 << 20
	MaxAttachments = 20
	MaxParts       = 50 // sub-collections
	// MaxOwned and MaxSaved are how many collections one user may own and have saved.
	MaxOwned = 1_000
	MaxSaved = 1_000
)

// MaxPage is the most collections of one page of a list, DefaultPage the usual number.
const (
	MaxPage     = 500
	DefaultPage = 30
)

// DefaultTitle is that of the collection which every user gets.
const DefaultTitle = "Watch later"

// Permission is what others than the owner may do with a collection that they have saved.
type Permission string

// The permissions.
const (
	ViewOnly Permission = "VIEW_ONLY"
	Edit     Permission = "EDIT"
)

// AllPermissions lists the permissions.
func AllPermissions() []Permission { return []Permission{ViewOnly, Edit} }

// Order is one criterion by which lists of collections are ordered.
type Order string

// The criteria.
const (
	ByTitle         Order = "TITLE"          // as catalogue.FoldName compares, A first
	ByUpdatedAt     Order = "UPDATED_AT"     // the newest first
	ByDefault       Order = "IS_DEFAULT"     // the default one first
	ByHasAttachment Order = "HAS_ATTACHMENT" // those with attachments first
)

// Orders lists the criteria.
func Orders() []Order { return []Order{ByTitle, ByUpdatedAt, ByDefault, ByHasAttachment} }

// Collection is a list of videos.
type Collection struct {
	ID catalogue.ID `json:"id"`
	// Version grows with every change; UpdatedAt is when it last changed: UTC, microseconds. Saving a
	// collection changes neither. Both are set by the store.
	Version   int64     `json:"-"`
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`

	// Source and Reference are the operator's name for an imported collection, as those of catalogue.Meta; both
	// are "" where somebody made it over the API.
	Source    string `json:"source,omitempty"`
	Reference string `json:"ref,omitempty"`

	// Account is the owner's. Owner is the user's ID; "": the operator's own, made by a client.
	Account string `json:"account"`
	Owner   string `json:"owner"`
	// OwnerName is shown as the owner's name, as it was when the collection last changed.
	OwnerName string `json:"ownerName"`
	// Service is true where the owner is one of the operator's.
	Service bool `json:"service"`
	// Default marks the one that its owner was given; it can be neither edited nor deleted, but videos
	// come and go.
	Default bool `json:"default"`

	Title       string `json:"title"`
	Description string `json:"description"`
	// Assets are in the order in which they were added; no two have the same Key.
	Assets      []Asset                `json:"assets"`
	SubjectIDs  []catalogue.ID         `json:"subjects"`
	AgeRange    catalogue.AgeRange     `json:"ageRange"`
	Attachments []catalogue.Attachment `json:"attachments"`
	// Discoverable collections are found by those who may read them. Promoted ones are shown first by the
	// operator's pages; only the operator says so.
	Discoverable bool              `json:"discoverable"`
	Promoted     bool              `json:"promoted"`
	PromotedFor  []account.Product `json:"promotedFor"`
	// Anyone is what those who saved the collection may do with it.
	Anyone Permission `json:"anyone"`
	// SubCollections are shown within this one where the caller may read them; they have none of their own.
	SubCollections []catalogue.ID `json:"subCollections"`
}

// Asset is one video of a collection, whole or a piece of it.
type Asset struct {
	VideoID catalogue.ID `json:"video"`
	// HighlightID names the piece that it is; "": the video itself.
	HighlightID catalogue.ID `json:"highlight,omitempty"`
	// Segment is the piece that the owner cut; nil: all of it.
	Segment *Segment `json:"segment,omitempty"`
	Note    string   `json:"note,omitempty"`
	// Comments are in the order in which they were made.
	Comments []Comment `json:"comments,omitempty"`
}

// Segment is a piece of a video.
type Segment struct {
	Start catalogue.Millis `json:"start"`
	End   catalogue.Millis `json:"end"`
}

// Comment is what somebody said of an asset.
type Comment struct {
	ID     catalogue.ID `json:"id"`
	UserID string       `json:"user"`
	Name   string       `json:"name"`
	Email  string       `json:"email"`
	Text   string       `json:"text"`
	At     time.Time    `json:"at"`
}

// Key tells assets of a collection apart.
type Key struct{ Video, Highlight catalogue.ID }

// Key is the asset's.
func (asset Asset) Key() Key { return Key{asset.VideoID, asset.HighlightID} }

// OwnedBy reports whether the user, who is not nobody, owns the collection.
func (c *Collection) OwnedBy(user string) bool { return user != "" && c.Owner == user }

// Add appends an asset, unless there is one with its key. It reports whether it did.
func (c *Collection) Add(asset Asset) bool {
	if slices.ContainsFunc(c.Assets, func(a Asset) bool { return a.Key() == asset.Key() }) {
		return false
	}
	c.Assets = append(c.Assets, asset)
	return true
}

// Remove takes the asset with a key out. It reports whether there was one.
func (c *Collection) Remove(key Key) bool {
	before := len(c.Assets)
	c.Assets = slices.DeleteFunc(c.Assets, func(a Asset) bool { return a.Key() == key })
	return len(c.Assets) < before
}

// VideoIDs lists the videos in the order of their assets, each once.
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

// VideosOf are the VideoIDs of collections, by the collections' IDs.
func VideosOf(list []*Collection) map[catalogue.ID][]catalogue.ID {
	videos := make(map[catalogue.ID][]catalogue.ID, len(list))
	for _, c := range list {
		videos[c.ID] = c.VideoIDs()
	}
	return videos
}

// ResourceTypes lists the types of the attachments, each once, in the order of catalogue.AttachmentTypes.
func (c *Collection) ResourceTypes() []catalogue.AttachmentType {
	return slices.DeleteFunc(catalogue.AttachmentTypes(), func(t catalogue.AttachmentType) bool {
		return !slices.ContainsFunc(c.Attachments, func(a catalogue.Attachment) bool { return a.Type == t })
	})
}
