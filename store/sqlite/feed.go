package sqlite

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// feedReach is how many videos one page looks at for each reference that it may return.
const feedReach = 5

// One stretch of the feed comes as one row: how many videos were looked at, the last of them, and
// the references of those that are seen, in the order of the walk, which is that of the primary key.
// Handing over a thousand rows would cost twice as much as finding them. The condition is
// catalogue.State.VisibleTo in SQL; the suite holds the two against each other.
var (
	selectFeed = define(`
		SELECT COUNT(*), IFNULL(MAX(seq), 0), IFNULL(GROUP_CONCAT(
			CASE WHEN retired = 0 AND updated_at >= ?3 AND (available_until IS NULL OR available_until >= ?4)
				AND (?5 OR channel NOT IN (SELECT number FROM entities WHERE private = 1))
			THEN id || ':' || version END, ' '), '')
		FROM (SELECT * FROM videos WHERE seq > ?1 ORDER BY seq LIMIT ?2)`)
	hasVideoBehind = define(`SELECT EXISTS (SELECT 1 FROM videos WHERE seq > ?)`)
)

// Feed implements store.Catalogue. One page looks at no more than five videos for each reference
// asked for; it has More only where there is a video behind it, seen or not.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (page store.FeedPage, err error) {
	query.Size = max(1, query.Size)
	page.Next = query.After
	err = c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			left := query.Size * feedReach
			for len(page.Refs) < query.Size && left > 0 {
				// As many as are missing, so that no reference is read that the page cannot hold.
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

// feedStretch goes on with a page by some videos, and returns how many there were.
func (s *session) feedStretch(ctx context.Context, query store.FeedQuery, videos int, page *store.FeedPage) (looked int, err error) {
	from := int64(math.MinInt64)
	if !query.UpdatedFrom.IsZero() {
		from = micros(query.UpdatedFrom.Add(time.Microsecond - 1)) // rounded up: what is older stays out
	}
	err = s.query(ctx, selectFeed, func(rows *sql.Rows) error {
		var (
			last int64
			refs string
		)
		if err := rows.Scan(&looked, &last, &refs); err != nil || looked == 0 {
			return err
		}
		page.Next = last
		for text := range strings.FieldsSeq(refs) {
			if ref, ok := catalogue.ParseRef(text); ok {
				page.Refs = append(page.Refs, ref)
			}
		}
		return nil
	}, page.Next, videos, from, int64(query.Today), flag(query.Access.PrivateChannels))
	return looked, err
}
