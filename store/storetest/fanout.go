package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var fanOutTests = map[string]func(h *catalogueFixture){
	"changes reach the videos":               testFanOut,
	"a private channel hides its videos":     testFanOutPrivate,
	"in portions, over the end of a process": testFanOutPortions,
	"a change on top of a change":            testFanOutTwice,
	"changes and videos of one call":         testFanOutOneCall,
	"rolled back with its write":             testFanOutRollback,
}

// snapshot contains the version and update time of a video.
type snapshot struct {
	version int64
	updated time.Time
}

func (h *catalogueFixture) snapshots(numbers ...int) (all []snapshot) {
	h.Helper()
	for _, id := range videoIDs(numbers...) {
		v := h.video(id)
		all = append(all, snapshot{v.Version, v.UpdatedAt})
	}
	return all
}

// testFanOut changes each kind of object in turn. It checks that exactly the videos that show the object get a new
// version and, if their documents change, a new time.
func testFanOut(h *catalogueFixture) {
	under := channel(1)
	under.ContractID = new(idOf(catalogue.KindContract, 1))
	apart := video(2)
	apart.ChannelID = idOf(catalogue.KindChannel, 2)
	h.put(everything()...)
	h.put(under, channel(2), subject(2), contract(2), fullVideo(1), apart)
	h.fanOut()
	for _, step := range []struct {
		name  string
		shown catalogue.Shown
		item  func() catalogue.Item
	}{
		{"contract", catalogue.ShownInDocument, func() catalogue.Item { c := contract(1); c.EditingInfo = "new"; return c }},
		{"level", catalogue.ShownInDocument, func() catalogue.Item { l := level(1); l.Label = "New"; return l }},
		{"tag", catalogue.ShownInDocument, func() catalogue.Item { g := tag(1); g.Label = "New"; return g }},
		{"warning", catalogue.ShownInDocument, func() catalogue.Item { w := warning(1); w.Label = "New"; return w }},
		{"subject", catalogue.ShownInDocument, func() catalogue.Item { s := subject(1); s.Name = "New"; return s }},
		{"discipline", catalogue.ShownNowhere, func() catalogue.Item { d := discipline(1); d.Name = "New"; return d }},
		{"topic", catalogue.ShownNowhere, func() catalogue.Item { p := topic(1); p.Name = "New"; return p }},
		{"channel's notes", catalogue.ShownNowhere, func() catalogue.Item { under.Notes = "new"; return under }},
		{"channel's name", catalogue.ShownInDocument, func() catalogue.Item { under.Name = "New"; return under }},
		{"channel's categories", catalogue.ShownInSearch, func() catalogue.Item { under.Categories = []string{"AB"}; return under }},
		{"channel's distribution methods", catalogue.ShownInSearch, func() catalogue.Item {
			under.DistributionMethods = catalogue.DistributionMethods()
			return under
		}},
		{"channel's contract", catalogue.ShownInDocument, func() catalogue.Item { under.ContractID = new(idOf(catalogue.KindContract, 2)); return under }},
		{"a contract no more", catalogue.ShownNowhere, func() catalogue.Item { c := contract(1); c.EditingInfo = "newer"; return c }},
		{"another subject", catalogue.ShownNowhere, func() catalogue.Item { s := subject(2); s.Name = "Newer"; return s }},
	} {
		before := h.snapshots(1, 2)
		h.clock.tick()
		h.wantStatuses([]catalogue.Item{step.item()}, store.Changed)
		head, now := h.head(), h.clock.tick()
		h.fanOut()
		want := slices.Clone(before)
		if step.shown != catalogue.ShownNowhere {
			want[0].version = head + 1
		}
		if step.shown == catalogue.ShownInDocument {
			want[0].updated = now
		}
		if got := h.snapshots(1, 2); !slices.Equal(got, want) {
			h.Errorf("%s: got %v, want %v", step.name, got, want)
		}
		if s := h.state(videoIDs(1)[0]); s.Version != want[0].version || !s.UpdatedAt.Equal(want[0].updated) {
			h.Errorf("%s: the state says %d of %s", step.name, s.Version, s.UpdatedAt)
		}
		for _, change := range h.changes(head) {
			if change.ID != videoIDs(1)[0] || change.Position != head+1 {
				h.Errorf("%s: an entry %v", step.name, change)
			}
		}
	}
}

func testFanOutPrivate(h *catalogueFixture) {
	public := channel(1)
	h.put(public, channel(2), video(1), video(2))
	before := h.snapshots(1, 2)
	for _, private := range []bool{true, false, true} {
		public.Private = private
		h.clock.tick()
		h.put(public)
		h.fanOut()
		page, err := h.Feed(h.ctx, store.FeedQuery{Size: 10})
		h.must(err)
		if visible := len(page.Refs) == 2; visible == private || h.state(videoIDs(1)[0]).Private != private {
			h.Errorf("private %t: the feed has %d videos", private, len(page.Refs))
		}
		after := h.snapshots(1, 2)
		for i := range after {
			if after[i].version <= before[i].version || !after[i].updated.Equal(before[i].updated) {
				h.Errorf("private %t: %v became %v", private, before[i], after[i])
			}
		}
		before = after
	}
}

func testFanOutPortions(h *catalogueFixture) {
	const many = 25
	renamed := channel(1)
	h.put(append([]catalogue.Item{renamed}, videos(1, many)...)...)
	renamed.Name = "Another"
	h.put(renamed)
	start, calls := h.head(), 0
	for more := true; more; calls++ {
		before := h.head()
		if calls > many {
			h.Fatal("the fan-out does not end")
		}
		if calls == 3 {
			h.reopen()
		}
		var err error
		more, err = h.FanOut(h.ctx, 4)
		h.must(err)
		if grown := h.head() - before; grown > 4 || (more && grown == 0) {
			h.Errorf("call %d did %d videos", calls, grown)
		}
	}
	if h.head() != start+many {
		h.Errorf("%d videos were done %d times", many, h.head()-start)
	}
	for _, id := range videoIDs(1, 4, 5, many) {
		if v := h.video(id); v.Version <= start {
			h.Errorf("video %s still has version %d", v.Reference, v.Version)
		}
	}
}

// testFanOutTwice checks that an object that changes again during the fan-out of its first change reaches every video
// again, with the effects of both changes.
func testFanOutTwice(h *catalogueFixture) {
	changing := channel(1)
	h.put(append([]catalogue.Item{changing}, videos(1, 10)...)...)
	changing.Name = "Another"
	h.put(changing)
	_, err := h.FanOut(h.ctx, 6)
	h.must(err)
	changing.Categories = []string{"AB"} // alone, this change affects only search
	h.put(changing)
	second, now := h.head(), h.clock.tick()
	h.fanOut()
	for n := 1; n <= 10; n++ {
		if v := h.video(videoIDs(n)[0]); v.Version <= second || (n > 6 && !v.UpdatedAt.Equal(now)) {
			h.Errorf("video %d has version %d of %s", n, v.Version, v.UpdatedAt)
		}
	}
}

// testFanOutOneCall writes a contract, a channel and videos in one call, in all states.
func testFanOutOneCall(h *catalogueFixture) {
	deal, under := contract(1), channel(1)
	under.ContractID = &deal.ID
	h.put(deal, under, video(1))
	deal, moved := contract(1), channel(2)
	deal.EditingInfo = "new"
	moved.ContractID = &deal.ID
	other := video(2)
	other.ChannelID = moved.ID
	h.put(moved, other, deal)
	head := h.head()
	h.fanOut()
	for i, s := range h.snapshots(1, 2) {
		if s.version <= head {
			h.Errorf("video %d still has version %d", i+1, s.version)
		}
	}
}

func testFanOutRollback(h *catalogueFixture) {
	renamed := channel(1)
	h.put(renamed, video(1))
	before := h.snapshots(1)
	renamed.Name = "Another"
	h.wantError("Write", h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, []catalogue.Item{renamed})
		h.must(err)
		return errPlanned
	}), errPlanned)
	if more, err := h.FanOut(h.ctx, 10); more || err != nil {
		h.Errorf("there is work: %t (%v)", more, err)
	}
	if after := h.snapshots(1); !slices.Equal(after, before) {
		h.Errorf("%v became %v", before, after)
	}
}
