package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

func openTest(t *testing.T) *Catalogue {
	t.Helper()
	c, err := OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// plainVideos returns a channel and n of its videos. Every keep-th video is not retired.
func plainVideos(n, keep int) []catalogue.Item {
	in := &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindChannel, "", "c")}, Name: "Channel"}
	items := []catalogue.Item{in}
	for i := range n {
		items = append(items, &catalogue.Video{
			Meta: catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindVideo, "", fmt.Sprint(i))}, Title: "Video", Type: catalogue.News,
			Playback:  catalogue.Playback{ID: "p", Provider: catalogue.ProviderYouTube},
			ChannelID: in.ID, Retired: i%keep != 0,
		})
	}
	return items
}

func putAll(ctx context.Context, c *Catalogue, items []catalogue.Item) error {
	return c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, items)
		return err
	})
}

// TestFeedReach checks that a page examines at most five videos per reference.
func TestFeedReach(t *testing.T) {
	c := openTest(t)
	if err := putAll(t.Context(), c, plainVideos(100, 40)); err != nil {
		t.Fatal(err)
	}
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

// TestTrimForgets checks that Trim keeps exactly the given number of entries, whether or not it deletes in chunks.
func TestTrimForgets(t *testing.T) {
	c := openTest(t)
	const entries = 2*storelogic.TrimmedAtOnce + 5
	for range 3 {
		if err := putAll(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := putAll(t.Context(), c, plainVideos(entries-1, 1)); err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{entries + 1, entries, entries - 1, 3, 0, 0, -1} {
		if err := c.Trim(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		changes, err := c.Changes(t.Context(), int64(entries-min(max(keep, 0), entries)), entries)
		if err != nil || len(changes) != min(max(keep, 0), entries) {
			t.Errorf("keep %d: %d entries are left (%v)", keep, len(changes), err)
		}
		if keep < entries {
			if _, err := c.Changes(t.Context(), int64(entries-max(keep, 0)-1), 1); err != store.ErrTrimmed {
				t.Errorf("keep %d: one more is left (%v)", keep, err)
			}
		}
	}
}

// TestBehindTheLog checks that a follower whose position is from another, longer log must start again.
func TestBehindTheLog(t *testing.T) {
	c := openTest(t)
	if err := putAll(t.Context(), c, plainVideos(2, 1)); err != nil {
		t.Fatal(err)
	}
	if changes, err := c.Changes(t.Context(), 4, 10); err != store.ErrTrimmed {
		t.Errorf("got %v, %v", changes, err)
	}
}

// TestDiskFull checks that a write on a full disk fails with Unavailable and leaves no changes.
func TestDiskFull(t *testing.T) {
	c := openTest(t)
	if err := putAll(t.Context(), c, plainVideos(10, 1)); err != nil {
		t.Fatal(err)
	}
	s := <-c.writer
	pages, err := s.number(t.Context(), &sqlstore.Statement{SQLite: `PRAGMA page_count`})
	if err == nil {
		_, err = s.number(t.Context(), &sqlstore.Statement{SQLite: fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+5)})
	}
	c.writer <- s
	if err != nil {
		t.Fatal(err)
	}
	if err := putAll(t.Context(), c, plainVideos(1000, 1)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if n, err := c.CountVideos(t.Context()); err != nil || n != 10 {
		t.Errorf("there are %d videos (%v)", n, err)
	}
	if err := putAll(t.Context(), c, plainVideos(10, 2)); err != nil {
		t.Errorf("a small write: %v", err)
	}
}

// TestFault checks that other faults of the engine have the code internal.
func TestFault(t *testing.T) {
	c := openTest(t)
	err := c.read(t.Context(), func(s *session) error {
		_, err := s.number(t.Context(), &sqlstore.Statement{SQLite: `SELECT 1 FROM nowhere`})
		return err
	})
	if fault.CodeOf(err) != fault.Internal {
		t.Errorf("got %v", err)
	}
	err = c.read(t.Context(), func(s *session) error {
		_, err := s.Exec(t.Context(), &sqlstore.Statement{SQLite: `DELETE FROM outbox WHERE position <= ?`}, 1)
		return err
	})
	if fault.CodeOf(err) != fault.Internal {
		t.Errorf("a reader can write: %v", err)
	}
}

// TestDurable checks that without test options, every connection waits for the disk.
func TestDurable(t *testing.T) {
	c := openTest(t)
	check := func(s *session) error {
		level, err := s.number(t.Context(), &sqlstore.Statement{SQLite: `PRAGMA synchronous`})
		if level != 2 {
			t.Errorf("synchronous is %d", level)
		}
		return err
	}
	if err := c.write(t.Context(), check); err != nil {
		t.Error(err)
	}
	if err := c.read(t.Context(), check); err != nil {
		t.Error(err)
	}
}

// TestDeleteLeavesNothing checks that a delete leaves no row in any table except the log.
func TestDeleteLeavesNothing(t *testing.T) {
	c := openTest(t)
	items := plainVideos(20, 1)
	text := "text"
	ids := map[catalogue.Kind][]catalogue.ID{}
	for _, item := range items {
		if v, ok := item.(*catalogue.Video); ok {
			v.Transcript = &text
		}
		ids[item.Kind()] = append(ids[item.Kind()], item.Head().ID)
	}
	err := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Put(ctx, items); err != nil {
			return err
		}
		for _, kind := range []catalogue.Kind{catalogue.KindVideo, catalogue.KindChannel} {
			if kept, err := tx.Delete(ctx, kind, ids[kind]); err != nil || len(kept) > 0 {
				return fmt.Errorf("kept %v: %w", kept, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"entities", "entity_links", "videos", "video_bodies", "video_transcripts", "video_links", "fan_outs"} {
		err := c.read(t.Context(), func(s *session) error {
			rows, err := s.number(t.Context(), &sqlstore.Statement{SQLite: "SELECT COUNT(*) FROM " + table})
			if rows > 0 {
				t.Errorf("%s holds %d rows", table, rows)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
