package store

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// RemovalQuery asks for one page of removed videos.
type RemovalQuery struct {
	// After is RemovalPage.Next of the page before; the zero value: the start.
	After RemovalPlace
	// Size is the most removals to return, at least 1.
	Size int
	// From keeps what happened then or later; zero: all.
	From  time.Time
	Today catalogue.Date
}

// RemovalPlace is a place in a walk through removed videos. These are of two sorts, each with an order of its
// own, so that what is written during a walk comes behind it: those that a write removed, and those whose
// last day has passed since they were written.
type RemovalPlace struct {
	// At, in microseconds since 1970, and Position are those of the last write that was met.
	At       int64
	Position Position
	// Until and ID are the last day and the ID of the last video that was met whose day had passed.
	Until catalogue.Date
	ID    catalogue.ID
}

// RemovalPage is one page of removed videos, the earliest first.
type RemovalPage struct {
	Removals []catalogue.Removal
	// Next is where the next page starts; More says whether there is one.
	Next RemovalPlace
	More bool
}
