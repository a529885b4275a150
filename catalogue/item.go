package catalogue

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Meta is metadata maintained by the catalogue. Of it, the JSON encoding of an item contains Held alone.
type Meta struct {
	ID ID `json:"-"`
	// Held are the fields that imports do not overwrite, in the order of their names.
	Held []Held `json:"held,omitempty"`
	// Source and Reference identify the item at the operator: the system it came from, and its name there.
	Source    string `json:"-"`
	Reference string `json:"-"`
	// Version is the version in Ref; 0 if the item is not stored.
	Version int64 `json:"-"`
	// UpdatedAt is when the client-visible content last changed, in UTC with microseconds.
	UpdatedAt time.Time `json:"-"`
}

// Ref returns the reference to this version of the item.
func (m *Meta) Ref() Ref { return Ref{ID: m.ID, Version: m.Version} }

// Head returns the metadata, for code that handles all kinds.
func (m *Meta) Head() *Meta { return m }

// Links returns nil. Items of kinds that refer to others have a method of their own; owners are checked separately.
func (m *Meta) Links() []Link { return nil }

// Item is a catalogue item of any kind. It is stored as its JSON encoding.
type Item interface {
	Kind() Kind
	Head() *Meta
	// Validate returns all errors in the order of the fields, or nil if the item may be stored.
	Validate() fault.FieldErrors
	// Links returns the references to other items.
	Links() []Link
}

// Mentioner is an Item that mentions other items without preventing their deletion. A store accepts a mention if the
// mentioned item exists or the stored version of the item already mentions it.
type Mentioner interface {
	Item
	// Mentions returns the mentioned items.
	Mentions() []Link
}

// OwnedItem is an Item of a kind that is too numerous for a Directory. It is read by ID or with all others of its
// owner.
type OwnedItem interface {
	Item
	// Owner returns the owner: a video, or an item of an earlier kind. An empty ID means no owner. A store requires
	// the owner to exist. Deleting a video deletes the items it owns; other owners cannot be deleted while they own
	// items.
	Owner() Link
}

// Link is a reference to another item. Field is the field that contains it, such as "subjects[1]".
type Link struct {
	Kind  Kind
	ID    ID
	Field string
}

// empty makes an empty item of each kind.
var empty = map[Kind]func() Item{
	KindContract:         func() Item { return &Contract{} },
	KindLegalRestriction: func() Item { return &LegalRestriction{} },
	KindEducationLevel:   func() Item { return &EducationLevel{} },
	KindTag:              func() Item { return &Tag{} },
	KindContentWarning:   func() Item { return &ContentWarning{} },
	KindSubject:          func() Item { return &Subject{} },
	KindDiscipline:       func() Item { return &Discipline{} },
	KindTopic:            func() Item { return &Topic{} },
	KindPhrase:           func() Item { return &Phrase{} },
	KindSynonym:          func() Item { return &Synonym{} },
	KindSearchRule:       func() Item { return &SearchRule{} },
	KindProvider:         func() Item { return &Provider{} },
	KindChannel:          func() Item { return &Channel{} },
	KindVideo:            func() Item { return &Video{} },
	KindCaptions:         func() Item { return &Captions{} },
	KindMaterial:         func() Item { return &Material{} },
	KindHighlight:        func() Item { return &Highlight{} },
	KindTheme:            func() Item { return &Theme{} },
	KindDistrict:         func() Item { return &District{} },
	KindSchool:           func() Item { return &School{} },
	KindEmbedding:        func() Item { return &Embedding{} },
}

// New returns an empty item of the given kind, or nil if the kind is unknown.
func New(kind Kind) Item {
	if item, ok := empty[kind]; ok {
		return item()
	}
	return nil
}

// Limits of text lengths, in characters, and of list lengths, in elements.
const (
	MaxNameLength       = 200
	MaxTitleLength      = 500
	MaxTextLength       = 20_000
	MaxTranscriptLength = 2_000_000
	MaxURLLength        = 2_000
	MaxListLength       = 200
)

func linksTo(kind Kind, field string, ids []ID) []Link {
	links := make([]Link, len(ids))
	for i, id := range ids {
		links[i] = Link{Kind: kind, ID: id, Field: fmt.Sprintf("%s[%d]", field, i)}
	}
	return links
}
