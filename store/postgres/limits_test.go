package postgres_test

import (
	"context"
	"math"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
)

// TestFeedReach checks that a page examines at most five videos per reference.
func TestFeedReach(t *testing.T) {
	c := filled(t, emptyDatabase(t), 0)
	items := videos(0, 100)
	for i, item := range items {
		item.(*catalogue.Video).Retired = i%40 != 0
	}
	must(t, put(t.Context(), c, items))
	query := store.FeedQuery{Size: 2}
	for _, want := range []struct {
		refs int
		next int64
		more bool
	}{{1, 10, true}, {0, 20, true}, {0, 30, true}, {0, 40, true}, {1, 50, true}} {
		page, err := c.Feed(t.Context(), query)
		if err != nil || len(page.Refs) != want.refs || page.Next != want.next || page.More != want.more {
			t.Errorf("behind %d: %d references, next %d, more %t (%v), want %+v", query.After, len(page.Refs), page.Next, page.More, err, want)
		}
		query.After = page.Next
	}
	query.After = 95
	if page, err := c.Feed(t.Context(), query); err != nil || page.More || page.Next != 100 {
		t.Errorf("the last page: next %d, more %t (%v)", page.Next, page.More, err)
	}
}

// TestTrimForgets checks that Trim keeps exactly the given number of entries, also if it deletes in chunks.
func TestTrimForgets(t *testing.T) {
	url := emptyDatabase(t)
	c := filled(t, url, 0)
	const entries = 25_000
	execute(t, url, "DELETE FROM outbox",
		"INSERT INTO outbox SELECT n, 'video', '', false FROM generate_series(1, 25000) AS n", "UPDATE head SET position = 25000")
	for _, keep := range []int{entries + 1, entries, entries - 1, 3, 0, 0, -1} {
		must(t, c.Trim(t.Context(), keep))
		left := min(max(keep, 0), entries)
		if changes, err := c.Changes(t.Context(), int64(entries-left), entries); err != nil || len(changes) != left {
			t.Errorf("keep %d: %d entries are left (%v)", keep, len(changes), err)
		}
		if keep < entries {
			if _, err := c.Changes(t.Context(), int64(entries-left-1), 1); err != store.ErrTrimmed {
				t.Errorf("keep %d: one more is left (%v)", keep, err)
			}
		}
	}
	if changes, err := c.Changes(t.Context(), entries+1, 1); err != store.ErrTrimmed {
		t.Errorf("behind the log: %v (%v)", changes, err)
	}
}

// TestLostConnection checks that a connection lost during a write or at its commit returns Unavailable and leaves no
// changes.
func TestLostConnection(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	c := filled(t, throughOf(t, url, link.Addr), 0)
	for name, cut := range map[string]func(ctx context.Context, tx store.Tx) error{
		"before it writes": func(ctx context.Context, tx store.Tx) error {
			link.Sever()
			_, err := tx.Put(ctx, videos(0, 100))
			return err
		},
		"before it commits": func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, videos(0, 100))
			link.Sever()
			return err
		},
	} {
		if err := c.Write(t.Context(), cut); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
		link.Restore()
		awaitSuccess(t, name, func(ctx context.Context) error { return put(ctx, c, nil) })
		if n, err := c.CountVideos(t.Context()); err != nil || n != 0 {
			t.Errorf("%s: there are %d videos (%v)", name, n, err)
		}
	}
	must(t, put(t.Context(), c, videos(0, 100)))
}

// TestRoundTrips checks that statements that belong together take one round trip, whatever their number.
func TestRoundTrips(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	c := filled(t, throughOf(t, url, link.Addr), 10)
	next := 0
	for name, call := range map[string]struct {
		most int
		do   func() error
	}{
		"a page":         {1, func() error { _, err := c.Videos(t.Context(), videoIDs(0, 10)); return err }},
		"a directory":    {1, func() error { _, err := c.Directory(t.Context(), 0); return err }},
		"the log":        {1, func() error { _, err := c.Changes(t.Context(), 0, 10); return err }},
		"the feed":       {1, func() error { _, err := c.Feed(t.Context(), store.FeedQuery{Size: 10}); return err }},
		"a small write":  {5, func() error { next += 1000; return put(t.Context(), c, videos(next, next+1)) }},
		"a large import": {20, func() error { next += 1000; return put(t.Context(), c, videos(next, next+1000)) }},
	} {
		trips := math.MaxInt
		for range 5 { // each connection prepares its statements at first
			before := link.RoundTrips()
			must(t, call.do())
			trips = min(trips, link.RoundTrips()-before)
		}
		t.Logf("%s: %d round trips", name, trips)
		if trips > call.most {
			t.Errorf("%s took %d round trips, want at most %d", name, trips, call.most)
		}
	}
}
