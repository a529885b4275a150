package storetest

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var ownedItemTests = map[string]func(h *catalogueFixture){
	"every field round trips":               testRecordsWhole,
	"by their IDs":                          testRecordsAsked,
	"by their owners":                       testRecordsOf,
	"an unchanged item changes nothing":     testRecordsUnchanged,
	"each part that counts is a change":     testRecordsChanged,
	"owners must be there":                  testRecordOwners,
	"owners within one call":                testRecordOwnersInOneCall,
	"schools of no district":                testSchoolsAlone,
	"in the order of their versions":        testRecordsSince,
	"in portions of 10,000":                 testRecordPortions,
	"a walk beside writers":                 testRecordWalk,
	"counted":                               testCountRecords,
	"of a source":                           testRecordsOfSource,
	"in no directory":                       testRecordsInNoDirectory,
	"an error takes all back":               testRecordsTakenBack,
	"deleted ones are gone":                 testDeleteRecords,
	"owners stay":                           testOwnersStay,
	"videos take theirs with them":          testVideosTakeRecords,
	"embeddings do not change their videos": testEmbeddings,
	"of another video's ID":                 testRecordsOfNamesakes,
	"numbers are those of the kinds apart":  testRecordsBesideEntities,
}

// embedding returns the embedding of the nth video.
func embedding(n int, vectors ...byte) *catalogue.Embedding {
	return &catalogue.Embedding{
		Meta: catalogue.Meta{ID: idOf(catalogue.KindVideo, n)}, Model: "model", Texts: "fingerprint", Dimensions: 2, Vectors: vectors,
	}
}

// testEmbeddings checks that an embedding, which has the ID of its video, neither changes the video nor outlives it.
func testEmbeddings(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2))
	version, head := h.video(videoIDs(1)[0]).Version, h.head()
	first := embedding(1, 1, 0xFF, 127, 0x81)
	h.put(first, embedding(2, 5, 6))
	if got := h.video(videoIDs(1)[0]).Version; got != version {
		h.Errorf("the video has version %d after it was embedded, it had %d", got, version)
	}
	if diff := cmp.Diff([]catalogue.OwnedItem{first}, h.records(catalogue.KindEmbedding, videoIDs(1)...)); diff != "" {
		h.Errorf("embedding (-put +read):\n%s", diff)
	}
	if got := h.recordsOf(catalogue.KindEmbedding, videoIDs(1)...); len(got) != 1 {
		h.Errorf("the video owns %d embeddings", len(got))
	}
	h.put(embedding(1, 9, 9))
	h.delete(catalogue.KindVideo, videoIDs(1)...)
	if left := h.records(catalogue.KindEmbedding, videoIDs(1, 2)...); len(left) != 1 {
		h.Errorf("%d embeddings are left of two, one of a deleted video", len(left))
	}
	kinds := map[catalogue.Kind]int{}
	for _, change := range h.changes(head) {
		kinds[change.Kind]++
	}
	if kinds[catalogue.KindEmbedding] != 4 || kinds[catalogue.KindVideo] != 1 {
		h.Errorf("the log has changes of the kinds %v", kinds)
	}
}

// The records of the tests, each with the number n of its kind.

func provider(n int) *catalogue.Provider {
	return &catalogue.Provider{
		Meta: metaOf(catalogue.KindProvider, n), Name: "Provider", Slug: "provider-" + string(rune('a'+n)),
		Types: []string{"Book"}, LogoURL: "https://media.example/logo.svg",
	}
}

// captions returns captions of the nth video.
func captions(n int, language catalogue.Language, text string) *catalogue.Captions {
	video := idOf(catalogue.KindVideo, n)
	return &catalogue.Captions{
		Meta:    catalogue.Meta{ID: catalogue.CaptionsID(video, language), Source: "test", Reference: "c"},
		VideoID: video, Language: language, HumanGenerated: true, Cues: []catalogue.Cue{{Start: 0, End: 1500, Text: text}},
	}
}

// material returns material of the nth video.
func material(n int) *catalogue.Material {
	video := idOf(catalogue.KindVideo, n)
	return &catalogue.Material{
		Meta:    catalogue.Meta{ID: catalogue.MaterialID(video), Source: "test", Reference: "m"},
		VideoID: video, LearningOutcomes: []string{"Why ice floats"}, AssessmentQuestions: []string{"Does it?"},
	}
}

func highlight(n, video int) *catalogue.Highlight {
	return &catalogue.Highlight{
		Meta: metaOf(catalogue.KindHighlight, n), VideoID: idOf(catalogue.KindVideo, video), Start: 1000, End: 2000,
		Title: "Piece", Caption: "<b>Ice</b>", ContentCategories: []catalogue.Subtype{"ANIMATION"},
	}
}

func theme(n, provider int) *catalogue.Theme {
	return &catalogue.Theme{
		Meta: metaOf(catalogue.KindTheme, n), ProviderID: idOf(catalogue.KindProvider, provider), Type: "Book", Title: "Theme",
		Topics: []catalogue.ThemeTopic{{Index: 1, Title: "T", Targets: []catalogue.ThemeTarget{{Index: 2, Title: "G", VideoIDs: videoIDs(1, 404)}}}},
	}
}

func district(n int) *catalogue.District {
	return &catalogue.District{Meta: metaOf(catalogue.KindDistrict, n), ExternalID: "d", Name: "District", Country: "USA", State: "WA", City: "Yakima"}
}

// school returns a school of a district, or of no district if district is 0.
func school(n, district int) *catalogue.School {
	s := &catalogue.School{Meta: metaOf(catalogue.KindSchool, n), ExternalID: "s", Name: "School", Country: "USA", State: "WA"}
	if district > 0 {
		s.DistrictID = new(idOf(catalogue.KindDistrict, district))
	}
	return s
}

// owners returns the owners of allRecords.
func owners() []catalogue.Item { return []catalogue.Item{provider(1), channel(1), video(1)} }

// allRecords returns one record of each kind. Each belongs to one of owners or to an earlier record.
func allRecords() []catalogue.OwnedItem {
	return []catalogue.OwnedItem{captions(1, "eng", "text"), material(1), highlight(1, 1), theme(1, 1), district(1), school(1, 1)}
}

func recordItems(records []catalogue.OwnedItem) (items []catalogue.Item) {
	for _, record := range records {
		items = append(items, record)
	}
	return items
}

// records reads records by ID.
func (h *catalogueFixture) records(kind catalogue.Kind, ids ...catalogue.ID) []catalogue.OwnedItem {
	h.Helper()
	records, err := h.OwnedItems(h.ctx, kind, ids)
	h.must(err)
	return records
}

// recordsOf reads records by owner.
func (h *catalogueFixture) recordsOf(kind catalogue.Kind, owners ...catalogue.ID) []catalogue.OwnedItem {
	h.Helper()
	records, err := h.OwnedItemsOf(h.ctx, kind, owners)
	h.must(err)
	return records
}

// since reads all records after a position, limit at a time.
func (h *catalogueFixture) since(kind catalogue.Kind, after store.Position, limit int) (records []catalogue.OwnedItem) {
	h.Helper()
	for {
		part, err := h.OwnedItemsSince(h.ctx, kind, after, limit)
		h.must(err)
		if len(part) == 0 {
			return records
		}
		if len(part) > limit {
			h.Fatalf("%d records at once, %d were asked for", len(part), limit)
		}
		records = append(records, part...)
		after = part[len(part)-1].Head().Version
	}
}

// wantCount checks the number of records of a kind and the position of the newest.
func (h *catalogueFixture) wantCount(kind catalogue.Kind, want int, newest store.Position) {
	h.Helper()
	if got, at, err := h.CountOwnedItems(h.ctx, kind); err != nil || got != want || at != newest {
		h.Errorf("there are %d of kind %s, the newest at %d (%v), want %d, %d", got, kind, at, err, want, newest)
	}
}

func idsOfRecords(records []catalogue.OwnedItem) (ids []catalogue.ID) {
	for _, record := range records {
		ids = append(ids, record.Head().ID)
	}
	return ids
}

func testRecordsWhole(h *catalogueFixture) {
	h.put(owners()...)
	before, now := h.head(), h.clock.tick()
	all := allRecords()
	h.put(recordItems(all)...)
	check := func(when string) {
		h.Helper()
		for i, want := range all {
			head, kind := want.Head(), want.Kind()
			if head.Version != before+int64(i)+1 || !head.UpdatedAt.Equal(now) {
				h.Errorf("%s: Put set version %d, time %s", kind, head.Version, head.UpdatedAt)
			}
			one := []catalogue.OwnedItem{want}
			if diff := cmp.Diff(one, h.records(kind, head.ID)); diff != "" {
				h.Errorf("%s: Records (-want +got):\n%s", when, diff)
			}
			if owner := want.Owner(); owner.ID != "" {
				if diff := cmp.Diff(one, h.recordsOf(kind, owner.ID)); diff != "" {
					h.Errorf("%s: RecordsOf (-want +got):\n%s", when, diff)
				}
			}
			if diff := cmp.Diff(one, h.since(kind, 0, 10)); diff != "" {
				h.Errorf("%s: RecordsSince (-want +got):\n%s", when, diff)
			}
			h.write(func(ctx context.Context, tx store.Tx) {
				items, err := tx.Items(ctx, kind, []catalogue.ID{head.ID, idOf(kind, 404)})
				h.must(err)
				if diff := cmp.Diff(map[catalogue.ID]catalogue.Item{head.ID: want}, items); diff != "" {
					h.Errorf("%s: Items (-want +got):\n%s", when, diff)
				}
			})
		}
	}
	check("at once")
	h.reopen()
	check("opened anew")
}

func testRecordsAsked(h *catalogueFixture) {
	const many = 1500
	var (
		items []catalogue.Item
		asked []catalogue.ID
	)
	for n := range many {
		items = append(items, school(n, 0))
		asked = append(asked, idOf(catalogue.KindSchool, n))
	}
	h.put(items...)
	slices.Reverse(asked)
	if got := idsOfRecords(h.records(catalogue.KindSchool, asked...)); !slices.Equal(got, asked) {
		h.Errorf("got %d of %d, in another order", len(got), many)
	}
	some := []catalogue.ID{asked[7], idOf(catalogue.KindSchool, 9999), asked[3]}
	if got := idsOfRecords(h.records(catalogue.KindSchool, some...)); !slices.Equal(got, []catalogue.ID{asked[7], asked[3]}) {
		h.Errorf("got %v of %v", got, some)
	}
	odd := []catalogue.ID{"", "1", "' OR 1=1 --", `"],["`, "\xff", catalogue.ID(strings.Repeat("a", 100_000))}
	for _, ids := range [][]catalogue.ID{nil, {}, odd} {
		for _, kind := range append(catalogue.RecordKinds(), catalogue.KindVideo, "") {
			if found := len(h.records(kind, ids...)) + len(h.recordsOf(kind, ids...)); found > 0 {
				h.Errorf("%s: found %d records", kind, found)
			}
		}
	}
	if found := h.records(catalogue.KindDistrict, asked...); len(found) > 0 {
		h.Errorf("found %d records of another kind", len(found))
	}
}

func testRecordsOf(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2), video(3), district(1), district(2))
	var want [4][]catalogue.ID
	for n := 1; n <= 60; n++ {
		of := 1 + n%3
		h.put(highlight(n, of))
		want[of] = append(want[of], idOf(catalogue.KindHighlight, n))
	}
	h.put(captions(1, "eng", "text"), school(1, 0), school(2, 1), school(3, 2))
	for _, ids := range want {
		slices.Sort(ids)
	}
	got := idsOfRecords(h.recordsOf(catalogue.KindHighlight, append(videoIDs(3, 404, 1), idOf(catalogue.KindDistrict, 1))...))
	if !slices.Equal(got, slices.Concat(want[3], want[1])) {
		h.Errorf("got %v", got)
	}
	got = idsOfRecords(h.recordsOf(catalogue.KindSchool, idOf(catalogue.KindDistrict, 2), idOf(catalogue.KindDistrict, 1)))
	if !slices.Equal(got, []catalogue.ID{idOf(catalogue.KindSchool, 3), idOf(catalogue.KindSchool, 2)}) {
		h.Errorf("got schools %v", got)
	}
}

func testRecordsUnchanged(h *catalogueFixture) {
	h.put(owners()...)
	h.put(recordItems(allRecords())...)
	head := h.head()
	h.clock.tick()
	again := allRecords()
	h.wantStatuses(recordItems(again), slices.Repeat([]store.Status{store.Unchanged}, len(again))...)
	if h.head() != head {
		h.Errorf("the log grew from %d to %d", head, h.head())
	}
	for _, record := range again {
		stored := h.records(record.Kind(), record.Head().ID)[0]
		if record.Head().Version != stored.Head().Version || !record.Head().UpdatedAt.Equal(stored.Head().UpdatedAt) {
			h.Errorf("%s: Put did not set the stored version and time", record.Kind())
		}
	}
}

func testRecordsChanged(h *catalogueFixture) {
	h.put(district(1), district(2))
	state := school(1, 1)
	h.put(state)
	for name, change := range map[string]func(){
		"name":         func() { state.Name = "Another" },
		"source":       func() { state.Source = "elsewhere" },
		"reference":    func() { state.Reference = "r" },
		"district":     func() { state.DistrictID = new(idOf(catalogue.KindDistrict, 2)) },
		"odd name":     func() { state.Name = `"hasCaptions":true` },
		"no reference": func() { state.Reference = "" },
	} {
		change()
		head, now := h.head(), h.clock.tick()
		h.wantStatuses([]catalogue.Item{state}, store.Changed)
		if state.Version != head+1 || h.head() != head+1 || !state.UpdatedAt.Equal(now) {
			h.Errorf("%s: version %d after %d, the log at %d", name, state.Version, head, h.head())
		}
		if diff := cmp.Diff([]catalogue.OwnedItem{state}, h.records(catalogue.KindSchool, state.ID)); diff != "" {
			h.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	h.wantCount(catalogue.KindSchool, 1, h.head())
	state.DistrictID = nil
	h.wantStatuses([]catalogue.Item{state}, store.Changed)
	if left := h.recordsOf(catalogue.KindSchool, idOf(catalogue.KindDistrict, 1), idOf(catalogue.KindDistrict, 2)); len(left) > 0 {
		h.Errorf("%d schools still belong to their old districts", len(left))
	}
}

func testRecordOwners(h *catalogueFixture) {
	h.put(owners()...)
	h.put(district(1))
	head := h.head()
	stray := highlight(3, 1)
	stray.VideoID = idOf(catalogue.KindProvider, 1) // an ID of another kind does not refer to a video either
	nobody := theme(2, 404)
	nobody.Title = ""
	odd := school(2, 1)
	odd.DistrictID = new(catalogue.ID("x"))
	faulty := captions(1, "eng", "text")
	faulty.ID = idOf(catalogue.KindCaptions, 1)
	items := []catalogue.Item{
		captions(404, "eng", "text"), material(404), highlight(2, 404), stray, nobody, school(1, 404), odd, faulty,
		&catalogue.Highlight{Meta: metaOf(catalogue.KindHighlight, 9), Start: 1, End: 2, Title: "T"}, school(3, 1),
	}
	h.wantRejected(items, "video", "video", "video", "video", "title provider", "district", "district", "id", "video", "")
	if h.head() != head+1 {
		h.Errorf("the log grew from %d to %d", head, h.head())
	}
	outcome := h.tryPut(theme(2, 404))[0]
	if want := `there is no provider "` + string(idOf(catalogue.KindProvider, 404)) + `"`; outcome.Faults[0].Problem != want {
		h.Errorf("got %q, want %q", outcome.Faults[0].Problem, want)
	}
}

func testRecordOwnersInOneCall(h *catalogueFixture) {
	h.wantRejected([]catalogue.Item{
		channel(1), captions(1, "eng", "text"), video(1), highlight(1, 1), school(1, 1), district(1), school(1, 1), theme(1, 1), provider(1), theme(1, 1),
	}, "", "video", "", "", "district", "", "", "provider", "", "")
	invalid := video(2)
	invalid.Title = ""
	h.wantRejected([]catalogue.Item{invalid, highlight(2, 2)}, "title", "video")
	h.write(func(ctx context.Context, tx store.Tx) {
		kept, err := tx.Delete(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		outcomes, err := tx.Put(ctx, []catalogue.Item{highlight(3, 1)})
		h.must(err)
		if len(kept) > 0 || outcomes[0].Status != store.Rejected {
			h.Errorf("kept %v, then %v", kept, outcomes)
		}
	})
}

func testSchoolsAlone(h *catalogueFixture) {
	h.put(school(1, 0), district(1), school(2, 1))
	if found := h.records(catalogue.KindSchool, idOf(catalogue.KindSchool, 1)); len(found) != 1 || found[0].Owner().ID != "" {
		h.Errorf("found %v", found)
	}
	if got := h.delete(catalogue.KindSchool, idOf(catalogue.KindSchool, 1)); len(got) > 0 {
		h.Errorf("kept %v", got)
	}
}

func testRecordsOfSource(h *catalogueFixture) {
	h.put(district(1))
	var want []catalogue.ID
	for n := 1; n <= 9; n++ {
		s := school(n, n%2)
		if n%3 == 0 {
			s.Source = "elsewhere"
		} else {
			want = append(want, s.ID)
		}
		h.put(s)
	}
	slices.Sort(want)
	h.write(func(ctx context.Context, tx store.Tx) {
		first, err := tx.Of(ctx, catalogue.KindSchool, "test", "", 4)
		h.must(err)
		rest, err := tx.Of(ctx, catalogue.KindSchool, "test", want[3], 100)
		h.must(err)
		if !slices.Equal(first, want[:4]) || !slices.Equal(rest, want[4:]) {
			h.Errorf("got %v and %v of %v", first, rest, want)
		}
	})
}

func testRecordsInNoDirectory(h *catalogueFixture) {
	h.put(owners()...)
	h.put(recordItems(allRecords())...)
	d := h.directory()
	if len(d.Providers) != 1 || len(d.Channels) != 1 || d.Position != h.head() {
		h.Errorf("%d providers, %d channels, of position %d", len(d.Providers), len(d.Channels), d.Position)
	}
	for _, record := range allRecords() {
		if d.Has(record.Kind(), record.Head().ID) {
			h.Errorf("it holds a %s", record.Kind())
		}
	}
}

func testRecordsTakenBack(h *catalogueFixture) {
	h.put(owners()...)
	h.put(recordItems(allRecords())...)
	head, before := h.head(), h.video(videoIDs(1)[0])
	err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, []catalogue.Item{captions(1, "nob", "tekst"), school(1, 0), school(2, 1), highlight(2, 1)})
		h.must(err)
		_, err = tx.Delete(ctx, catalogue.KindCaptions, idsOfRecords([]catalogue.OwnedItem{captions(1, "eng", ""), captions(1, "nob", "")}))
		h.must(err)
		_, err = tx.Delete(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		return errPlanned
	})
	h.wantError("Write", err, errPlanned)
	if diff := cmp.Diff(before, h.video(before.ID)); diff != "" || h.head() != head {
		h.Errorf("the log is at %d after %d; the video (-want +got):\n%s", h.head(), head, diff)
	}
	for _, kind := range catalogue.RecordKinds() {
		if left := h.since(kind, 0, 10); len(left) != 1 {
			h.Errorf("there are %d of kind %s", len(left), kind)
		} else {
			h.wantCount(kind, 1, left[0].Head().Version)
		}
	}
}

// testRecordsOfNamesakes checks objects of other kinds that have a video's ID: IDs are unique only within a kind.
func testRecordsOfNamesakes(h *catalogueFixture) {
	same := idOf(catalogue.KindVideo, 1)
	of, named, in := district(1), provider(1), school(1, 0)
	of.ID, named.ID, in.ID, in.DistrictID = same, same, same, new(same)
	under := theme(1, 1)
	under.ProviderID = same
	h.put(channel(1), video(1), of, named, in, under, highlight(1, 1))
	if found := idsOfRecords(h.recordsOf(catalogue.KindSchool, same)); !slices.Equal(found, []catalogue.ID{same}) {
		h.Errorf("found schools %v", found)
	}
	if kept := h.delete(catalogue.KindVideo, same); len(kept) > 0 {
		h.Errorf("kept %v", kept)
	}
	if len(h.records(catalogue.KindSchool, same)) != 1 || len(h.recordsOf(catalogue.KindTheme, same)) != 1 || len(h.recordsOf(catalogue.KindHighlight, same)) != 0 {
		h.Error("the video took others' records with it, or left its own")
	}
	if kept := h.delete(catalogue.KindDistrict, same); !slices.Equal(kept, []catalogue.ID{same}) {
		h.Errorf("of the district with a school kept %v", kept)
	}
}

// testRecordsBesideEntities checks that kinds that share a sequence of numbers remain distinct.
func testRecordsBesideEntities(h *catalogueFixture) {
	h.put(channel(1), school(1, 0), subject(1), school(2, 0))
	h.reopen()
	h.put(school(3, 0), subject(2), discipline(1, idOf(catalogue.KindSubject, 2)), school(4, 0))
	h.reopen()
	h.put(topic(1), school(5, 0))
	if kept := h.delete(catalogue.KindSubject, idOf(catalogue.KindSubject, 1), idOf(catalogue.KindSubject, 2)); len(kept) != 1 {
		h.Errorf("kept %v", kept)
	}
	h.delete(catalogue.KindSchool, idOf(catalogue.KindSchool, 3))
	if left := h.since(catalogue.KindSchool, 0, 2); len(left) != 4 || len(h.directory().Topics) != 1 {
		h.Errorf("%d schools are left", len(left))
	}
}
