package sqlite

import (
	"context"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Each chunk of the feed is one row: the number of examined videos, the last of them, and the references of visible
// videos, in the order of the primary key. Returning a thousand rows would cost twice as much as finding them. The
// condition is catalogue.State.VisibleTo in SQL; the tests compare the two.
var (
	selectFeed = define(`
		SELECT COUNT(*), IFNULL(MAX(seq), 0), IFNULL(GROUP_CONCAT(
			CASE WHEN retired = 0 AND updated_at >= ?3 AND (available_until IS NULL OR available_until >= ?4)
				AND (?5 OR channel NOT IN (SELECT number FROM entities WHERE private = 1))
			THEN id || ':' || version END, ' '), '')
		FROM (SELECT * FROM videos WHERE seq > ?1 ORDER BY seq LIMIT ?2)`)
	hasVideoBehind = define(`SELECT EXISTS (SELECT 1 FROM videos WHERE seq > ?)`)
)

// Feed implements store.Catalogue. One page examines at most five videos for each requested reference. More is set only
// if there is a later video, visible or not.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (page store.FeedPage, err error) {
	if query.Access.Rules != nil {
		return c.FeedByRules(ctx, query)
	}
	query.Size = max(1, query.Size)
	page.Next = query.After
	err = c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			left := query.Size * storelogic.FeedReach
			for len(page.Refs) < query.Size && left > 0 {
				// The chunk is as large as the number of missing references, so that no reference is read that does not
				// fit on the page.
				stretch := min(left, query.Size-len(page.Refs))
				looked, err := s.feedStretch(ctx, query, stretch, &page)
				if err != nil || looked < stretch {
					return err
				}
				left -= looked
			}
			behind, err := s.number(ctx, hasVideoBehind, page.Next)
			page.More = behind == 1
			return err
		})
	})
	if err != nil {
		return store.FeedPage{}, err
	}
	return page, nil
}

// feedStretch adds one chunk of videos to a page and returns how many videos it examined.
func (s *session) feedStretch(ctx context.Context, query store.FeedQuery, videos int, page *store.FeedPage) (looked int, err error) {
	err = s.Query(ctx, selectFeed, func(row sqlstore.Row) error {
		var (
			last int64
			refs string
		)
		if err := row.Scan(&looked, &last, &refs); err != nil || looked == 0 {
			return err
		}
		page.Next = last
		for text := range strings.FieldsSeq(refs) {
			if ref, ok := catalogue.ParseRef(text); ok {
				page.Refs = append(page.Refs, ref)
			}
		}
		return nil
	}, page.Next, videos, storelogic.UpdatedFrom(query), int64(query.Today), query.Access.PrivateChannels)
	return looked, err
}
