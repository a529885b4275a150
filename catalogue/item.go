package catalogue

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Meta is what the catalogue itself keeps of every thing. It is no part of the thing's body.
type Meta struct {
	ID ID `json:"-"`
	// Source and Reference are the operator's name for the thing: which system it came from, and how
	// it is called there.
	Source    string `json:"-"`
	Reference string `json:"-"`
	// Version is that of Ref; 0: not stored yet.
	Version int64 `json:"-"`
	// UpdatedAt is when what clients see of the thing last changed: UTC, microseconds.
	UpdatedAt time.Time `json:"-"`
}

// Ref names this version of the thing.
func (m *Meta) Ref() Ref { return Ref{ID: m.ID, Version: m.Version} }

// Head returns the Meta itself, so that code that serves every kind can reach it.
func (m *Meta) Head() *Meta { return m }

// Item is a thing of any kind that an operator may write. Its body is its JSON encoding.
type Item interface {
	Kind() Kind
	Head() *Meta
	// Validate returns every fault of the item in the order of its fields; nil: it may be stored.
	Validate() fault.FieldErrors
	// Links lists what the item refers to.
	Links() []Link
}

// Mentioner is an Item that names others without keeping them from being deleted. A store accepts a mention of a
// thing that exists, or that the stored version of the item mentions already.
type Mentioner interface {
	Item
	// Mentions lists what the item names in this way.
	Mentions() []Link
}

// OwnedItem is an Item of a kind of which there is so much that no Directory holds it: it is read by its ID
// or with the others of its owner.
type OwnedItem interface {
	Item
	// Owner is what the record belongs to: a video, or a thing of a kind that comes before the record's
	// own. ID "": it belongs to nothing. A record is stored only where its owner is; deleting a video
	// deletes its records, any other owner stays as long as it has some.
	Owner() Link
}

// Link is one reference of an item to another, with the field that holds it ("subjects[1]").
type Link struct {
	Kind  Kind
	ID    ID
	Field string
}

// New returns an empty item of a kind, nil for a kind that there is not.
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

// The longest texts, in characters, and lists, in elements, that a record may hold.
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
