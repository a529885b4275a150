package collection

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Permissions is what a caller is to collections: what decides who may do what with which.
type Permissions struct {
	// Account is the caller's; "": the caller is nobody, and reads what anybody may find of the operator's.
	Account string
	// User is the caller's user; "": none.
	User string
	// Any: the caller may see and change every collection.
	Any bool
	// Only, sorted, are the collections that the caller's access rules name, whoever's they are; nil: they name
	// none. Beside the caller's own, no others are there then.
	Only []catalogue.ID
	// Saved: the user has saved the collection that is asked about.
	Saved bool
}

// Reads reports whether the caller may read a collection. What the caller may not read is not there.
func (s Permissions) Reads(c *Collection) bool {
	if s.Account == "" && !s.Any {
		return c.Service && c.Discoverable
	}
	return s.Any || c.OwnedBy(s.User) || s.admits(c)
}

func (s Permissions) admits(c *Collection) bool {
	if s.Only == nil {
		return c.Service || c.Account == s.Account
	}
	_, named := slices.BinarySearch(s.Only, c.ID)
	return named
}

// Changes reports whether the caller may change everything of a collection, and delete it.
func (s Permissions) Changes(c *Collection) bool { return s.Any || c.OwnedBy(s.User) }

// Edits reports whether the caller may change title, description, subjects and videos.
func (s Permissions) Edits(c *Collection) bool {
	return s.Changes(c) || s.shares(c) && c.Anyone == Edit
}

// Owns reports whether the caller says what others may do with a collection: its owner; of one that is no
// user's, whoever may change it.
func (s Permissions) Owns(c *Collection) bool { return c.OwnedBy(s.User) || s.Any && c.Owner == "" }

// Discusses reports whether the caller may comment on the videos of a collection, and sees comments on them.
func (s Permissions) Discusses(c *Collection) bool { return s.Changes(c) || s.shares(c) }

// SeesComment reports whether the caller sees a comment: all of those on what the caller may change or shares
// with others of the account; those who saved one of the operator's or of another account see their own.
func (s Permissions) SeesComment(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment) || s.shares(c) && c.Account == s.Account && !c.Service
}

// SeesEmail reports whether the caller sees the address of who made a comment.
func (s Permissions) SeesEmail(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment)
}

// Withdraws reports whether the caller may remove a comment.
func (s Permissions) Withdraws(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment)
}

// Saves reports whether a collection is one that the user may save: another's.
func (s Permissions) Saves(c *Collection) bool { return s.User != "" && !c.OwnedBy(s.User) }

func (s Permissions) shares(c *Collection) bool { return s.Saved && s.Saves(c) && s.Reads(c) }

func (s Permissions) wrote(comment *Comment) bool { return s.User != "" && comment.UserID == s.User }
