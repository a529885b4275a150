package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var movedVideoTests = map[string]func(h *catalogueFixture){
	"captions come and go":                 testCaptionsComeAndGo,
	"a video that is put again keeps them": testCaptionsKept,
	"highlights":                           testHighlightsMoveVideos,
	"other records move no video":          testOthersMoveNone,
	"once for each call":                   testMovedOnce,
	"videos in the same call":              testMovedInTheSameCall,
	"several captions deleted at once":     testCaptionsDeletedTogether,
	"captions written by several":          testCaptionsTogether,
}

// wantMoved checks that the video has a new version and verifies its captions and update time.
func (h *catalogueFixture) wantMoved(what string, before *catalogue.Video, captions bool, updated time.Time) *catalogue.Video {
	h.Helper()
	after := h.video(before.ID)
	if after.HasCaptions != captions || !after.UpdatedAt.Equal(updated) || after.Version <= before.Version || after.Version != h.head() {
		h.Errorf("%s: it has captions: %t, version %d (before: %d, the log: %d), time %s, want %s",
			what, after.HasCaptions, after.Version, before.Version, h.head(), after.UpdatedAt, updated)
	}
	same := cmpopts.IgnoreFields(catalogue.Video{}, "HasCaptions")
	if diff := cmp.Diff(before, after, same, cmpopts.IgnoreFields(catalogue.Meta{}, "Version", "UpdatedAt")); diff != "" {
		h.Errorf("%s (-before +after):\n%s", what, diff)
	}
	if state := h.state(before.ID); state.Ref != after.Ref() || !state.UpdatedAt.Equal(updated) {
		h.Errorf("%s: the state is %+v", what, state)
	}
	return after
}

func testCaptionsComeAndGo(h *catalogueFixture) {
	h.put(everything()...)
	full := fullVideo(1)
	full.Transcript = new("text")
	h.put(full, video(2))
	other := h.video(videoIDs(2)[0])
	v := h.video(full.ID)
	start, first := h.head(), h.clock.tick()
	h.put(captions(1, "eng", "text"))
	v = h.wantMoved("the first", v, true, first)
	h.clock.tick()
	h.put(captions(1, "nob", "tekst"))
	v = h.wantMoved("the second", v, true, first)
	h.put(captions(1, "eng", "other"))
	v = h.wantMoved("changed", v, true, first)
	head := h.head()
	h.tryPut(captions(1, "eng", "other"), captions(404, "eng", "text"))
	if h.head() != head || h.video(v.ID).Version != v.Version {
		h.Error("unchanged captions moved the video")
	}
	h.clock.tick()
	h.delete(catalogue.KindCaptions, captions(1, "eng", "").ID)
	v = h.wantMoved("one deleted", v, true, first)
	h.put(highlight(1, 1))
	v = h.wantMoved("a highlight beside", v, true, first)
	last := h.clock.tick()
	h.delete(catalogue.KindCaptions, captions(1, "nob", "").ID)
	h.wantMoved("both deleted", v, false, last)
	if diff := cmp.Diff(other, h.video(other.ID)); diff != "" {
		h.Error("another video (-want +got):\n", diff)
	}
	var kinds []catalogue.Kind
	for _, change := range h.changes(start) {
		kinds = append(kinds, change.Kind)
	}
	want := slices.Repeat([]catalogue.Kind{catalogue.KindCaptions, catalogue.KindVideo}, 6)
	want[8] = catalogue.KindHighlight
	if !slices.Equal(kinds, want) {
		h.Errorf("the log has %v", kinds)
	}
	if texts, err := h.Transcripts(h.ctx, videoIDs(1)); err != nil || texts[full.ID] != "text" {
		h.Errorf("the transcript is %q (%v)", texts[full.ID], err)
	}
	scanned, err := h.Scan(h.ctx, 0, 10)
	h.must(err)
	if len(scanned) != 2 || scanned[0].HasCaptions {
		h.Errorf("scanned %d videos", len(scanned))
	}
}

func testCaptionsKept(h *catalogueFixture) {
	h.put(channel(1), video(1), captions(1, "eng", "text"))
	head := h.head()
	again, claiming := video(1), video(2)
	h.wantStatuses([]catalogue.Item{again}, store.Unchanged)
	if !again.HasCaptions || again.Version != head {
		h.Errorf("Put set captions: %t, version %d", again.HasCaptions, again.Version)
	}
	renamed := video(1)
	renamed.Title = `"hasCaptions":true`
	h.wantStatuses([]catalogue.Item{renamed}, store.Changed)
	if stored := h.video(renamed.ID); !renamed.HasCaptions || !stored.HasCaptions || stored.Title != renamed.Title {
		h.Errorf("a new title: captions %t, stored %t", renamed.HasCaptions, stored.HasCaptions)
	}
	h.write(func(ctx context.Context, tx store.Tx) {
		items, err := tx.Items(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		outcomes, err := tx.Put(ctx, []catalogue.Item{items[renamed.ID]})
		h.must(err)
		if outcomes[0].Status != store.Unchanged {
			h.Errorf("putting back an item that was read returns %v", outcomes)
		}
	})
	claiming.HasCaptions, claiming.Title = true, `\"hasCaptions":true`
	h.put(claiming)
	if claiming.HasCaptions || h.video(claiming.ID).HasCaptions {
		h.Error("a put of the video marks it as captioned")
	}
	h.wantStatuses([]catalogue.Item{claiming}, store.Unchanged)
}

func testHighlightsMoveVideos(h *catalogueFixture) {
	first := h.clock.tick()
	h.put(channel(1), video(1), video(2))
	v, other := h.video(videoIDs(1)[0]), h.video(videoIDs(2)[0])
	h.clock.tick()
	h.put(highlight(1, 1))
	v = h.wantMoved("added", v, false, first)
	changed := highlight(1, 1)
	changed.Title = "Another"
	h.put(changed)
	v = h.wantMoved("changed", v, false, first)
	head := h.head()
	changed = highlight(1, 2)
	h.put(changed)
	if left, now := h.video(v.ID), h.wantMoved("moved to another video", other, false, first); left.Version != head+2 || now.Version != head+3 {
		h.Errorf("versions %d and %d after %d", left.Version, now.Version, head)
	}
	other = h.video(other.ID)
	h.delete(catalogue.KindHighlight, changed.ID)
	h.wantMoved("deleted", other, false, first)
}

func testOthersMoveNone(h *catalogueFixture) {
	h.put(owners()...)
	before := h.video(videoIDs(1)[0])
	h.put(material(1), theme(1, 1), district(1), school(1, 1))
	h.delete(catalogue.KindMaterial, material(1).ID)
	if diff := cmp.Diff(before, h.video(before.ID)); diff != "" {
		h.Error("(-want +got):\n", diff)
	}
}

// testMovedOnce checks that each video gets one log entry, regardless of how many records of how many videos one call
// puts, and of repetitions.
func testMovedOnce(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), video(3))
	head := h.head()
	h.put(
		highlight(1, 2), captions(1, "eng", "text"), highlight(2, 1), captions(2, "eng", "text"), captions(1, "nob", "tekst"),
		captions(1, "eng", "other"), highlight(1, 1),
	)
	entries := map[catalogue.ID]int{}
	for _, change := range h.changes(head) {
		if change.Kind == catalogue.KindVideo {
			entries[change.ID]++
			if v := h.video(change.ID); v.Version != change.Position || !v.HasCaptions {
				h.Errorf("version %d, the entry is at %d", v.Version, change.Position)
			}
		}
	}
	if want := map[catalogue.ID]int{videoIDs(1)[0]: 1, videoIDs(2)[0]: 1}; !cmp.Equal(want, entries) || h.head() != head+9 {
		h.Errorf("entries of videos: %v; the log grew by %d", entries, h.head()-head)
	}
}

func testMovedInTheSameCall(h *catalogueFixture) {
	h.put(channel(1), video(2))
	h.clock.tick()
	fresh, same, rejected := video(1), video(2), video(2)
	rejected.Title = ""
	outcomes := h.tryPut(fresh, captions(1, "eng", "text"), same, highlight(1, 2), rejected)
	if outcomes[0].Status != store.Added || outcomes[2].Status != store.Unchanged || outcomes[4].Status != store.Rejected {
		h.Errorf("got %v", outcomes)
	}
	for _, item := range []*catalogue.Video{fresh, same} {
		if diff := cmp.Diff(h.video(item.ID), item); diff != "" {
			h.Error("Put did not set the item to its stored state (-want +got):\n", diff)
		}
	}
	if !fresh.HasCaptions || same.HasCaptions || rejected.Version != 0 {
		h.Errorf("captions: %t, %t; the rejected has version %d", fresh.HasCaptions, same.HasCaptions, rejected.Version)
	}
}

func testCaptionsDeletedTogether(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), video(3), captions(1, "eng", "a"), captions(1, "nob", "b"), captions(2, "eng", "c"), captions(2, "nob", "d"), captions(3, "eng", "e"))
	head, now := h.head(), h.clock.tick()
	h.delete(catalogue.KindCaptions, captions(1, "nob", "").ID, captions(2, "nob", "").ID, captions(1, "eng", "").ID, captions(404, "eng", "").ID)
	one, two, three := h.video(videoIDs(1)[0]), h.video(videoIDs(2)[0]), h.video(videoIDs(3)[0])
	if one.HasCaptions || !one.UpdatedAt.Equal(now) || !two.HasCaptions || two.UpdatedAt.Equal(now) || !three.HasCaptions {
		h.Errorf("captions: %t at %s, %t at %s, %t", one.HasCaptions, one.UpdatedAt, two.HasCaptions, two.UpdatedAt, three.HasCaptions)
	}
	if h.head() != head+5 || max(one.Version, two.Version) != h.head() || min(one.Version, two.Version) != head+4 || three.Version > head {
		h.Errorf("the log grew by %d, versions %d, %d, %d", h.head()-head, one.Version, two.Version, three.Version)
	}
}
