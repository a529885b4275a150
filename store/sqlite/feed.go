package sqlite

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// feedReach is how many videos one page looks at for each reference that it may return.
const feedReach = 5

// The rule of what is seen is catalogue.State.VisibleTo, applied in Go; the statement reads what
// the rule needs, of the small rows only.
var selectFeed = define(`
	SELECT seq, id, version, updated_at, available_until, retired,
		channel IN (SELECT number FROM entities WHERE private = 1)
	FROM videos WHERE seq > ? ORDER BY seq LIMIT ?`)

// Feed implements store.Catalogue. One page looks at no more than five videos for each reference
// asked for.
func (c *Catalogue) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	size := max(1, query.Size)
	reach := size * feedReach
	page := store.FeedPage{Next: query.After}
	from := int64(math.MinInt64)
	if !query.UpdatedFrom.IsZero() {
		from = micros(query.UpdatedFrom.Add(time.Microsecond - 1)) // rounded up: what is older stays out
	}
	err := c.read(ctx, func(s *session) error {
		met := 0
		return s.query(ctx, selectFeed, func(rows *sql.Rows) error {
			if met++; met > reach || len(page.Refs) == size {
				page.More = true
				return errEnough
			}
			var (
				state   catalogue.State
				updated int64
			)
			err := rows.Scan(&state.Sequence, &state.ID, &state.Version, &updated, &state.AvailableUntil,
				&state.Retired, &state.Private)
			if err != nil {
				return err
			}
			page.Next = state.Sequence
			if updated >= from && state.VisibleTo(query.Access, query.Today) {
				page.Refs = append(page.Refs, state.Ref)
			}
			return nil
		}, query.After, reach+1)
	})
	if err != nil {
		return store.FeedPage{}, err
	}
	return page, nil
}
