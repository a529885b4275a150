package cache

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// feedKey is a comparable FeedQuery.
type feedKey struct {
	after       int64
	size        int
	seconds     int64 // of UpdatedFrom
	nanoseconds int
	access      string // Access.Fingerprint, because equal rules may have different pointers
	today       catalogue.Date
}

// feedPage is a page and the head of the log before the page was read.
type feedPage struct {
	store.FeedPage
	head store.Position
}

// weight returns the approximate memory of a page in bytes.
func (p *feedPage) weight() uint32 {
	const entry, ref = 300, 32 + catalogue.IDLength
	return uint32(entry + ref*len(p.Refs))
}

// Feed implements store.Catalogue. It reads the head of the primary's log on each call, and returns a cached page only
// if the head has not moved. The references are shared: callers must not change them.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	begun := c.guard.begin()
	head, err := c.Head(ctx)
	if err != nil {
		return store.FeedPage{}, err
	}
	key := feedKey{
		after: query.After, size: query.Size,
		seconds: query.UpdatedFrom.Unix(), nanoseconds: query.UpdatedFrom.Nanosecond(),
		access: query.Access.Fingerprint(), today: query.Today,
	}
	if known, ok := c.pages.GetIfPresent(key); ok && known.head == head {
		c.lookups.feed.add(1, 0)
		return known.FeedPage, nil
	}
	c.lookups.feed.add(0, 1)
	page, err := c.Catalogue.Feed(ctx, query)
	if err != nil {
		return store.FeedPage{}, err
	}
	c.guard.keep(begun, func() { c.pages.Set(key, feedPage{FeedPage: page, head: head}) })
	return page, nil
}
