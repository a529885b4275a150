package collection

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Permissions describes a caller's relation to collections. It determines what the caller may do with each.
type Permissions struct {
	// Account is the caller's account; "" for an anonymous caller, who may read the operator's discoverable
	// collections.
	Account string
	// User is the caller's user ID; "" if none.
	User string
	// Any allows the caller to see and change every collection.
	Any bool
	// Only lists, in ascending order, the collections that the caller's access rules name, regardless of their owner;
	// nil if the rules name none. If it is not nil, the caller sees only these and its own collections.
	Only []catalogue.ID
	// Saved reports whether the user has saved the collection in question.
	Saved bool
}

// Reads reports whether the caller may read a collection. Otherwise it is reported as not found.
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

// Changes reports whether the caller may change all fields of a collection and delete it.
func (s Permissions) Changes(c *Collection) bool { return s.Any || c.OwnedBy(s.User) }

// Edits reports whether the caller may change title, description, subjects and videos.
func (s Permissions) Edits(c *Collection) bool {
	return s.Changes(c) || s.shares(c) && c.Anyone == Edit
}

// Owns reports whether the caller decides what others may do with a collection: its owner, or, if no user owns it, a
// caller with Any.
func (s Permissions) Owns(c *Collection) bool { return c.OwnedBy(s.User) || s.Any && c.Owner == "" }

// Discusses reports whether the caller may comment on the videos of a collection and see comments.
func (s Permissions) Discusses(c *Collection) bool { return s.Changes(c) || s.shares(c) }

// SeesComment reports whether the caller sees a comment: every comment in a collection that the caller may change or
// shares within its account; only their own for users who saved a collection of the operator or of another account.
func (s Permissions) SeesComment(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment) || s.shares(c) && c.Account == s.Account && !c.Service
}

// SeesEmail reports whether the caller sees the e-mail address of a comment's author.
func (s Permissions) SeesEmail(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment)
}

// Withdraws reports whether the caller may delete a comment.
func (s Permissions) Withdraws(c *Collection, comment *Comment) bool {
	return s.Changes(c) || s.wrote(comment)
}

// Saves reports whether the user may save a collection, which must belong to someone else.
func (s Permissions) Saves(c *Collection) bool { return s.User != "" && !c.OwnedBy(s.User) }

func (s Permissions) shares(c *Collection) bool { return s.Saved && s.Saves(c) && s.Reads(c) }

func (s Permissions) wrote(comment *Comment) bool { return s.User != "" && comment.UserID == s.User }
