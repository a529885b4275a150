package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// feedReach is how many videos one page looks at for each reference that it may return.
const feedReach = 5

// One page of the feed comes as one row. The server looks at one video after another until the page
// is full or has looked at enough; only then does it search for the end of what it has looked at. The
// condition is catalogue.State.VisibleTo in SQL; the suite holds the two against each other.
var selectFeed = define(`
	WITH page AS MATERIALIZED (
		SELECT seq, id, version
		FROM (SELECT * FROM videos WHERE seq > $1 ORDER BY seq LIMIT $2) AS looked
		WHERE NOT retired AND updated_at >= $4 AND (available_until IS NULL OR available_until >= $5)
			AND ($6 OR channel NOT IN (SELECT number FROM entities WHERE private))
		ORDER BY seq LIMIT $3
	), walked AS MATERIALIZED (
		SELECT CASE WHEN (SELECT COUNT(*) FROM page) = $3 THEN (SELECT MAX(seq) FROM page)
			ELSE (SELECT COALESCE(MAX(seq), $1) FROM (SELECT seq FROM videos WHERE seq > $1 ORDER BY seq LIMIT $2) AS looked)
		END AS seq
	)
	SELECT walked.seq, (SELECT v.seq FROM videos AS v WHERE v.seq > walked.seq ORDER BY v.seq LIMIT 1) IS NOT NULL,
		ARRAY(SELECT id FROM page ORDER BY seq), ARRAY(SELECT version FROM page ORDER BY seq)
	FROM walked`)

// Feed implements store.Catalogue. One page looks at no more than five videos for each reference
// asked for; it has More only where there is a video behind it, seen or not.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (page store.FeedPage, err error) {
	size := max(1, query.Size)
	from := int64(math.MinInt64)
	if !query.UpdatedFrom.IsZero() {
		from = micros(query.UpdatedFrom.Add(time.Microsecond - 1)) // rounded up: what is older stays out
	}
	err = c.read(ctx, func(p *pipeline) {
		p.ask(selectFeed, func(rows pgx.Rows) (err error) {
			page, err = scanFeed(rows)
			return err
		}, query.After, int64(size)*feedReach, int64(size), from, int32(query.Today), query.Access.PrivateChannels)
	})
	if err != nil {
		return store.FeedPage{}, err
	}
	return page, nil
}

func scanFeed(rows pgx.Rows) (page store.FeedPage, err error) {
	var (
		ids      []string
		versions []int64
	)
	if err := rows.Scan(&page.Next, &page.More, &ids, &versions); err != nil {
		return page, err
	}
	for i, id := range ids {
		page.Refs = append(page.Refs, catalogue.Ref{ID: catalogue.ID(id), Version: versions[i]})
	}
	return page, nil
}
