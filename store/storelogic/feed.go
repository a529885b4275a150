package storelogic

import (
	"math"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// FeedReach is how many videos a page of the feed examines for each requested reference.
const FeedReach = 5

// UpdatedFrom returns the earliest update time that a query accepts, in the unit of the column, microseconds. It rounds
// up, so that the page contains no older videos.
func UpdatedFrom(query store.FeedQuery) int64 {
	if query.UpdatedFrom.IsZero() {
		return math.MinInt64
	}
	return query.UpdatedFrom.Add(time.Microsecond - 1).UnixMicro()
}

// FeedWalk builds a page of the feed for a caller with access rules, which must examine each video.
type FeedWalk struct {
	Page store.FeedPage

	query store.FeedQuery
	// left is how many videos the walk may still examine.
	left int
}

// NewFeedWalk starts a page at the place of the query.
func NewFeedWalk(query store.FeedQuery) *FeedWalk {
	query.Size = max(1, query.Size)
	return &FeedWalk{Page: store.FeedPage{Next: query.After}, query: query, left: query.Size * FeedReach}
}

// Take examines the next video in the order of sequences and reports whether the page is complete; in that case it used
// this video only to set More. due is false if the engine knows that the video is not on the page; its state then needs
// no traits.
func (w *FeedWalk) Take(state catalogue.State, due bool) (enough bool) {
	if len(w.Page.Refs) == w.query.Size || w.left == 0 {
		w.Page.More = true
		return true
	}
	w.left--
	w.Page.Next = state.Sequence
	if due && state.VisibleTo(w.query.Access, w.query.Today) {
		w.Page.Refs = append(w.Page.Refs, state.Ref)
	}
	return false
}

// Likely estimates, from the videos examined so far, how many calls of Take complete the page.
func (w *FeedWalk) Likely() int {
	looked := w.query.Size*FeedReach - w.left
	missing := w.query.Size - len(w.Page.Refs)
	if looked > 0 {
		missing = missing * looked / max(1, len(w.Page.Refs))
	}
	return min(missing, w.left) + 1
}
