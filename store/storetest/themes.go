package storetest

import (
	"context"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var themeTests = map[string]func(h *catalogueFixture){
	"deleted videos leave them":                              testVideosLeaveThemes,
	"videos that stay, stay in them":                         testVideosStayInThemes,
	"a recreated video returns to themes that name it again": testVideosComeBackWhenNamed,
	"an error puts the videos back":                          testVideosPutBackInThemes,
	"themes that changed or were deleted":                    testThemesMovedOn,
}

// themeOf returns a theme of the first provider whose targets name these videos. Each topic has two targets.
func themeOf(n int, targets ...[]catalogue.ID) *catalogue.Theme {
	t := theme(n, 1)
	t.Topics = nil
	for i, videos := range targets {
		if i%2 == 0 {
			t.Topics = append(t.Topics, catalogue.ThemeTopic{Index: i / 2, Title: "T"})
		}
		topic := &t.Topics[i/2]
		topic.Targets = append(topic.Targets, catalogue.ThemeTarget{Index: i % 2, Title: "G", VideoIDs: videos})
	}
	return t
}

// targets returns the videos that each target of the stored nth theme names.
func (h *catalogueFixture) targets(n int) (targets [][]catalogue.ID) {
	h.Helper()
	for _, topic := range h.stored(n).Topics {
		for _, target := range topic.Targets {
			targets = append(targets, target.VideoIDs)
		}
	}
	return targets
}

// stored returns the nth theme.
func (h *catalogueFixture) stored(n int) *catalogue.Theme {
	h.Helper()
	records := h.records(catalogue.KindTheme, idOf(catalogue.KindTheme, n))
	if len(records) != 1 {
		h.Fatalf("there are %d of theme %d", len(records), n)
	}
	return records[0].(*catalogue.Theme)
}

// wantTargets checks which videos the targets of the nth theme name.
func (h *catalogueFixture) wantTargets(n int, want ...[]catalogue.ID) {
	h.Helper()
	if got := h.targets(n); !slices.EqualFunc(got, want, slices.Equal) {
		h.Errorf("theme %d names %v, want %v", n, got, want)
	}
}

// testVideosLeaveThemes checks that each call changes a theme that names deleted videos once, in every target, and
// keeps the order of the remaining videos. Other themes do not change.
func testVideosLeaveThemes(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), video(3), video(4), provider(1))
	h.put(
		themeOf(1, videoIDs(1, 2, 404, 3), videoIDs(2), videoIDs(3, 1), nil),
		themeOf(2, videoIDs(4, 404)), themeOf(3, videoIDs(3)), themeOf(4), captions(1, "eng", "text"),
	)
	other, head, now := h.stored(2), h.head(), h.clock.tick()
	h.delete(catalogue.KindVideo, videoIDs(2, 1, 404)...)
	h.wantTargets(1, videoIDs(404, 3), nil, videoIDs(3), nil)
	changed := h.stored(1)
	if !changed.UpdatedAt.Equal(now) || changed.Version != h.head() || changed.Title != "Theme" || len(changed.Topics) != 2 {
		h.Errorf("the theme is %+v, the log at %d", changed, h.head())
	}
	want := []store.Change{
		{Position: head + 1, Kind: catalogue.KindCaptions, ID: captions(1, "eng", "").ID, Deleted: true},
		{Position: head + 2, Kind: catalogue.KindVideo, ID: videoIDs(2)[0], Deleted: true},
		{Position: head + 3, Kind: catalogue.KindVideo, ID: videoIDs(1)[0], Deleted: true},
		{Position: head + 4, Kind: catalogue.KindTheme, ID: changed.ID},
	}
	if diff := cmp.Diff(want, h.changes(head)); diff != "" {
		h.Error("the log (-want +got):\n", diff)
	}
	h.wantCount(catalogue.KindTheme, 4, h.head())
	h.delete(catalogue.KindVideo, videoIDs(3)...)
	h.wantTargets(1, videoIDs(404), nil, nil, nil)
	h.wantTargets(3, nil)
	if diff := cmp.Diff(other, h.stored(2)); diff != "" {
		h.Error("another theme (-want +got):\n", diff)
	}
	h.reopen()
	h.delete(catalogue.KindVideo, videoIDs(4)...)
	h.wantTargets(2, videoIDs(404))
}

// testVideosStayInThemes checks that themes keep videos that are not deleted: retired videos, videos kept as
// replacements, and videos that do not exist yet.
func testVideosStayInThemes(h *catalogueFixture) {
	retired := video(2)
	retired.Retired, retired.RetiredInto = true, new(videoIDs(1)[0])
	h.put(channel(1), video(1), video(2), provider(1), themeOf(1, videoIDs(1, 2, 404)))
	h.put(retired)
	head := h.head()
	h.delete(catalogue.KindVideo, videoIDs(1, 404)...)
	if h.wantTargets(1, videoIDs(1, 2, 404)); h.head() != head {
		h.Errorf("the log grew by %d", h.head()-head)
	}
}

// testVideosComeBackWhenNamed checks that a video put under the ID of a deleted video is in no theme until a theme that
// names it is put.
func testVideosComeBackWhenNamed(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), provider(1), themeOf(1, videoIDs(1, 2)))
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.put(video(1))
	h.wantTargets(1, videoIDs(2))
	h.wantStatuses([]catalogue.Item{themeOf(1, videoIDs(2))}, store.Unchanged)
	h.wantStatuses([]catalogue.Item{themeOf(1, videoIDs(1, 2))}, store.Changed)
	h.wantTargets(1, videoIDs(1, 2))
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.wantStatuses([]catalogue.Item{themeOf(1, videoIDs(2, 1))}, store.Changed)
	h.put(video(1))
	h.wantTargets(1, videoIDs(2, 1))
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.wantTargets(1, videoIDs(2))
}

func testVideosPutBackInThemes(h *catalogueFixture) {
	h.put(channel(1), video(1), provider(1), themeOf(1, videoIDs(1)))
	head, before := h.head(), h.stored(1)
	h.wantError("Write", h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, []catalogue.Item{themeOf(2, videoIDs(1))})
		h.must(err)
		_, err = tx.Delete(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		items, err := tx.Items(ctx, catalogue.KindTheme, []catalogue.ID{idOf(catalogue.KindTheme, 2)})
		h.must(err)
		if left := items[idOf(catalogue.KindTheme, 2)].(*catalogue.Theme).Topics[0].Targets[0].VideoIDs; len(left) > 0 {
			h.Errorf("a theme of the same transaction names %v", left)
		}
		return errPlanned
	}), errPlanned)
	if diff := cmp.Diff(before, h.stored(1)); diff != "" || h.head() != head {
		h.Errorf("the log is at %d after %d (-want +got):\n%s", h.head(), head, diff)
	}
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.wantTargets(1, nil)
}

// testThemesMovedOn checks that themes that no longer name a video, or no longer exist, do not change.
func testThemesMovedOn(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), provider(1), themeOf(1, videoIDs(1)), themeOf(2, videoIDs(1), videoIDs(1, 1, 2)))
	h.put(themeOf(1, videoIDs(2)))
	h.delete(catalogue.KindTheme, idOf(catalogue.KindTheme, 2))
	head := h.head()
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	if h.wantTargets(1, videoIDs(2)); h.head() != head+1 {
		h.Errorf("the log grew by %d", h.head()-head)
	}
	h.put(themeOf(2, videoIDs(2, 2), videoIDs(2)))
	h.delete(catalogue.KindVideo, videoIDs(2)...)
	h.wantTargets(1, nil)
	h.wantTargets(2, nil, nil)
	h.wantStatuses([]catalogue.Item{themeOf(1, nil), themeOf(2, nil, nil)}, store.Unchanged, store.Unchanged)
}
