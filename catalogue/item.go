package catalogue

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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
	Validate() FieldErrors
	// Links lists what the item refers to.
	Links() []Link
}

// Record is an Item of a kind of which there is so much that no Directory holds it: it is read by its ID
// or with the others of its owner.
type Record interface {
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

// faults gathers FieldErrors.
type faults struct{ list FieldErrors }

func (f *faults) add(field, format string, args ...any) {
	f.list = append(f.list, FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

func (f *faults) text(field, value string, least, most int) {
	switch n := utf8.RuneCountInString(value); {
	case !utf8.ValidString(value):
		f.add(field, "is not valid UTF-8")
	case least > 0 && f.lacks(field, value):
	case n < least:
		f.add(field, "has %d characters, at least %d are needed", n, least)
	case n > most:
		f.add(field, "has %d characters, at most %d are allowed", n, most)
	case strings.ContainsFunc(value, forbiddenControl):
		f.add(field, "holds a control character")
	}
}

// lacks notes and reports that a value, which must be given, is blank.
func (f *faults) lacks(field, value string) bool {
	blank := strings.TrimSpace(value) == ""
	if blank {
		f.add(field, "is required")
	}
	return blank
}

func (f *faults) optional(field string, value *string, most int) {
	if value != nil {
		f.text(field, *value, 0, most)
	}
}

// filledIn stands in for the parameters of a stream address, which are no part of an address.
var filledIn = strings.NewReplacer("{thumbnailWidth}", "1", "{thumbnailCount}", "1")

func (f *faults) url(field, value string) {
	if f.lacks(field, value) {
		return
	}
	plain := filledIn.Replace(value)
	u, err := url.Parse(plain)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		len(value) > MaxURLLength || !utf8.ValidString(value) {
		f.add(field, "%q is not an absolute http or https address", shorten(value))
	}
}

func (f *faults) optionalURL(field, value string) {
	if value != "" {
		f.url(field, value)
	}
}

func (f *faults) length(field string, n int) {
	if n > MaxListLength {
		f.add(field, "has %d elements, at most %d are allowed", n, MaxListLength)
	}
}

func forbiddenControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

func shorten(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

func listed[T ~string](f *faults, field string, value T, allowed []T) {
	if !slices.Contains(allowed, value) {
		f.add(field, "%q is not one of %v", shorten(string(value)), allowed)
	}
}

func linksTo(kind Kind, field string, ids []ID) []Link {
	links := make([]Link, len(ids))
	for i, id := range ids {
		links[i] = Link{Kind: kind, ID: id, Field: fmt.Sprintf("%s[%d]", field, i)}
	}
	return links
}

func checkThema(f *faults, field string, codes []string) {
	f.length(field, len(codes))
	for i, code := range codes {
		f.thema(fmt.Sprintf("%s[%d]", field, i), code)
	}
}

func (f *faults) thema(field, code string) {
	if f.lacks(field, code) {
		return
	}
	if len(code) > 12 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		f.add(field, "%q is not a Thema code", shorten(code))
	}
}
