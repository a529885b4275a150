package catalogue

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Meta is metadata maintained by the catalogue. It is not part of the item's JSON encoding.
type Meta struct {
	ID ID `json:"-"`
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

// New returns an empty item of the given kind, or nil if the kind is unknown.
func New(kind Kind) Item {
	switch kind {
	case KindContract:
		return &Contract{}
	case KindLegalRestriction:
		return &LegalRestriction{}
	case KindEducationLevel:
		return &EducationLevel{}
	case KindTag:
		return &Tag{}
	case KindContentWarning:
		return &ContentWarning{}
	case KindSubject:
		return &Subject{}
	case KindDiscipline:
		return &Discipline{}
	case KindTopic:
		return &Topic{}
	case KindPhrase:
		return &Phrase{}
	case KindSynonym:
		return &Synonym{}
	case KindSearchRule:
		return &SearchRule{}
	case KindProvider:
		return &Provider{}
	case KindChannel:
		return &Channel{}
	case KindVideo:
		return &Video{}
	case KindCaptions:
		return &Captions{}
	case KindMaterial:
		return &Material{}
	case KindHighlight:
		return &Highlight{}
	case KindTheme:
		return &Theme{}
	case KindDistrict:
		return &District{}
	case KindSchool:
		return &School{}
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
