package storetest

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var readTests = map[string]func(h *catalogueFixture){
	"every field of videos round trips":            testVideosWhole,
	"every field of small items round trips":       testEntitiesWhole,
	"in the requested order, without missing ones": testOrderAsked,
	"lists that are empty or malformed":            testOddLists,
	"long lists":                                   testLongLists,
	"states follow videos and channels":            testStates,
	"aliases":                                      testAliases,
	"scan returns all in order":                    testScan,
	"directory is of one position":                 testDirectory,
	"values belong to the caller":                  testOwnership,
	"of a source":                                  testOf,
	"referring videos":                             testReferring,
	"stored values outlive the process":            testReopen,
	"the size of the catalogue":                    testCatalogueSize,
}

func testVideosWhole(h *catalogueFixture) {
	h.put(everything()...)
	now := h.clock.tick()
	want := fullVideo(1)
	want.Transcript = new("Archimedes\nbathed.")
	h.put(want)
	if want.Version != h.head() || want.Sequence < 1 || !want.UpdatedAt.Equal(now) || !want.HasTranscript {
		h.Fatalf("Put set version %d, sequence %d, time %s, transcript %t", want.Version, want.Sequence, want.UpdatedAt, want.HasTranscript)
	}
	scanned, err := h.Scan(h.ctx, 0, 10)
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

// fullEntities returns one entity of each small kind with a value in every field.
func fullEntities() []catalogue.Item {
	deal := contract(1)
	deal.Video, deal.EditingPermission = new("as it is"), new(catalogue.EditingPermission("NOT_ALLOWED"))
	deal.EditingInfo, deal.TerritoryType, deal.Territories = "none", "RESTRICTED", []string{"NO", "SE"}
	deal.AdditionalTerritoryInfo, deal.MaxLicenseDurationYears = "Nordic", new(3)
	about := subject(1)
	about.Categories = []catalogue.SubjectCategory{{Code: "PH", Description: "Physics"}}
	about.MarketSegments = []catalogue.MarketSegment{"K12"}
	from := channel(1)
	from.Description, from.OneLineDesc, from.Notes = "<all>", "one & only", "n"
	from.ContentType, from.LegalRestriction, from.Language = "films", "l", new(catalogue.Language("nob"))
	from.ContentCategories, from.Categories = []catalogue.Subtype{"INTERVIEW"}, []string{"AB"}
	from.EducationLevels, from.IngestType = []string{level(1).Code}, "MRSS"
	from.ContractID, from.Private = &deal.ID, true
	return []catalogue.Item{
		deal, level(1), tag(1), warning(1), about, discipline(1, about.ID), topic(1), from,
	}
}

func testEntitiesWhole(h *catalogueFixture) {
	want := fullEntities()
	now := h.clock.tick()
	h.put(want...)
	directory := h.directory()
	got := []catalogue.Item{
		directory.Contracts[0], directory.EducationLevels[0], directory.Tags[0], directory.ContentWarnings[0],
		directory.Subjects[0], directory.Disciplines[0], directory.Topics[0], directory.Channels[0],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.Error("Directory (-want +got):\n", diff)
	}
	for i, item := range want {
		head := item.Head()
		if head.Version != int64(i+1) || !head.UpdatedAt.Equal(now) {
			h.Errorf("%s: Put set version %d, time %s", item.Kind(), head.Version, head.UpdatedAt)
		}
		h.write(func(ctx context.Context, tx store.Tx) {
			items, err := tx.Items(ctx, item.Kind(), []catalogue.ID{head.ID})
			h.must(err)
			if diff := cmp.Diff(map[catalogue.ID]catalogue.Item{head.ID: item}, items); diff != "" {
				h.Error("Items (-want +got):\n", diff)
			}
		})
	}
}

func testOrderAsked(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 5)...)
	asked := videoIDs(4, 9, 1, 5, 8, 2)
	want := videoIDs(4, 1, 5, 2)
	list, err := h.Videos(h.ctx, asked)
	h.must(err)
	var got []catalogue.ID
	for _, v := range list {
		got = append(got, v.ID)
	}
	if !slices.Equal(got, want) {
		h.Errorf("Videos: got %v, want %v", got, want)
	}
	states, err := h.States(h.ctx, asked)
	h.must(err)
	got = nil
	for _, s := range states {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want) {
		h.Errorf("States: got %v, want %v", got, want)
	}
}

func testOddLists(h *catalogueFixture) {
	h.put(channel(1), video(1))
	odd := []catalogue.ID{"", "1", "' OR 1=1 --", `"],["`, catalogue.ID(strings.Repeat("z", 24)), "\xff", catalogue.ID(strings.Repeat("a", 100_000))}
	for _, ids := range [][]catalogue.ID{nil, {}, odd} {
		list, err := h.Videos(h.ctx, ids)
		h.must(err)
		states, err := h.States(h.ctx, ids)
		h.must(err)
		texts, err := h.Transcripts(h.ctx, ids)
		h.must(err)
		var legacy []string
		for _, id := range ids {
			legacy = append(legacy, string(id))
		}
		aliases, err := h.Aliases(h.ctx, legacy)
		h.must(err)
		if len(list)+len(states)+len(texts)+len(aliases) > 0 {
			h.Errorf("%d IDs: found %d videos, %d states, %d transcripts, %d aliases", len(ids), len(list), len(states), len(texts), len(aliases))
		}
		h.write(func(ctx context.Context, tx store.Tx) {
			for _, kind := range catalogue.Kinds() {
				items, err := tx.Items(ctx, kind, ids)
				h.must(err)
				kept, err := tx.Delete(ctx, kind, ids)
				h.must(err)
				if len(items)+len(kept) > 0 {
					h.Errorf("%s: found %d items, kept %d", kind, len(items), len(kept))
				}
			}
		})
	}
	h.tryPut()
	for _, limit := range []int{0, -1} {
		scanned, err := h.Scan(h.ctx, 0, limit)
		h.must(err)
		changes, err := h.Changes(h.ctx, 0, limit)
		h.must(err)
		if len(scanned)+len(changes) > 0 {
			h.Errorf("limit %d: %d videos, %d entries", limit, len(scanned), len(changes))
		}
	}
	if head := h.head(); head != 2 {
		h.Errorf("the log grew to %d", head)
	}
}

func testLongLists(h *catalogueFixture) {
	const many = 3000
	items := videos(1, many)
	for _, item := range items {
		item.(*catalogue.Video).LegacyID = item.Head().Reference
		item.(*catalogue.Video).Transcript = new("text of " + item.Head().Reference)
	}
	h.put(append([]catalogue.Item{channel(1)}, items...)...)
	var (
		ids    []catalogue.ID
		legacy []string
	)
	for _, item := range items {
		ids = append(ids, item.Head().ID)
		legacy = append(legacy, item.Head().Reference)
	}
	slices.Reverse(ids)
	list, err := h.Videos(h.ctx, ids)
	h.must(err)
	states, err := h.States(h.ctx, ids)
	h.must(err)
	texts, err := h.Transcripts(h.ctx, ids)
	h.must(err)
	aliases, err := h.Aliases(h.ctx, legacy)
	h.must(err)
	count, err := h.CountVideos(h.ctx)
	h.must(err)
	if len(list) != many || len(states) != many || len(texts) != many || len(aliases) != many || count != many {
		h.Fatalf("found %d videos, %d states, %d transcripts, %d aliases, counted %d", len(list), len(states), len(texts), len(aliases), count)
	}
	for i, id := range ids {
		if list[i].ID != id || states[i].ID != id || texts[id] != "text of "+list[i].Reference || aliases[list[i].Reference] != id {
			h.Fatalf("element %d is not %s", i, id)
		}
	}
	h.delete(catalogue.KindVideo, ids...)
	if count, err = h.CountVideos(h.ctx); err != nil || count != 0 {
		h.Errorf("after Delete there are %d videos (%v)", count, err)
	}
}

func testStates(h *catalogueFixture) {
	open, private := channel(1), channel(2)
	private.Private = true
	until, retired := video(2), video(3)
	until.AvailableUntil = new(catalogue.Date(20_000))
	retired.Retired, retired.RetiredInto = true, new(idOf(catalogue.KindVideo, 1))
	hidden := video(4)
	hidden.ChannelID = private.ID
	now := h.clock.tick()
	h.put(open, private, video(1), until, retired, hidden)
	for n, want := range map[int]catalogue.State{
		1: {}, 2: {AvailableUntil: until.AvailableUntil}, 3: {Retired: true, RetiredInto: retired.RetiredInto}, 4: {Private: true},
	} {
		v := h.video(idOf(catalogue.KindVideo, n))
		want.Ref, want.Sequence, want.UpdatedAt = v.Ref(), v.Sequence, now
		want.Type, want.Channel, want.Duration = v.Type, v.ChannelID, v.Playback.Duration
		if diff := cmp.Diff(want, h.state(v.ID)); diff != "" {
			h.Errorf("video %d (-want +got):\n%s", n, diff)
		}
	}
}

func testAliases(h *catalogueFixture) {
	a, b := video(1), video(2)
	a.LegacyID, b.LegacyID = "101", "0102"
	h.put(channel(1), a, b, video(3))
	want := map[string]catalogue.ID{"101": a.ID, "0102": b.ID}
	got, err := h.Aliases(h.ctx, []string{"101", "102", "0102", "", "3"})
	h.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		h.Error("(-want +got):\n", diff)
	}
	a.LegacyID, b.LegacyID = "", "103"
	h.put(a, b)
	got, err = h.Aliases(h.ctx, []string{"101", "0102", "103"})
	h.must(err)
	if diff := cmp.Diff(map[string]catalogue.ID{"103": b.ID}, got); diff != "" {
		h.Error("after a change (-want +got):\n", diff)
	}
}

func testScan(h *catalogueFixture) {
	h.put(channel(1))
	for n := 1; n <= 7; n++ {
		v := video(n)
		if n%2 == 0 {
			v.Transcript = new("about " + v.Reference)
		}
		v.Retired = n == 5
		h.put(v)
	}
	changed := video(2)
	changed.Title = "Another"
	h.put(changed)
	h.delete(catalogue.KindVideo, videoIDs(3)...)
	var (
		references []string
		after      int64
	)
	for {
		list, err := h.Scan(h.ctx, after, 2)
		h.must(err)
		if len(list) == 0 {
			break
		}
		for _, v := range list {
			if v.Sequence <= after {
				h.Fatalf("sequence %d comes after %d", v.Sequence, after)
			}
			after = v.Sequence
			references = append(references, v.Reference)
			if hasText := v.Transcript != nil; hasText != v.HasTranscript || (hasText && *v.Transcript != "about "+v.Reference) {
				h.Errorf("video %s comes with a wrong transcript", v.Reference)
			}
		}
	}
	if want := []string{"1", "2", "4", "5", "6", "7"}; !slices.Equal(references, want) {
		h.Errorf("got %v, want %v", references, want)
	}
}

func testDirectory(h *catalogueFixture) {
	if d := h.directory(); d.Position != 0 || len(d.Channels) != 0 {
		h.Errorf("an empty catalogue is at %d with %d channels", d.Position, len(d.Channels))
	}
	h.put(channel(2), channel(1), video(1))
	d, err := h.Directory(h.ctx, h.head())
	h.must(err)
	if d.Position != h.head() || len(d.Channels) != 2 || d.Channels[0].Name != "Channel 1" {
		h.Errorf("position %d with %d channels", d.Position, len(d.Channels))
	}
	if !d.Has(catalogue.KindChannel, idOf(catalogue.KindChannel, 2)) || d.Has(catalogue.KindTag, idOf(catalogue.KindChannel, 2)) {
		h.Error("Has returns a wrong result")
	}
	if _, err := h.Directory(h.ctx, h.head()+1); err == nil {
		h.Error("a position beyond the head is no error")
	}
}

func testOwnership(h *catalogueFixture) {
	h.put(everything()...)
	given := fullVideo(1)
	h.put(given)
	want := h.video(given.ID)
	spoil := func(v *catalogue.Video) {
		v.Title, v.SubjectIDs[0], v.Keywords[0], *v.AgeRange.Min, v.Attachments[0].Link = "spoilt", "spoilt", "spoilt", 99, "spoilt"
	}
	spoil(given)
	spoil(h.video(given.ID))
	h.write(func(ctx context.Context, tx store.Tx) {
		items, err := tx.Items(ctx, catalogue.KindVideo, []catalogue.ID{given.ID})
		h.must(err)
		spoil(items[given.ID].(*catalogue.Video))
	})
	scanned, err := h.Scan(h.ctx, 0, 1)
	h.must(err)
	spoil(scanned[0])
	if diff := cmp.Diff(want, h.video(given.ID)); diff != "" {
		h.Error("a change of a returned value reached the store (-want +got):\n", diff)
	}
}

func testReferring(h *catalogueFixture) {
	about := func(n int) catalogue.Item {
		v := video(n)
		v.SubjectIDs = []catalogue.ID{subject(1).ID}
		return v
	}
	h.put(channel(1), subject(1), about(1), about(2), about(3), video(4))
	referring := func(kind catalogue.Kind, id catalogue.ID, limit int) (ids []catalogue.ID) {
		h.write(func(ctx context.Context, tx store.Tx) {
			var err error
			ids, err = tx.Referring(ctx, kind, id, limit)
			h.must(err)
		})
		slices.Sort(ids)
		return ids
	}
	want := videoIDs(1, 2, 3)
	slices.Sort(want)
	one := subject(1).ID
	if got := referring(catalogue.KindSubject, one, 10); !slices.Equal(got, want) {
		h.Errorf("%v refer to the subject, not %v", got, want)
	}
	for name, list := range map[string][]catalogue.ID{
		"another kind": referring(catalogue.KindTag, one, 10), "unknown": referring(catalogue.KindSubject, "unknown", 10), "none": referring(catalogue.KindSubject, one, 0),
	} {
		if len(list) > 0 {
			h.Errorf("%s: %v", name, list)
		}
	}
	if got := len(referring(catalogue.KindChannel, channel(1).ID, 2)); got != 2 {
		h.Errorf("a limit of 2 yields %d", got)
	}
}

func testOf(h *catalogueFixture) {
	other := video(4)
	other.Source = "elsewhere"
	h.put(channel(1), subject(1), video(1), video(2), video(3), other)
	want := videoIDs(1, 2, 3)
	slices.Sort(want)
	of := func(kind catalogue.Kind, source string, after catalogue.ID, limit int) (ids []catalogue.ID) {
		h.write(func(ctx context.Context, tx store.Tx) {
			var err error
			ids, err = tx.Of(ctx, kind, source, after, limit)
			h.must(err)
		})
		return ids
	}
	for name, list := range map[string]struct{ got, want []catalogue.ID }{
		"all":       {of(catalogue.KindVideo, "test", "", 10), want},
		"first two": {of(catalogue.KindVideo, "test", "", 2), want[:2]},
		"the rest":  {of(catalogue.KindVideo, "test", want[1], 2), want[2:]},
		"elsewhere": {of(catalogue.KindVideo, "elsewhere", "", 10), videoIDs(4)},
		"nowhere":   {of(catalogue.KindVideo, "nowhere", "", 10), nil},
		"subjects":  {of(catalogue.KindSubject, "test", "", 10), []catalogue.ID{idOf(catalogue.KindSubject, 1)}},
	} {
		if diff := cmp.Diff(list.want, list.got, cmpopts.EquateEmpty()); diff != "" {
			h.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func testReopen(h *catalogueFixture) {
	h.put(append(everything(), fullVideo(1))...)
	want, head := h.video(idOf(catalogue.KindVideo, 1)), h.head()
	h.reopen()
	if diff := cmp.Diff(want, h.video(want.ID)); diff != "" || h.head() != head {
		h.Errorf("at %d instead of %d (-want +got):\n%s", h.head(), head, diff)
	}
	h.put(video(2))
	if v := h.video(idOf(catalogue.KindVideo, 2)); v.Version != head+1 || v.Sequence <= want.Sequence {
		h.Errorf("then came version %d, sequence %d", v.Version, v.Sequence)
	}
}
