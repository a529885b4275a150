package storetest

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var feedTests = map[string]func(h *catalogueFixture){
	"in the order of first insert": testFeedOrder,
	"visible videos":               testFeedVisible,
	"updated from":                 testFeedUpdatedFrom,
	"pages with little on them":    testFeedSparse,
	"empty":                        testFeedEmpty,
}

// walk follows the feed to its end and returns the references that it contains.
func (h *catalogueFixture) walk(query store.FeedQuery) (refs []catalogue.Ref) {
	h.Helper()
	for range 10_000 {
		page, err := h.Feed(h.ctx, query)
		h.must(err)
		if len(page.Refs) > query.Size {
			h.Fatalf("a page of %d has %d references", query.Size, len(page.Refs))
		}
		refs = append(refs, page.Refs...)
		if !page.More {
			return refs
		}
		if page.Next <= query.After {
			h.Fatalf("behind %d comes a page that starts at %d", query.After, page.Next)
		}
		query.After = page.Next
	}
	h.Fatal("the walk does not end")
	return nil
}

// wantWalk checks that walks with several page sizes return the videos with these numbers.
func (h *catalogueFixture) wantWalk(name string, query store.FeedQuery, numbers ...int) {
	h.Helper()
	want := videoIDs(numbers...)
	for _, query.Size = range []int{1, 2, 3, 1000} {
		var got []catalogue.ID
		for _, ref := range h.walk(query) {
			got = append(got, ref.ID)
			if s := h.state(ref.ID); s.Ref != ref {
				h.Errorf("%s: the feed says %s, the state %s", name, ref, s.Ref)
			}
		}
		if !slices.Equal(got, want) {
			h.Errorf("%s, by %d: got %v, want %v", name, query.Size, got, want)
		}
	}
}

func testFeedEmpty(h *catalogueFixture) {
	h.wantWalk("nothing there", store.FeedQuery{})
	h.put(channel(1), video(1))
	page, err := h.Feed(h.ctx, store.FeedQuery{After: h.video(videoIDs(1)[0]).Sequence, Size: 10})
	if err != nil || page.More || len(page.Refs) > 0 {
		h.Errorf("behind the last video: %v (%v)", page, err)
	}
}

func testFeedOrder(h *catalogueFixture) {
	h.put(append([]catalogue.Item{channel(1)}, video(3), video(1), video(4))...)
	h.put(video(2))
	changed := video(3)
	changed.Title = "Another"
	h.put(changed)
	h.wantWalk("after a change", store.FeedQuery{}, 3, 1, 4, 2)
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.put(video(1))
	h.wantWalk("deleted and made anew", store.FeedQuery{}, 3, 4, 2, 1)
}

func testFeedVisible(h *catalogueFixture) {
	private := channel(2)
	private.Private = true
	hidden, until, retired := video(2), video(3), video(4)
	hidden.ChannelID, until.AvailableUntil, retired.Retired = private.ID, new(catalogue.Date(20_000)), true
	h.put(channel(1), private, video(1), hidden, until, retired, video(5))
	all := catalogue.Access{PrivateChannels: true}
	h.wantWalk("a plain caller", store.FeedQuery{Today: 19_999}, 1, 3, 5)
	h.wantWalk("on the last day", store.FeedQuery{Today: 20_000}, 1, 3, 5)
	h.wantWalk("after it", store.FeedQuery{Today: 20_001}, 1, 5)
	h.wantWalk("with access", store.FeedQuery{Today: 19_999, Access: all}, 1, 2, 3, 5)
	h.wantWalk("with access, after it", store.FeedQuery{Today: 20_001, Access: all}, 1, 2, 5)
}

func testFeedUpdatedFrom(h *catalogueFixture) {
	first := h.clock.tick()
	h.put(channel(1), video(1), video(2))
	second := h.clock.tick()
	changed := video(1)
	changed.Title = "Another"
	h.put(video(3), changed)
	h.wantWalk("all", store.FeedQuery{UpdatedFrom: first}, 1, 2, 3)
	h.wantWalk("at the very time", store.FeedQuery{UpdatedFrom: second}, 1, 3)
	h.wantWalk("in another zone", store.FeedQuery{UpdatedFrom: second.In(time.FixedZone("", 7200))}, 1, 3)
	h.wantWalk("a nanosecond later", store.FeedQuery{UpdatedFrom: second.Add(1)})
	h.wantWalk("later", store.FeedQuery{UpdatedFrom: second.Add(time.Microsecond)})
	h.wantWalk("long ago", store.FeedQuery{UpdatedFrom: time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC)}, 1, 2, 3)
}

// testFeedSparse stores many hidden videos between a few visible ones.
func testFeedSparse(h *catalogueFixture) {
	h.put(channel(1))
	items := videos(1, 200)
	for i, item := range items {
		item.(*catalogue.Video).Retired = i != 0 && i != 120
	}
	h.put(items...)
	h.wantWalk("sparse", store.FeedQuery{}, 1, 121)
}
