package storetest

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var putTests = map[string]func(h *catalogueFixture){
	"an unchanged item changes nothing":   testUnchanged,
	"each part that counts is a change":   testChanged,
	"transcripts are kept or cleared":     testTranscripts,
	"references must lead somewhere":      testDangling,
	"rejected items do not affect others": testRejected,
	"unique names":                        testUniqueNames,
	"names that may repeat":               testRepeatedNames,
	"mentions of missing items":           testMentions,
	"unique aliases":                      testUniqueAliases,
	"items see those before them":         testOrderWithinPut,
	"items are read back and changed":     testReadModifyWrite,
	"held fields are kept":                testHeldFields,
}

func testUnchanged(h *catalogueFixture) {
	before := h.clock.tick()
	h.put(fullEntities()...)
	first := fullVideo(1)
	first.Transcript = new("text")
	h.put(first)
	head := h.head()
	h.clock.tick()
	again := fullVideo(1)
	again.Transcript = new("text")
	h.wantStatuses(append(fullEntities(), again), slices.Repeat([]store.Status{store.Unchanged}, 9)...)
	if h.head() != head {
		h.Errorf("the log grew from %d to %d", head, h.head())
	}
	v := h.video(first.ID)
	if v.Version != first.Version || !v.UpdatedAt.Equal(before) {
		h.Errorf("the video has version %d of %s, it was %d of %s", v.Version, v.UpdatedAt, first.Version, before)
	}
	if again.Version != v.Version || !again.UpdatedAt.Equal(before) || again.Sequence != v.Sequence {
		h.Error("Put did not set the stored version, time and sequence")
	}
	if more, err := h.FanOut(h.ctx, 10); more || err != nil || h.head() != head {
		h.Errorf("FanOut found work: %t, %v, the log is at %d", more, err, h.head())
	}
}

func testChanged(h *catalogueFixture) {
	h.put(append(everything(), fullVideo(1))...)
	id := idOf(catalogue.KindVideo, 1)
	sequence := h.video(id).Sequence
	state := fullVideo(1)
	for name, change := range map[string]func(v *catalogue.Video){
		"title":            func(v *catalogue.Video) { v.Title = "Another" },
		"source":           func(v *catalogue.Video) { v.Source = "elsewhere" },
		"reference":        func(v *catalogue.Video) { v.Reference = "r" },
		"transcript":       func(v *catalogue.Video) { v.Transcript = new("new") },
		"null for a list":  func(v *catalogue.Video) { v.ContentWarningIDs = nil },
		"no more subjects": func(v *catalogue.Video) { v.SubjectIDs = nil },
		"retired":          func(v *catalogue.Video) { v.Retired = true },
		"available until":  func(v *catalogue.Video) { v.AvailableUntil = nil },
	} {
		change(state)
		head, now := h.head(), h.clock.tick()
		h.wantStatuses([]catalogue.Item{state}, store.Changed)
		v := h.video(id)
		if v.Version != head+1 || h.head() != head+1 || !v.UpdatedAt.Equal(now) || v.Sequence != sequence {
			h.Errorf("%s: version %d after %d, sequence %d, at %s", name, v.Version, head, v.Sequence, v.UpdatedAt)
		}
		if s := h.state(id); s.Ref != v.Ref() || s.Retired != v.Retired || (s.AvailableUntil == nil) != (v.AvailableUntil == nil) {
			h.Errorf("%s: the state is %+v", name, s)
		}
		state.Transcript = nil
	}
}

func testTranscripts(h *catalogueFixture) {
	h.put(channel(1))
	id := idOf(catalogue.KindVideo, 1)
	long := strings.Repeat("words and words ", 60_000)
	for _, step := range []struct {
		name   string
		put    *string
		status store.Status
		want   string
	}{
		{"none yet", nil, store.Added, ""},
		{"empty is none", new(""), store.Unchanged, ""},
		{"set", new("a"), store.Changed, "a"},
		{"kept", nil, store.Unchanged, "a"},
		{"the same", new("a"), store.Unchanged, "a"},
		{"another", new("b\n"), store.Changed, "b\n"},
		{"long", &long, store.Changed, long},
		{"cleared", new(""), store.Changed, ""},
		{"set again", new("c"), store.Changed, "c"},
	} {
		v := video(1)
		v.Transcript = step.put
		h.wantStatuses([]catalogue.Item{v}, step.status)
		texts, err := h.Transcripts(h.ctx, videoIDs(2, 1))
		h.must(err)
		text, has := texts[id]
		if text != step.want || has != (step.want != "") || h.video(id).HasTranscript != has || v.HasTranscript != has {
			h.Errorf("%s: got %d bytes (there: %t), want %d", step.name, len(text), has, len(step.want))
		}
	}
	renamed := video(1)
	renamed.Title = "Another"
	h.put(renamed)
	if texts, err := h.Transcripts(h.ctx, videoIDs(1)); err != nil || texts[id] != "c" {
		h.Errorf("a new title left the transcript %q (%v)", texts[id], err)
	}
}

// wantRejected checks that exactly the items with a non-empty field here are rejected, each because of that field.
func (h *catalogueFixture) wantRejected(items []catalogue.Item, fields ...string) {
	h.Helper()
	for i, outcome := range h.tryPut(items...) {
		var got []string
		for _, fault := range outcome.Faults {
			got = append(got, fault.Field)
		}
		if want := strings.Fields(fields[i]); !slices.Equal(got, want) || (outcome.Status == store.Rejected) != (len(want) > 0) {
			h.Errorf("item %d: got status %d, faults %v, want faults in %v", i, outcome.Status, outcome.Faults, want)
		}
	}
}

func testDangling(h *catalogueFixture) {
	absent := func(kind catalogue.Kind) catalogue.ID { return idOf(kind, 404) }
	for field, change := range map[string]func(v *catalogue.Video){
		"channel":            func(v *catalogue.Video) { v.ChannelID = absent(catalogue.KindChannel) },
		"subjects[1]":        func(v *catalogue.Video) { v.SubjectIDs = append(v.SubjectIDs, absent(catalogue.KindSubject)) },
		"bestFor[0]":         func(v *catalogue.Video) { v.BestForIDs[0] = absent(catalogue.KindTag) },
		"contentWarnings[0]": func(v *catalogue.Video) { v.ContentWarningIDs[0] = absent(catalogue.KindContentWarning) },
		"educationLevels[0]": func(v *catalogue.Video) { v.EducationLevels[0] = "XX" },
		"topics[0]":          func(v *catalogue.Video) { v.TopicIDs[0] = absent(catalogue.KindTopic) },
		// An ID of another kind does not refer to the object either.
		"subjects[0]": func(v *catalogue.Video) { v.SubjectIDs[0] = idOf(catalogue.KindTag, 1) },
	} {
		h.put(everything()...)
		v := fullVideo(1)
		change(v)
		h.wantRejected([]catalogue.Item{v}, field)
	}
	in := channel(2)
	in.ContractID, in.EducationLevels = new(absent(catalogue.KindContract)), []string{"XX"}
	h.wantRejected([]catalogue.Item{discipline(2, absent(catalogue.KindSubject)), in}, "subjects[0]", "educationLevels[0] contract")
	if n, err := h.CountVideos(h.ctx); n != 0 || err != nil {
		h.Errorf("%d videos went in (%v)", n, err)
	}
}

func testRejected(h *catalogueFixture) {
	h.put(channel(1), video(1))
	head := h.head()
	invalid, nameless := video(2), video(1)
	invalid.Title, nameless.Title = "", ""
	invalid.LegacyID = "x"
	odd := video(3)
	odd.ID = "no id"
	h.wantRejected([]catalogue.Item{video(4), invalid, nameless, odd, video(5)}, "", "title legacyId", "title", "id", "")
	if v := h.video(idOf(catalogue.KindVideo, 1)); v.Title != "Video 1" || v.Version != head {
		h.Errorf("a rejected change left title %q, version %d", v.Title, v.Version)
	}
	if n, err := h.CountVideos(h.ctx); n != 3 || err != nil || h.head() != head+2 {
		h.Errorf("%d videos, log at %d after %d (%v)", n, h.head(), head, err)
	}
	if invalid.Version != 0 || invalid.Sequence != 0 || nameless.Version != 0 {
		h.Error("a rejected item was given a version")
	}
}

func testUniqueNames(h *catalogueFixture) {
	for _, kind := range []struct {
		field string
		make  func(n int, name string) catalogue.Item
		// name and same fold to one name; other is distinct.
		name, same, other string
	}{
		{"name", func(n int, name string) catalogue.Item { c := channel(n); c.Name = name; return c }, "Big History", " big  HISTORY ", "Small History"},
		{"name", func(n int, name string) catalogue.Item { s := subject(n); s.Name = name; return s }, "Élan", "éLAN", "Elan"},
		{"label", func(n int, name string) catalogue.Item { l := tag(n); l.Label = name; return l }, "Hook", "hook", "Hooks"},
		{"code", func(n int, name string) catalogue.Item { d := discipline(n); d.Code = name; return d }, "stem", "stem", "arts"},
		{"query", func(n int, name string) catalogue.Item { return searchRule(n, name) }, "Water  cycle", "water Cycle", "water"},
	} {
		h.put(kind.make(1, kind.name))
		h.wantRejected([]catalogue.Item{kind.make(2, kind.same)}, kind.field)
		// Within one call, the first of two items wins. An item that gives up a name frees it for later items.
		h.wantRejected([]catalogue.Item{
			kind.make(3, kind.other), kind.make(4, kind.other), kind.make(3, "third"), kind.make(4, kind.other),
		}, "", kind.field, "", "")
		h.wantRejected([]catalogue.Item{kind.make(1, "fourth"), kind.make(2, kind.same)}, "", "")
		h.wantRejected([]catalogue.Item{kind.make(1, kind.name)}, kind.field)
		h.delete(kind.make(2, "x").Kind(), kind.make(2, "x").Head().ID)
		h.wantRejected([]catalogue.Item{kind.make(1, kind.name)}, "")
	}
	own := channel(1)
	own.Name = "BIG HISTORY"
	h.wantStatuses([]catalogue.Item{own}, store.Changed)
}

func searchRule(n int, query string) *catalogue.SearchRule {
	return &catalogue.SearchRule{Meta: metaOf(catalogue.KindSearchRule, n), Query: query}
}

// testMentions checks that a search rule may name only videos that exist or that it named before, and that a rule does
// not block the deletion of its videos.
func testMentions(h *catalogueFixture) {
	rule := func(pinned, buried []catalogue.ID) *catalogue.SearchRule {
		r := searchRule(1, "water")
		r.PinnedIDs, r.BuriedIDs = pinned, buried
		return r
	}
	h.put(append(everything(), video(1), video(2))...)
	h.wantRejected([]catalogue.Item{rule(videoIDs(1, 9), nil)}, "pinned[1]")
	h.wantRejected([]catalogue.Item{rule(videoIDs(1), videoIDs(8, 2, 9))}, "buried[0] buried[2]")
	h.wantRejected([]catalogue.Item{rule(videoIDs(3), nil), video(3), rule(videoIDs(3, 1), videoIDs(2))}, "pinned[0]", "", "")
	h.delete(catalogue.KindVideo, idOf(catalogue.KindVideo, 1), idOf(catalogue.KindVideo, 2))
	h.wantStatuses([]catalogue.Item{rule(videoIDs(3, 1), videoIDs(2))}, store.Unchanged)
	h.wantStatuses([]catalogue.Item{rule(videoIDs(2), videoIDs(3, 1))}, store.Changed)
	h.wantStatuses([]catalogue.Item{rule(videoIDs(2), nil)}, store.Changed)
	h.wantRejected([]catalogue.Item{rule(videoIDs(2, 1), nil)}, "pinned[1]")
	h.delete(catalogue.KindSearchRule, rule(nil, nil).ID)
	h.wantRejected([]catalogue.Item{rule(videoIDs(2), nil)}, "pinned[0]")
}

func testRepeatedNames(h *catalogueFixture) {
	like := func(item catalogue.Item, set func()) catalogue.Item { set(); return item }
	c, w, t, l := contract(2), warning(2), topic(2), subject(3)
	h.put(everything()...)
	h.wantRejected([]catalogue.Item{
		like(c, func() { c.Name = contract(1).Name }), like(w, func() { w.Label = warning(1).Label }),
		like(t, func() { t.Name = topic(1).Name }), like(l, func() { l.Name = channel(1).Name }),
	}, "", "", "", "")
}

func testUniqueAliases(h *catalogueFixture) {
	with := func(n int, legacy string) *catalogue.Video { v := video(n); v.LegacyID = legacy; return v }
	h.put(channel(1), with(1, "100"))
	h.wantRejected([]catalogue.Item{with(2, "100"), with(3, "300"), with(4, "300"), with(5, ""), with(6, "")}, "legacyId", "", "legacyId", "", "")
	h.wantRejected([]catalogue.Item{with(1, "101"), with(2, "100")}, "", "")
	h.wantRejected([]catalogue.Item{with(1, "100")}, "legacyId")
	h.delete(catalogue.KindVideo, videoIDs(2)...)
	h.wantRejected([]catalogue.Item{with(1, "100")}, "")
}

func testOrderWithinPut(h *catalogueFixture) {
	h.wantRejected([]catalogue.Item{video(1), channel(1), video(2)}, "channel", "", "")
	other := video(3)
	other.Title = "Another"
	h.wantStatuses([]catalogue.Item{video(3), video(3), other, video(4)}, store.Added, store.Unchanged, store.Changed, store.Added)
	if v := h.video(other.ID); v.Title != "Another" {
		h.Errorf("the last one did not win: %q", v.Title)
	}
	set, cleared := video(5), video(5)
	set.Transcript, cleared.Transcript = new("text"), new("")
	h.wantStatuses([]catalogue.Item{set, cleared, set, cleared}, store.Added, store.Changed, store.Changed, store.Changed)
	if h.video(set.ID).HasTranscript {
		h.Error("the transcript is still there")
	}
	changes := h.changes(0)
	for i := 1; i < len(changes); i++ {
		if changes[i].Position <= changes[i-1].Position {
			h.Errorf("position %d comes after %d", changes[i].Position, changes[i-1].Position)
		}
	}
}

func testReadModifyWrite(h *catalogueFixture) {
	h.put(append(everything(), fullVideo(1), video(2))...)
	now := h.clock.tick()
	h.write(func(ctx context.Context, tx store.Tx) {
		items, err := tx.Items(ctx, catalogue.KindVideo, videoIDs(1, 2, 3))
		h.must(err)
		if len(items) != 2 {
			h.Fatalf("got %d items", len(items))
		}
		first := items[videoIDs(1)[0]].(*catalogue.Video)
		first.Promoted = !first.Promoted
		outcomes, err := tx.Put(ctx, []catalogue.Item{first, items[videoIDs(2)[0]]})
		h.must(err)
		if outcomes[0].Status != store.Changed || outcomes[1].Status != store.Unchanged {
			h.Errorf("got %v", outcomes)
		}
		again, err := tx.Items(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		if got := again[first.ID].(*catalogue.Video); got.Promoted != first.Promoted || got.Version != first.Version {
			h.Error("the transaction does not see its own write")
		}
	})
	if v := h.video(videoIDs(1)[0]); !v.UpdatedAt.Equal(now) {
		h.Errorf("updated at %s, want %s", v.UpdatedAt, now)
	}
}

// testHeldFields changes the held fields of an item of each form: the item gets a version, but no time of update, because
// clients do not see them.
func testHeldFields(h *catalogueFixture) {
	made := h.clock.tick()
	h.put(append(everything(), fullVideo(1))...)
	owned := captions(1, "eng", "Hello.")
	h.put(owned)
	tag := idOf(catalogue.KindTag, 1)
	held := []catalogue.Held{{Field: "a", Imported: json.RawMessage(`{"b":[1,"c"]}`)}, {Field: "d"}}
	for kind, id := range map[catalogue.Kind]catalogue.ID{catalogue.KindVideo: idOf(catalogue.KindVideo, 1), catalogue.KindTag: tag, catalogue.KindCaptions: owned.ID} {
		stored := func() (item catalogue.Item) {
			h.write(func(ctx context.Context, tx store.Tx) {
				items, err := tx.Items(ctx, kind, []catalogue.ID{id})
				h.must(err)
				item = items[id]
			})
			return item
		}
		before := stored()
		updated := before.Head().UpdatedAt
		h.clock.tick()
		next := stored()
		next.Head().Held = held
		h.wantStatuses([]catalogue.Item{next}, store.Changed)
		after := stored().Head()
		if after.Version <= before.Head().Version || !after.UpdatedAt.Equal(updated) || updated.Before(made) || !reflect.DeepEqual(after.Held, held) {
			h.Errorf("%s: it has %+v, the item before %+v", kind, after, before.Head())
		}
		same := stored()
		h.wantStatuses([]catalogue.Item{same}, store.Unchanged)
		if !reflect.DeepEqual(same.Head(), after) {
			h.Errorf("%s: an unchanged item has %+v, want %+v", kind, same.Head(), after)
		}
		same.Head().Held = nil
		same.Head().Reference = "another"
		now := h.clock.tick()
		h.wantStatuses([]catalogue.Item{same}, store.Changed)
		if last := stored().Head(); last.Held != nil || !last.UpdatedAt.Equal(now) {
			h.Errorf("%s: it has %+v without held fields", kind, last)
		}
	}
}
