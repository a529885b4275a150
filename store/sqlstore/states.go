package sqlstore

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const (
	stateColumns = `v.id, v.version, v.seq, v.updated_at, v.available_until, e.private, v.retired, v.retired_into`
	// feedColumns are the columns of a video that access rules examine. They apply to each video separately, so they need
	// its body, unless the other columns already exclude it from the page.
	feedColumns = stateColumns + `,
		CASE WHEN NOT v.retired AND v.updated_at >= $3 AND (v.available_until IS NULL OR v.available_until >= $4)
		THEN (SELECT body FROM video_bodies WHERE seq = v.seq) END, e.body`
)

// A video inherits whether it is private, and its categories, from its channel. The statements read the channel with the
// video, so that a channel that becomes private hides its videos at once. LIMIT keeps PostgreSQL's planner from reading
// all channels to find a few.
var (
	selectStates = DefinePer(`
		SELECT `+stateColumns+`, b.body, e.body
		FROM json_each(?) AS asked
		CROSS JOIN videos AS v ON v.id = asked.value
		CROSS JOIN entities AS e ON e.number = v.channel
		CROSS JOIN video_bodies AS b ON b.seq = v.seq`, `
		SELECT `+stateColumns+`, b.body, e.body
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		JOIN videos AS v ON v.id = asked.id
		JOIN entities AS e ON e.number = v.channel
		JOIN video_bodies AS b ON b.seq = v.seq
		ORDER BY asked.place`)
	selectFeedStates = DefinePer(`
		SELECT `+feedColumns+` FROM videos AS v CROSS JOIN entities AS e ON e.number = v.channel
		WHERE v.seq > $1 ORDER BY v.seq LIMIT $2`, `
		SELECT `+feedColumns+`
		FROM (SELECT * FROM videos WHERE seq > $1 ORDER BY seq LIMIT $2) AS v
		CROSS JOIN LATERAL (SELECT private, body FROM entities WHERE number = v.channel LIMIT 1) AS e
		ORDER BY v.seq`)
)

// stateReader scans states, row after row.
type stateReader struct {
	state          catalogue.State
	updated        int64
	video, channel sql.RawBytes

	traits  storelogic.TraitsReader
	targets []any
}

func newStateReader() *stateReader {
	r := &stateReader{}
	s := &r.state
	r.targets = []any{
		(*string)(&s.Ref.ID), &s.Ref.Version, &s.Sequence, &r.updated, &s.AvailableUntil, &s.Private, &s.Retired, &s.RetiredInto,
		&r.video, &r.channel,
	}
	return r
}

// scan scans a row. A state without a body has no traits, because the statement left the body out.
func (r *stateReader) scan(row Row) (catalogue.State, error) {
	if err := row.Scan(r.targets...); err != nil {
		return catalogue.State{}, err
	}
	state := r.state
	state.UpdatedAt = instant(r.updated)
	if r.video == nil {
		return state, nil
	}
	err := r.traits.Read(&state, r.video, r.channel)
	return state, err
}

// States implements store.Catalogue.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	states := make([]catalogue.State, 0, len(ids))
	err := c.db.ReadLagging(ctx, func(c Conn) {
		askAll(ctx, c, &states, newStateReader().scan, selectStates, IDs(ids))
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}

// FeedByRules is Feed of store.Catalogue for a caller with access rules. It requests as many videos as will probably be
// enough, and more if they were not: PostgreSQL sends each row, even if it is not needed. Each statement sees a moment of
// its own, so the videos of a page may come from several moments, as they do in a walk through several pages.
func (c *Catalogue) FeedByRules(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	walk := storelogic.NewFeedWalk(query)
	for enough := false; !enough; {
		var asked, came int
		err := c.db.Read(ctx, func(ctx context.Context, c Conn) error {
			reader := newStateReader()
			asked, came = walk.Likely(), 0
			return c.Query(ctx, selectFeedStates, func(row Row) error {
				came++
				state, err := reader.scan(row)
				if err == nil && walk.Take(state, reader.video != nil) {
					enough, err = true, ErrEnough
				}
				return err
			}, walk.Page.Next, asked, storelogic.UpdatedFrom(query), int64(query.Today))
		})
		if err != nil {
			return store.FeedPage{}, err
		}
		enough = enough || came < asked
	}
	return walk.Page, nil
}
