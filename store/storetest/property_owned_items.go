package storetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// checkRecords puts and deletes records together with the videos, providers and districts that own them, in any order
// and partly in one call. It compares the outcomes, the log and the videos with captions with the rules, applied one by
// one to a map.
func checkRecords(t *testing.T, empty EmptyCatalogue) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &recordModel{catalogueFixture: newCatalogueFixture(t, rt, empty), stored: map[itemKey]catalogue.Item{}}
		defer m.Close()
		m.put(channel(1))
		for range rapid.IntRange(1, 10).Draw(rt, "writes") {
			m.clock.tick()
			if rapid.IntRange(0, 2).Draw(rt, "write") == 0 {
				m.checkDelete(rt)
			} else {
				m.checkPut(rt)
			}
		}
		m.compare()
	})
}

// itemKey identifies an item of the model.
type itemKey struct {
	kind catalogue.Kind
	id   catalogue.ID
}

// recordModel is the expected content of the store.
type recordModel struct {
	*catalogueFixture
	stored map[itemKey]catalogue.Item
}

// drawOwned draws one of a few records or owners.
func drawOwned(rt *rapid.T) catalogue.Item {
	n, of := rapid.IntRange(1, 3).Draw(rt, "number"), rapid.IntRange(1, 2).Draw(rt, "owner")
	name := rapid.SampledFrom([]string{"one", "two", ""}).Draw(rt, "name")
	switch rapid.SampledFrom(append(catalogue.RecordKinds(), catalogue.KindCaptions, catalogue.KindHighlight, catalogue.KindVideo, catalogue.KindProvider)).Draw(rt, "kind") {
	case catalogue.KindCaptions:
		return captions(of, []catalogue.Language{"eng", "nob", "fra"}[n-1], name)
	case catalogue.KindMaterial:
		of := material(of)
		of.LearningOutcomes = []string{name}
		return of
	case catalogue.KindHighlight:
		h := highlight(n, of)
		h.Title = name
		return h
	case catalogue.KindTheme:
		t := theme(n, of)
		t.Title = name
		t.Topics[0].Targets[0].VideoIDs = videoIDs(rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 404}), 0, 3).Draw(rt, "videos")...)
		return t
	case catalogue.KindDistrict:
		d := district(of)
		d.Name = name
		return d
	case catalogue.KindSchool:
		s := school(n, rapid.IntRange(0, 2).Draw(rt, "district"))
		s.Name = name
		return s
	case catalogue.KindProvider:
		p := provider(of)
		p.Description = name
		return p
	}
	v := video(of)
	v.Description = name
	return v
}

func (m *recordModel) checkPut(rt *rapid.T) {
	items := make([]catalogue.Item, rapid.IntRange(1, 7).Draw(rt, "items"))
	for i := range items {
		items[i] = drawOwned(rt)
	}
	if rapid.IntRange(0, 5).Draw(rt, "rolled back") == 0 {
		m.wantError("Write", m.Write(m.ctx, func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, items)
			m.must(err)
			return errPlanned
		}), errPlanned)
		return
	}
	var (
		head, entries = m.head(), 0
		moved         = map[catalogue.ID]bool{}
		want          = make([]store.Status, len(items))
	)
	for i, item := range items {
		want[i] = m.expect(item, moved)
		if want[i] == store.Added || want[i] == store.Changed {
			entries++
		}
	}
	m.wantStatuses(items, want...)
	m.grown("Put", head, entries+len(moved))
}

// expect applies the rules to one item and adds the videos whose version changes to moved.
func (m *recordModel) expect(item catalogue.Item, moved map[catalogue.ID]bool) store.Status {
	key := itemKey{item.Kind(), item.Head().ID}
	before, known := m.stored[key]
	record, owned := item.(catalogue.OwnedItem)
	if len(item.Validate()) > 0 || (owned && record.Owner().ID != "" && m.stored[ownerOf(record)] == nil) {
		return store.Rejected
	}
	if known && cmp.Equal(before, item, cmpopts.IgnoreFields(catalogue.Meta{}, "Version", "UpdatedAt"), notOfRecords) {
		return store.Unchanged
	}
	m.stored[key] = item
	if item.Kind().MovesVideo() {
		moved[ownerOf(record).id] = true
		if known {
			moved[ownerOf(before.(catalogue.OwnedItem)).id] = true
		}
	}
	if known {
		return store.Changed
	}
	return store.Added
}

// notOfRecords ignores the fields of a video that the store sets.
var notOfRecords = cmpopts.IgnoreFields(catalogue.Video{}, "Sequence", "HasCaptions", "HasTranscript")

func ownerOf(record catalogue.OwnedItem) itemKey {
	return itemKey{record.Owner().Kind, record.Owner().ID}
}

func (m *recordModel) grown(what string, head store.Position, by int) {
	if got := int(m.head() - head); got != by {
		m.Errorf("%s: the log grew by %d, want %d", what, got, by)
	}
}

func (m *recordModel) checkDelete(rt *rapid.T) {
	kind := rapid.SampledFrom(append(catalogue.RecordKinds(), catalogue.KindVideo, catalogue.KindProvider)).Draw(rt, "kind to delete")
	ids := []catalogue.ID{idOf(kind, 404)}
	for key := range m.stored {
		if key.kind == kind {
			ids = append(ids, key.id)
		}
	}
	slices.Sort(ids)
	ids = ids[:rapid.IntRange(1, len(ids)).Draw(rt, "how many")]
	var (
		head, entries = m.head(), 0
		moved         = map[catalogue.ID]bool{}
		changed       = map[catalogue.ID]bool{}
		want          []catalogue.ID
	)
	for _, id := range ids {
		key := itemKey{kind, id}
		item, known := m.stored[key]
		switch own := m.ownedBy(key); {
		case !known:
		case len(own) > 0 && kind != catalogue.KindVideo:
			want = append(want, id)
		default:
			for _, record := range append(own, key) {
				delete(m.stored, record)
				entries++
			}
			if kind.MovesVideo() {
				moved[ownerOf(item.(catalogue.OwnedItem)).id] = true
			}
			if kind == catalogue.KindVideo {
				m.leaveThemes(id, changed)
			}
		}
	}
	if kept := m.delete(kind, ids...); !slices.Equal(kept, want) {
		m.Errorf("kept %v, want %v", kept, want)
	}
	m.grown("Delete", head, entries+len(moved)+len(changed))
}

// leaveThemes removes a deleted video from the themes that name it and adds these themes to changed.
func (m *recordModel) leaveThemes(video catalogue.ID, changed map[catalogue.ID]bool) {
	for key, item := range m.stored {
		before, ok := item.(*catalogue.Theme)
		if !ok || !slices.Contains(before.Topics[0].Targets[0].VideoIDs, video) {
			continue
		}
		after := *before
		target := before.Topics[0].Targets[0]
		target.VideoIDs = slices.DeleteFunc(slices.Clone(target.VideoIDs), func(id catalogue.ID) bool { return id == video })
		if len(target.VideoIDs) == 0 {
			target.VideoIDs = nil
		}
		after.Topics = []catalogue.ThemeTopic{before.Topics[0]}
		after.Topics[0].Targets = []catalogue.ThemeTarget{target}
		m.stored[key], changed[key.id] = &after, true
	}
}

func (m *recordModel) ownedBy(owner itemKey) (own []itemKey) {
	for key, item := range m.stored {
		if record, ok := item.(catalogue.OwnedItem); ok && ownerOf(record) == owner {
			own = append(own, key)
		}
	}
	return own
}

// compare reads everything in every way and compares it with the model.
func (m *recordModel) compare() {
	got := map[itemKey]catalogue.Item{}
	scanned, err := m.Scan(m.ctx, 0, 100)
	m.must(err)
	for _, v := range scanned {
		got[itemKey{catalogue.KindVideo, v.ID}] = v
		captioned := slices.ContainsFunc(m.ownedBy(itemKey{catalogue.KindVideo, v.ID}), func(own itemKey) bool { return own.kind == catalogue.KindCaptions })
		if v.HasCaptions != captioned {
			m.Errorf("video %s has captions according to its body: %t", v.Reference, v.HasCaptions)
		}
	}
	for _, p := range m.directory().Providers {
		got[itemKey{catalogue.KindProvider, p.ID}] = p
	}
	for _, kind := range catalogue.RecordKinds() {
		all := m.since(kind, 0, 2)
		for _, record := range all {
			got[itemKey{kind, record.Head().ID}] = record
		}
		newest := store.Position(0)
		if len(all) > 0 {
			newest = all[len(all)-1].Head().Version
		}
		m.wantCount(kind, len(all), newest)
	}
	if diff := cmp.Diff(m.stored, got, cmpopts.IgnoreFields(catalogue.Meta{}, "Version", "UpdatedAt"), notOfRecords, cmpopts.EquateEmpty()); diff != "" {
		m.Error("(-want +got):\n", diff)
	}
	m.compareOwners(got)
	m.compareLog(got)
}

// compareOwners compares the records of each owner with the model.
func (m *recordModel) compareOwners(got map[itemKey]catalogue.Item) {
	for owner := range got {
		want := m.ownedBy(owner)
		slices.SortFunc(want, func(a, b itemKey) int {
			return strings.Compare(string(a.kind+"/")+string(a.id), string(b.kind+"/")+string(b.id))
		})
		var own []itemKey
		for _, kind := range slices.Sorted(slices.Values(catalogue.RecordKinds())) {
			for _, record := range m.recordsOf(kind, owner.id) {
				own = append(own, itemKey{kind, record.Head().ID})
				if record.Head().Version != got[itemKey{kind, record.Head().ID}].Head().Version {
					m.Errorf("a %s has two versions", kind)
				}
			}
		}
		if !slices.Equal(own, want) {
			m.Errorf("%v owns %v, want %v", owner, own, want)
		}
	}
}

// compareLog checks that the newest log entry of each item matches the item.
func (m *recordModel) compareLog(got map[itemKey]catalogue.Item) {
	newest := map[itemKey]store.Change{}
	for _, change := range m.changes(1) {
		newest[itemKey{change.Kind, change.ID}] = change
	}
	left := maps.Clone(got)
	for key, change := range newest {
		item, there := got[key]
		if there == change.Deleted || (there && item.Head().Version != change.Position) {
			m.Errorf("the log ends with %v, but the thing exists: %t", change, there)
		}
		delete(left, key)
	}
	if len(left) > 0 {
		m.Errorf("the log lacks %d things", len(left))
	}
}
