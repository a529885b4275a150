package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var logTests = map[string]func(h *catalogueFixture){
	"one entry for each write":     testLogEntries,
	"in portions":                  testLogPortions,
	"a rollback leaves no entries": testLogRollback,
	"trimmed":                      testTrim,
}

func testLogEntries(h *catalogueFixture) {
	if h.head() != 0 || len(h.changes(0)) != 0 {
		h.Errorf("an empty catalogue is at %d", h.head())
	}
	h.put(channel(1), video(1))
	h.tryPut(video(1), channel(1))
	changed := video(1)
	changed.Title = "Another"
	h.put(changed)
	want := []store.Change{
		{Kind: catalogue.KindChannel, ID: idOf(catalogue.KindChannel, 1)},
		{Kind: catalogue.KindVideo, ID: idOf(catalogue.KindVideo, 1)},
		{Kind: catalogue.KindVideo, ID: idOf(catalogue.KindVideo, 1)},
	}
	got := h.changes(0)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(store.Change{}, "Position")); diff != "" {
		h.Fatal("(-want +got):\n", diff)
	}
	if last := got[2].Position; last != h.head() || last != h.video(changed.ID).Version {
		h.Errorf("the last entry is at %d, the head at %d, the version is %d", last, h.head(), h.video(changed.ID).Version)
	}
	if got[0].Position < 1 || got[0].Position >= got[1].Position || got[1].Position >= got[2].Position {
		h.Errorf("positions %v", got)
	}
}

func testLogPortions(h *catalogueFixture) {
	h.put(append([]catalogue.Item{channel(1)}, videos(1, 9)...)...)
	want := h.changes(0)
	var (
		got   []store.Change
		after store.Position
	)
	for after < h.head() {
		part, err := h.Changes(h.ctx, after, 3)
		h.must(err)
		if len(part) == 0 || len(part) > 3 {
			h.Fatalf("%d entries after %d", len(part), after)
		}
		got = append(got, part...)
		after = part[len(part)-1].Position
	}
	if !slices.Equal(got, want) {
		h.Errorf("got %v, want %v", got, want)
	}
	if rest := h.changes(after); len(rest) > 0 {
		h.Errorf("behind the head there are %v", rest)
	}
}

func testLogRollback(h *catalogueFixture) {
	h.put(channel(1), video(1))
	before := h.changes(0)
	err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, videos(2, 5))
		return errors.Join(err, errPlanned)
	})
	h.wantError("Write", err, errPlanned)
	if got := h.changes(0); !slices.Equal(got, before) || h.head() != before[len(before)-1].Position {
		h.Errorf("got %v at %d, want %v", got, h.head(), before)
	}
	h.put(video(6))
	got := h.changes(0)
	if len(got) != 3 || got[2].Position != h.head() || h.head() <= before[1].Position {
		h.Errorf("after the next write: %v, at %d", got, h.head())
	}
}

// testTrim checks that the log is complete after trimming. An engine may keep more entries than it is asked to.
func testTrim(h *catalogueFixture) {
	h.must(h.Trim(h.ctx, 0))
	h.put(append([]catalogue.Item{channel(1)}, videos(1, 19)...)...)
	whole := h.changes(0)
	for _, keep := range []int{100, 20, 7, 1, 0} {
		h.must(h.Trim(h.ctx, keep))
		if h.head() != whole[19].Position {
			h.Fatalf("keep %d: the head moved to %d", keep, h.head())
		}
		for i := range whole {
			got, err := h.Changes(h.ctx, whole[i].Position, 100)
			switch rest := whole[i+1:]; {
			case err == nil && slices.Equal(got, rest):
			case errors.Is(err, store.ErrTrimmed) && len(rest) > keep && len(got) == 0:
			default:
				h.Errorf("keep %d: %d entries (%v) instead of %d", keep, len(got), err, len(rest))
			}
		}
	}
	head := h.head()
	h.put(video(20))
	if got := h.changes(head); len(got) != 1 || got[0].Position <= head {
		h.Errorf("after the next write: %v", got)
	}
}
