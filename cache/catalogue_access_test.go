package cache_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// hiding returns the access of a package that excludes videos.
func hiding(tb testing.TB, names ...string) catalogue.Access {
	tb.Helper()
	rule := catalogue.AccessRule{Type: catalogue.ExcludedVideos}
	for _, name := range names {
		rule.Values = append(rule.Values, string(id(catalogue.KindVideo, name)))
	}
	access, err := catalogue.CompileRules([]catalogue.AccessRule{rule})
	if err != nil {
		tb.Fatal(err)
	}
	return access
}

// TestFeedPagesBelongToRules checks that callers with equal rules share a feed page, although their rules were compiled
// separately, and that callers with other rules do not.
func TestFeedPagesBelongToRules(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.cached, newVideo(w, "a", "A"), newVideo(w, "b", "B"), newVideo(w, "c", "C"))
	ask := func(access catalogue.Access, refs int) func() {
		return func() {
			t.Helper()
			if page := w.feed(w.cached, store.FeedQuery{Size: 10, Access: access}); len(page.Refs) != refs {
				t.Errorf("%+v: got %d references, want %d", access, len(page.Refs), refs)
			}
		}
	}
	w.wantReads("rules", 1, ask(hiding(t, "a", "b"), 1))
	w.wantReads("the same rules, compiled anew", 0, ask(hiding(t, "b", "a"), 1))
	w.wantReads("other rules", 1, ask(hiding(t, "a"), 2))
	w.wantReads("no rules", 1, ask(catalogue.Access{}, 3))
	w.wantReads("private channels too", 1, ask(catalogue.Access{PrivateChannels: true}, 3))
	all := hiding(t, "a")
	all.PrivateChannels = true
	w.wantReads("rules and private channels", 1, ask(all, 2))
}

// TestStatesFollowCategories checks that the state of a video follows the categories of its channel.
func TestStatesFollowCategories(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.cached, newVideo(w, "a", "A"))
	w.passChanges()
	for _, writer := range []store.Catalogue{w.cached, w.other} {
		for _, codes := range [][]string{{"JN"}, {"JN", "YP"}, nil} {
			w.states(w.cached, "a") // The cache remembers the state.
			channel := newChannel("channel", "A channel", false)
			channel.Categories = codes
			w.put(writer, channel)
			if writer == w.other {
				w.passChanges()
			}
			w.same(fmt.Sprint("with categories ", codes))
			if got := w.states(w.cached, "a")[0].Categories; len(got) != len(codes) {
				t.Errorf("got categories %v, want %v", got, codes)
			}
		}
	}
}

// TestLongStatesCountForSeveral checks that MaxStateBytes bounds memory, no matter how long the lists of the videos are.
func TestLongStatesCountForSeveral(t *testing.T) {
	const videos, kept = 40, 100
	for name, c := range map[string]struct {
		categories int
		most       int64 // most is the largest number of videos that the cache may remember.
	}{"short": {0, videos}, "long": {200, kept / 10}} {
		t.Run(name, func(t *testing.T) {
			w := open(t, cache.CatalogueOptions{MaxStateBytes: 430 * kept})
			for i := range videos {
				v := newVideo(w, fmt.Sprint(i), "A video")
				for j := range c.categories {
					v.Categories = append(v.Categories, fmt.Sprint("A", j))
				}
				w.put(w.cached, v)
			}
			pass := func() int64 {
				before := w.cached.Stats().States.Hits
				for i := range videos {
					w.states(w.cached, fmt.Sprint(i))
				}
				return w.cached.Stats().States.Hits - before
			}
			pass()
			if c.categories == 0 {
				if hits := pass(); hits != videos {
					t.Errorf("%d of %d states are remembered", hits, videos)
				}
				return
			}
			// The cache evicts the excess in the background.
			deadline := time.Now().Add(10 * time.Second)
			for hits := pass(); hits > c.most; hits = pass() {
				if time.Now().After(deadline) {
					t.Fatalf("%d long states are remembered, room is for %d", hits, c.most)
				}
			}
		})
	}
}
