package storetest

import (
	"context"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var deleteTests = map[string]func(h *catalogueFixture){
	"a deleted video is gone":      testDeleteVideo,
	"referenced things stay":       testDeleteReferred,
	"a replacement stays":          testDeleteReplacement,
	"old references do not count":  testDeleteAfterChange,
	"deleted and made anew":        testRecreate,
	"unknown ids are ignored":      testDeleteUnknown,
	"entries of the log":           testDeleteLog,
	"delete and put in one go":     testDeleteAndPut,
	"links do not pass to the new": testNoInheritedLinks,
}

func testDeleteVideo(h *catalogueFixture) {
	v := fullVideo(1)
	v.Transcript = new("text")
	h.put(append(everything(), v, video(2))...)
	if kept := h.delete(catalogue.KindVideo, videoIDs(1, 1)...); len(kept) > 0 {
		h.Fatalf("kept %v", kept)
	}
	list, err := h.Videos(h.ctx, videoIDs(1))
	h.must(err)
	states, err := h.States(h.ctx, videoIDs(1))
	h.must(err)
	texts, err := h.Transcripts(h.ctx, videoIDs(1))
	h.must(err)
	aliases, err := h.Aliases(h.ctx, []string{v.LegacyID})
	h.must(err)
	scanned, err := h.Scan(h.ctx, 0, 10)
	h.must(err)
	count, err := h.CountVideos(h.ctx)
	h.must(err)
	if len(list)+len(states)+len(texts)+len(aliases) > 0 || len(scanned) != 1 || count != 1 {
		h.Errorf("left: %d videos, %d states, %d transcripts, %d aliases; scanned %d, counted %d",
			len(list), len(states), len(texts), len(aliases), len(scanned), count)
	}
}

// testDeleteReferred checks that each kind of object cannot be deleted while another object refers to it, and can be
// deleted afterwards.
func testDeleteReferred(h *catalogueFixture) {
	in := channel(1)
	in.ContractID, in.EducationLevels = new(idOf(catalogue.KindContract, 1)), []string{level(1).Code}
	h.put(everything()...)
	h.put(in, fullVideo(1))
	deleteAll := func() (kept []catalogue.Kind) {
		for _, item := range everything() {
			if len(h.delete(item.Kind(), item.Head().ID)) > 0 {
				kept = append(kept, item.Kind())
			}
		}
		return kept
	}
	// Nothing refers to the discipline.
	want := []catalogue.Kind{
		catalogue.KindContract, catalogue.KindEducationLevel, catalogue.KindTag, catalogue.KindContentWarning,
		catalogue.KindSubject, catalogue.KindTopic, catalogue.KindChannel,
	}
	if got := deleteAll(); !slices.Equal(got, want) {
		h.Errorf("with a video: kept %v, want %v", got, want)
	}
	h.put(discipline(1, idOf(catalogue.KindSubject, 1)))
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	// In this order, the contract, the level and the subject are requested before the objects that refer to them, so
	// they are kept.
	want = []catalogue.Kind{catalogue.KindContract, catalogue.KindEducationLevel, catalogue.KindSubject}
	if got := deleteAll(); !slices.Equal(got, want) {
		h.Errorf("without the video: kept %v, want %v", got, want)
	}
	if got := deleteAll(); len(got) > 0 {
		h.Errorf("at last: kept %v", got)
	}
}

// testDeleteReplacement checks that a video cannot be deleted while a retired video names it as its replacement, unless
// both are deleted together.
func testDeleteReplacement(h *catalogueFixture) {
	into := func(n, replacement int) *catalogue.Video {
		v := video(n)
		v.Retired, v.RetiredInto = true, new(idOf(catalogue.KindVideo, replacement))
		return v
	}
	h.put(channel(1), into(1, 2), into(2, 3), into(4, 3), video(3), video(5))
	keeps := func(want []catalogue.ID, ids ...catalogue.ID) {
		h.Helper()
		if kept := h.delete(catalogue.KindVideo, ids...); !slices.Equal(kept, want) {
			h.Errorf("of %v kept %v, want %v", ids, kept, want)
		}
	}
	keeps(videoIDs(3), videoIDs(3, 5)...)
	keeps(videoIDs(2, 3), videoIDs(2, 3)...) // 1 refers to 2, so 2 stays, and therefore 3
	if states, err := h.States(h.ctx, videoIDs(1, 2, 3, 4, 5)); err != nil || len(states) != 4 {
		h.Fatalf("there are %v (%v)", states, err)
	}
	keeps(nil, videoIDs(4)...)
	keeps(nil, videoIDs(3, 1, 2)...)
	// Two videos that name each other as replacement block each other's deletion. They can be deleted together.
	h.put(into(6, 7), into(7, 6))
	keeps(videoIDs(6), videoIDs(6)...)
	keeps(nil, videoIDs(6, 7)...)
	// A video that is no longer retired does not block any deletion.
	h.put(into(8, 9), video(9))
	h.put(video(8))
	keeps(nil, videoIDs(9)...)
}

func testDeleteAfterChange(h *catalogueFixture) {
	h.put(everything()...)
	h.put(channel(2), subject(2), contract(2), fullVideo(1))
	moved := fullVideo(1)
	moved.ChannelID, moved.SubjectIDs = idOf(catalogue.KindChannel, 2), []catalogue.ID{idOf(catalogue.KindSubject, 2)}
	onOld, onNew := channel(2), channel(2)
	onOld.ContractID, onNew.ContractID = new(idOf(catalogue.KindContract, 1)), new(idOf(catalogue.KindContract, 2))
	h.put(moved, discipline(1), onOld)
	h.put(onNew)
	for kind, left := range map[catalogue.Kind]int{catalogue.KindChannel: 1, catalogue.KindSubject: 1, catalogue.KindContract: 1} {
		kept := h.delete(kind, idOf(kind, 1), idOf(kind, 2))
		if want := []catalogue.ID{idOf(kind, 2)}; !slices.Equal(kept, want) {
			h.Errorf("%s: kept %v, want the second, %d", kind, kept, left)
		}
	}
}

func testRecreate(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2))
	old := h.video(idOf(catalogue.KindVideo, 2))
	h.delete(catalogue.KindVideo, old.ID)
	gone := h.head()
	h.wantStatuses([]catalogue.Item{video(2)}, store.Added)
	v := h.video(old.ID)
	if v.Sequence <= old.Sequence || v.Version <= gone {
		h.Errorf("sequence %d after %d, version %d after %d", v.Sequence, old.Sequence, v.Version, gone)
	}
}

func testDeleteUnknown(h *catalogueFixture) {
	h.put(everything()...)
	head := h.head()
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	h.delete(catalogue.KindTopic, idOf(catalogue.KindTag, 1))
	h.delete(catalogue.KindVideo, idOf(catalogue.KindTag, 1))
	h.delete(catalogue.KindTag)
	if h.head() != head || !h.directory().Has(catalogue.KindTag, idOf(catalogue.KindTag, 1)) {
		h.Error("something was deleted")
	}
}

func testDeleteLog(h *catalogueFixture) {
	h.put(channel(1), tag(1), video(1), video(2))
	head := h.head()
	h.delete(catalogue.KindVideo, videoIDs(2, 9, 1)...)
	h.delete(catalogue.KindTag, idOf(catalogue.KindTag, 1))
	want := []store.Change{
		{Position: head + 1, Kind: catalogue.KindVideo, ID: idOf(catalogue.KindVideo, 2), Deleted: true},
		{Position: head + 2, Kind: catalogue.KindVideo, ID: idOf(catalogue.KindVideo, 1), Deleted: true},
		{Position: head + 3, Kind: catalogue.KindTag, ID: idOf(catalogue.KindTag, 1), Deleted: true},
	}
	if diff := cmp.Diff(want, h.changes(head)); diff != "" {
		h.Error("(-want +got):\n", diff)
	}
}

func testDeleteAndPut(h *catalogueFixture) {
	h.put(channel(1), subject(1), video(1))
	with := video(1)
	with.SubjectIDs = []catalogue.ID{idOf(catalogue.KindSubject, 1)}
	h.must(h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Delete(ctx, catalogue.KindSubject, []catalogue.ID{idOf(catalogue.KindSubject, 1)}); err != nil {
			return err
		}
		outcomes, err := tx.Put(ctx, []catalogue.Item{with, subject(1), with})
		if err != nil {
			return err
		}
		if outcomes[0].Status != store.Rejected || outcomes[1].Status != store.Added || outcomes[2].Status != store.Changed {
			h.Errorf("got %v", outcomes)
		}
		kept, err := tx.Delete(ctx, catalogue.KindSubject, []catalogue.ID{idOf(catalogue.KindSubject, 1)})
		if len(kept) != 1 {
			h.Error("a subject that the transaction referred to was deleted")
		}
		return err
	}))
}

// testNoInheritedLinks checks that an object created under an old ID has none of the old object's links, and that the
// fan-out of the old object ends.
func testNoInheritedLinks(h *catalogueFixture) {
	h.put(channel(1), subject(1), discipline(1, idOf(catalogue.KindSubject, 1)))
	renamed := subject(1)
	renamed.Name = "Another"
	h.put(renamed, discipline(1))
	h.delete(catalogue.KindSubject, renamed.ID)
	h.put(subject(1))
	if kept := h.delete(catalogue.KindSubject, renamed.ID); len(kept) > 0 {
		h.Error("the new subject inherited a link")
	}
	if more, err := h.FanOut(h.ctx, 10); more || err != nil {
		h.Errorf("the fan-out of a deleted subject continues (%v)", err)
	}
}
