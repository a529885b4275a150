package storetest

import (
	"context"
	"slices"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

func schools(from, to int) (items []catalogue.Item) {
	for n := from; n <= to; n++ {
		items = append(items, school(n, 0))
	}
	return items
}

func testRecordsSince(h *catalogueFixture) {
	h.put(district(1))
	h.put(schools(1, 9)...)
	start := h.head()
	h.put(school(12, 0), school(11, 0))
	changed := school(5, 1)
	h.put(changed, district(2), school(10, 0))
	want := []catalogue.ID{
		idOf(catalogue.KindSchool, 12), idOf(catalogue.KindSchool, 11), idOf(catalogue.KindSchool, 5), idOf(catalogue.KindSchool, 10),
	}
	for _, limit := range []int{1, 3, 4, 100} {
		if got := idsOfRecords(h.since(catalogue.KindSchool, start, limit)); !slices.Equal(got, want) {
			h.Errorf("%d at a time: got %v, want %v", limit, got, want)
		}
	}
	if all := h.since(catalogue.KindSchool, 0, 5); len(all) != 12 {
		h.Errorf("from the start there are %d", len(all))
	}
	for _, limit := range []int{0, -1} {
		if some, err := h.OwnedItemsSince(h.ctx, catalogue.KindSchool, 0, limit); err != nil || len(some) > 0 {
			h.Errorf("limit %d: %d records (%v)", limit, len(some), err)
		}
	}
}

func testRecordPortions(h *catalogueFixture) {
	const most = 10_000
	h.put(schools(1, most+1)...)
	part, err := h.OwnedItemsSince(h.ctx, catalogue.KindSchool, 0, 1_000_000)
	h.must(err)
	if len(part) != most {
		h.Fatalf("%d records at once", len(part))
	}
	rest, err := h.OwnedItemsSince(h.ctx, catalogue.KindSchool, part[most-1].Head().Version, 1_000_000)
	h.must(err)
	if len(rest) != 1 {
		h.Errorf("%d records are left", len(rest))
	}
	h.wantCount(catalogue.KindSchool, most+1, h.head())
}

// testRecordWalk checks that a reader that walks through the records while others write has seen the newest version of
// every record at the end.
func testRecordWalk(h *catalogueFixture) {
	const writers, writes = 4, 12
	h.put(schools(1, 20)...)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		together(writers, func(w int) {
			for i := range writes {
				err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
					changed := school(1+(w+i)%20, 0)
					changed.Name = "Another"
					if i%2 == 0 {
						changed.Name = "A third"
					}
					from := 100 + (w*writes+i)*5
					if _, err := tx.Put(ctx, append(schools(from, from+4), changed)); err != nil || i%4 < 3 {
						return err
					}
					return errPlanned
				})
				if err != nil && i%4 < 3 {
					h.Error(err)
				}
			}
		})
	}()
	met, after := map[catalogue.ID]int64{}, store.Position(0)
	for ended := false; ; {
		part, err := h.OwnedItemsSince(h.ctx, catalogue.KindSchool, after, 7)
		h.must(err)
		for _, record := range part {
			if record.Head().Version <= after {
				h.Fatalf("version %d comes after %d", record.Head().Version, after)
			}
			after = record.Head().Version
			met[record.Head().ID] = after
		}
		if len(part) == 0 && ended {
			break
		}
		select {
		case <-finished:
			ended = true
		default:
		}
	}
	want := map[catalogue.ID]int64{}
	for _, record := range h.since(catalogue.KindSchool, 0, 1000) {
		want[record.Head().ID] = record.Head().Version
	}
	if diff := cmp.Diff(want, met); diff != "" || len(met) != 20+writers*writes/4*3*5 {
		h.Errorf("met %d (-want +got):\n%s", len(met), diff)
	}
}

func testCountRecords(h *catalogueFixture) {
	for _, kind := range append(catalogue.RecordKinds(), catalogue.KindVideo, "") {
		h.wantCount(kind, 0, 0)
	}
	h.put(district(1), school(1, 1), school(2, 0), school(2, 1), school(1, 1))
	at := h.head()
	h.wantCount(catalogue.KindSchool, 2, at)
	h.wantCount(catalogue.KindDistrict, 1, at-3)
	h.put(owners()...)
	h.wantCount(catalogue.KindSchool, 2, at)
	h.tryPut(school(3, 404))
	h.delete(catalogue.KindSchool, idOf(catalogue.KindSchool, 2), idOf(catalogue.KindSchool, 2), idOf(catalogue.KindSchool, 9))
	h.wantCount(catalogue.KindSchool, 1, at-2)
	h.delete(catalogue.KindSchool, idOf(catalogue.KindSchool, 1))
	h.wantCount(catalogue.KindSchool, 0, 0)
	h.put(school(1, 0))
	h.reopen()
	h.wantCount(catalogue.KindSchool, 1, h.head())
	together(3, func(w int) {
		for n := range 5 {
			if err := PutAll(h.ctx, h.Catalogue, []catalogue.Item{school(10+w*5+n, 0)}); err != nil {
				h.Error(err)
			}
		}
	})
	h.wantCount(catalogue.KindSchool, 16, h.head())
}

func testDeleteRecords(h *catalogueFixture) {
	h.put(owners()...)
	h.put(recordItems(allRecords())...)
	var (
		all  = allRecords()
		want []store.Change
		head = h.head()
	)
	slices.Reverse(all)
	for _, record := range all {
		kind, id := record.Kind(), record.Head().ID
		if kept := h.delete(kind, id, id, idOf(kind, 404)); len(kept) > 0 {
			h.Errorf("kept %s %v", kind, kept)
		}
		left := len(h.records(kind, id)) + len(h.since(kind, 0, 10))
		if owner := record.Owner(); owner.ID != "" {
			left += len(h.recordsOf(kind, owner.ID))
		}
		if left > 0 {
			h.Errorf("of kind %s there is something left", kind)
		}
		head++
		want = append(want, store.Change{Position: head, Kind: kind, ID: id, Deleted: true})
		if kind.MovesVideo() {
			head++
			want = append(want, store.Change{Position: head, Kind: catalogue.KindVideo, ID: videoIDs(1)[0]})
		}
	}
	if diff := cmp.Diff(want, h.changes(want[0].Position-1)); diff != "" {
		h.Error("(-want +got):\n", diff)
	}
	again := allRecords()
	h.put(recordItems(again)...)
	if again[5].Head().Version <= head {
		h.Errorf("a record that was created again has version %d after %d", again[5].Head().Version, head)
	}
}

// testOwnersStay checks that a provider with themes and a district with schools cannot be deleted until the themes and
// schools are deleted.
func testOwnersStay(h *catalogueFixture) {
	h.put(provider(1), provider(2), theme(1, 1), district(1), district(2), school(1, 1))
	head := h.head()
	for _, kind := range []catalogue.Kind{catalogue.KindProvider, catalogue.KindDistrict} {
		kept := h.delete(kind, idOf(kind, 2), idOf(kind, 1), idOf(kind, 404))
		if !slices.Equal(kept, []catalogue.ID{idOf(kind, 1)}) {
			h.Errorf("%s: kept %v", kind, kept)
		}
	}
	if h.head() != head+2 {
		h.Errorf("the log is at %d after %d", h.head(), head)
	}
	h.put(district(3), school(1, 3))
	h.delete(catalogue.KindTheme, idOf(catalogue.KindTheme, 1))
	for _, kind := range []catalogue.Kind{catalogue.KindProvider, catalogue.KindDistrict} {
		if kept := h.delete(kind, idOf(kind, 1)); len(kept) > 0 {
			h.Errorf("%s: kept %v", kind, kept)
		}
	}
}

func testVideosTakeRecords(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), video(3), provider(1), theme(1, 1))
	h.put(captions(1, "eng", "a"), captions(1, "nob", "b"), material(1), highlight(1, 1), highlight(2, 2), material(2), captions(2, "eng", "c"))
	kept, head := h.video(videoIDs(2)[0]), h.head()
	if got := h.delete(catalogue.KindVideo, videoIDs(3, 1, 1)...); len(got) > 0 {
		h.Errorf("kept %v", got)
	}
	gone := map[catalogue.Kind]int{}
	changes := h.changes(head)
	for _, change := range changes {
		gone[change.Kind]++
		if change.Deleted != (change.Kind != catalogue.KindTheme) {
			h.Errorf("the log says %v", change)
		}
	}
	want := map[catalogue.Kind]int{
		catalogue.KindCaptions: 2, catalogue.KindMaterial: 1, catalogue.KindHighlight: 1, catalogue.KindVideo: 2,
		catalogue.KindTheme: 1, // the theme named one of the videos
	}
	if diff := cmp.Diff(want, gone); diff != "" {
		h.Error("entries (-want +got):\n", diff)
	}
	for _, kind := range []catalogue.Kind{catalogue.KindCaptions, catalogue.KindMaterial, catalogue.KindHighlight} {
		left := h.since(kind, 0, 10)
		if len(left) != 1 || left[0].Owner().ID != kept.ID || len(h.recordsOf(kind, videoIDs(1)...)) > 0 {
			h.Fatalf("of kind %s there are %d left", kind, len(left))
		}
		h.wantCount(kind, 1, left[0].Head().Version)
	}
	if diff := cmp.Diff(kept, h.video(kept.ID)); diff != "" {
		h.Error("the other video (-want +got):\n", diff)
	}
	h.put(video(1))
	if h.video(videoIDs(1)[0]).HasCaptions || len(h.recordsOf(catalogue.KindHighlight, videoIDs(1)...)) > 0 {
		h.Error("a video made anew has the old one's records")
	}
}

// testCaptionsTogether puts the captions of one video concurrently. Each put changes the version of the video.
func testCaptionsTogether(h *catalogueFixture) {
	h.put(channel(1), video(1))
	var all sync.WaitGroup
	for _, language := range []catalogue.Language{"eng", "nob", "deu", "fra"} {
		all.Go(func() {
			for n := range 5 {
				err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
					if n%2 == 1 {
						_, err := tx.Delete(ctx, catalogue.KindCaptions, []catalogue.ID{captions(1, language, "").ID})
						return err
					}
					_, err := tx.Put(ctx, []catalogue.Item{captions(1, language, "text")})
					return err
				})
				if err != nil {
					h.Error(err)
				}
			}
		})
	}
	all.Wait()
	if v := h.video(videoIDs(1)[0]); !v.HasCaptions || v.Version != h.head() || len(h.recordsOf(catalogue.KindCaptions, v.ID)) != 4 {
		h.Errorf("the video has captions: %t, version %d of %d", v.HasCaptions, v.Version, h.head())
	}
}
