package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Subject is a subject with its links.
type Subject struct{ *catalogue.Subject }

// NewSubject returns the view of a subject, or nil if stored is nil.
func NewSubject(stored *catalogue.Subject) *Subject {
	if stored == nil {
		return nil
	}
	return &Subject{stored}
}

func (s *Subject) Links() Links { return selfOf("subject", s.ID, account.Browse) }

// Discipline is a discipline with the subjects to show.
type Discipline struct {
	*catalogue.Discipline
	subjects []*Subject
}

// NewDiscipline returns the view of a discipline with the given subjects.
func NewDiscipline(stored *catalogue.Discipline, subjects []*Subject) *Discipline {
	return &Discipline{Discipline: stored, subjects: orEmpty(subjects)}
}

func (d *Discipline) Subjects() []*Subject { return d.subjects }
func (d *Discipline) Links() Links         { return selfOf("discipline", d.ID, account.ViewDisciplines) }

// Tag is a tag with its links.
type Tag struct{ *catalogue.Tag }

// NewTag returns the view of a tag, or nil if stored is nil.
func NewTag(stored *catalogue.Tag) *Tag {
	if stored == nil {
		return nil
	}
	return &Tag{stored}
}

func (t *Tag) UserID() *catalogue.ID { return nil }
func (t *Tag) Links() Links          { return selfOf("tag", t.ID, account.ViewTags) }

// ContentWarning is a content warning with its links.
type ContentWarning struct{ *catalogue.ContentWarning }

// NewContentWarning returns the view of a content warning, or nil if stored is nil.
func NewContentWarning(stored *catalogue.ContentWarning) *ContentWarning {
	if stored == nil {
		return nil
	}
	return &ContentWarning{stored}
}

func (w *ContentWarning) Links() Links {
	return selfOf("contentWarning", w.ID, account.Browse)
}

func selfOf(kind string, id catalogue.ID, permission account.Permission) Links {
	return linksOf(Link{Rel: "self", To: kind, ID: string(id), Permission: permission})
}
