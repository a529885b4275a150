package store

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// RemovalQuery selects one page of removed videos.
type RemovalQuery struct {
	// After is RemovalPage.Next of the previous page; the zero value: the start.
	After RemovalPlace
	// Size is the maximum number of removals to return, at least 1.
	Size int
	// From keeps removals at or after this time; zero: all.
	From  time.Time
	Today catalogue.Date
}

// RemovalPlace is a place in a walk through removed videos. The walk merges two lists, each with its own order: videos
// that a write removed, and videos whose last day has passed since they were written. A removal that is written during
// a walk therefore comes after the current place.
type RemovalPlace struct {
	// At, in microseconds since 1970, and Position identify the last removal by a write that the walk returned.
	At       int64
	Position Position
	// Until and ID are the last day and the ID of the last video that the walk returned because its last day had
	// passed.
	Until catalogue.Date
	ID    catalogue.ID
}

// RemovalPage is one page of removed videos, the earliest first.
type RemovalPage struct {
	Removals []catalogue.Removal
	// Next is the After of the next page. More reports whether there is a next page.
	Next RemovalPlace
	More bool
}
