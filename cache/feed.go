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
	access      string // Access.Fingerprint: equal rules may have different addresses
	today       catalogue.Date
}

// feedPage is a page and the position of the log before it was read.
type feedPage struct {
	store.FeedPage
	head store.Position
}

// weight returns about how many bytes a page keeps in memory.
func (p *feedPage) weight() uint32 {
	const entry, ref = 300, 32 + catalogue.IDLength
	return uint32(entry + ref*len(p.Refs))
}

// Feed implements store.Catalogue. A page is used as long as the head of the primary's log, which is read each time, has not
// moved. The references are shared: callers must not change them.
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
