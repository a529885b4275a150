package storelogic

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// FeedReach is how many videos one page of the feed looks at for each reference that it may return.
const FeedReach = 5

// FeedWalk makes a page of the feed for a caller with rules, of whom each video is asked by itself.
type FeedWalk struct {
	Page store.FeedPage

	query store.FeedQuery
	// left is how many videos may still be looked at.
	left int
}

// NewFeedWalk begins a page where the query does.
func NewFeedWalk(query store.FeedQuery) *FeedWalk {
	query.Size = max(1, query.Size)
	return &FeedWalk{Page: store.FeedPage{Next: query.After}, query: query, left: query.Size * FeedReach}
}

// Take looks at the next video in the order of sequences and reports whether the page needs no other:
// then it took this one for no more than a sign that something comes behind. Where the engine knows that
// the video is not on the page, due is false and the state needs no traits.
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

// Most is how many videos Take needs to be called with at most, so as to end the page.
func (w *FeedWalk) Most() int { return w.left + 1 }

// Likely is how many will probably do, to judge by those that were looked at: for engines that read ahead.
func (w *FeedWalk) Likely() int {
	looked := w.query.Size*FeedReach - w.left
	missing := w.query.Size - len(w.Page.Refs)
	if looked > 0 {
		missing = missing * looked / max(1, len(w.Page.Refs))
	}
	return min(missing, w.left) + 1
}
