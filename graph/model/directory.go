package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Subject is a subject with its links.
type Subject struct{ stored *catalogue.Subject }

// NewSubject returns the view of a subject, or nil if stored is nil.
func NewSubject(stored *catalogue.Subject) *Subject {
	if stored == nil {
		return nil
	}
	return &Subject{stored}
}

func (s *Subject) ID() catalogue.ID                        { return s.stored.ID }
func (s *Subject) Name() string                            { return s.stored.Name }
func (s *Subject) Categories() []catalogue.SubjectCategory { return s.stored.Categories }
func (s *Subject) Links() Links                            { return selfOf("subject", s.stored.ID, account.Browse) }

// MarketSegments returns the market segments that the subject is intended for.
func (s *Subject) MarketSegments() []catalogue.MarketSegment { return s.stored.MarketSegments }

// Discipline is a discipline with the subjects to show.
type Discipline struct {
	stored   *catalogue.Discipline
	subjects []*Subject
}

// NewDiscipline returns the view of a discipline with the given subjects.
func NewDiscipline(stored *catalogue.Discipline, subjects []*Subject) *Discipline {
	return &Discipline{stored: stored, subjects: orEmpty(subjects)}
}

func (d *Discipline) ID() catalogue.ID     { return d.stored.ID }
func (d *Discipline) Name() string         { return d.stored.Name }
func (d *Discipline) Code() string         { return d.stored.Code }
func (d *Discipline) Subjects() []*Subject { return d.subjects }
func (d *Discipline) Links() Links         { return selfOf("discipline", d.stored.ID, account.ViewDisciplines) }

// Tag is a tag with its links.
type Tag struct{ stored *catalogue.Tag }

// NewTag returns the view of a tag, or nil if stored is nil.
func NewTag(stored *catalogue.Tag) *Tag {
	if stored == nil {
		return nil
	}
	return &Tag{stored}
}

func (t *Tag) ID() catalogue.ID      { return t.stored.ID }
func (t *Tag) Label() string         { return t.stored.Label }
func (t *Tag) UserID() *catalogue.ID { return nil }
func (t *Tag) Links() Links          { return selfOf("tag", t.stored.ID, account.ViewTags) }

// ContentWarning is a content warning with its links.
type ContentWarning struct{ stored *catalogue.ContentWarning }

// NewContentWarning returns the view of a content warning, or nil if stored is nil.
func NewContentWarning(stored *catalogue.ContentWarning) *ContentWarning {
	if stored == nil {
		return nil
	}
	return &ContentWarning{stored}
}

func (w *ContentWarning) ID() catalogue.ID { return w.stored.ID }
func (w *ContentWarning) Label() string    { return w.stored.Label }
func (w *ContentWarning) Links() Links {
	return selfOf("contentWarning", w.stored.ID, account.Browse)
}

func selfOf(kind string, id catalogue.ID, permission account.Permission) Links {
	return linksOf(Link{Rel: "self", To: kind, ID: string(id), Permission: permission})
}
