package storetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var _ = testing.Short

// testValues: what was put comes back whole, whatever the way.
func testValues(h *house) {
	h.put(everything()...)
	now := h.clock.tick()
	want := fullVideo(1)
	want.Transcript = pointer("Archimedes\nbathed.")
	h.put(want)
	if want.Version != h.head() || want.Sequence < 1 || !want.UpdatedAt.Equal(now) || !want.HasTranscript {
		h.Fatalf("put left version %d, sequence %d, time %s, transcript %t", want.Version, want.Sequence, want.UpdatedAt, want.HasTranscript)
	}
	scanned, err := h.Scan(h.ctx(), 0, 10)
	h.must(err)
	if diff := cmp.Diff([]*catalogue.Video{want}, scanned); diff != "" {
		h.Error("Scan (-want +got):\n", diff)
	}
	want.Transcript = nil
	if diff := cmp.Diff(want, h.video(want.ID)); diff != "" {
		h.Error("Videos (-want +got):\n", diff)
	}
	h.write(func(ctx context.Context, tx store.Tx) {
		items, err := tx.Items(ctx, catalogue.KindVideo, []catalogue.ID{want.ID})
		h.must(err)
		if diff := cmp.Diff(map[catalogue.ID]catalogue.Item{want.ID: want}, items); diff != "" {
			h.Error("Items (-want +got):\n", diff)
		}
	})
}
