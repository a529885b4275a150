package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// selectFeed returns one page of the feed as one row. The server examines videos in order until the page is full or it
// has examined enough; only then does it look for the end of the examined range. The condition is
// catalogue.State.VisibleTo in SQL; the test suite compares the two.
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

// Feed implements store.Catalogue. It examines at most storelogic.FeedReach videos for each requested reference. More
// is true only if a video follows the page, whether or not the caller can see it.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (page store.FeedPage, err error) {
	if query.Access.Rules != nil {
		return c.FeedByRules(ctx, query)
	}
	size := max(1, query.Size)
	err = c.read(ctx, func(p *pipeline) {
		p.ask(selectFeed, func(rows pgx.Rows) (err error) {
			page, err = scanFeed(rows)
			return err
		}, query.After, int64(size)*storelogic.FeedReach, int64(size), storelogic.UpdatedFrom(query), int32(query.Today), query.Access.PrivateChannels)
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
