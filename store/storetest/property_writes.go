package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// checkWrites puts and deletes objects that refer to one another, claim each other's names and are put again unchanged.
// It compares the outcome of each with the rules, applied one by one to a map.
func checkWrites(t *testing.T, empty EmptyCatalogue) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{catalogueFixture: newCatalogueFixture(t, rt, empty), stored: map[catalogue.ID]catalogue.Item{}}
		defer m.Close()
		for range rapid.IntRange(1, 12).Draw(rt, "writes") {
			m.clock.tick()
			if rapid.IntRange(0, 3).Draw(rt, "write") == 0 {
				m.checkDelete(rt)
			} else {
				m.checkPut(rt)
			}
		}
		m.compare()
	})
}

// model is the expected content of the store.
type model struct {
	*catalogueFixture
	stored map[catalogue.ID]catalogue.Item
}

var drawnNames = rapid.SampledFrom([]string{"Alpha", "alpha ", "Beta", ""})

// drawItem draws one of a few objects of each kind.
func drawItem(rt *rapid.T) catalogue.Item {
	n := rapid.IntRange(1, 3).Draw(rt, "number")
	name := drawnNames.Draw(rt, "name")
	some := func(kind catalogue.Kind) []catalogue.ID {
		var ids []catalogue.ID
		for i := 1; i <= 3; i++ {
			if rapid.Bool().Draw(rt, "refers") {
				ids = append(ids, idOf(kind, i))
			}
		}
		return ids
	}
	switch rapid.SampledFrom([]catalogue.Kind{
		catalogue.KindContract, catalogue.KindSubject, catalogue.KindDiscipline, catalogue.KindChannel,
		catalogue.KindVideo, catalogue.KindVideo, catalogue.KindVideo,
	}).Draw(rt, "kind") {
	case catalogue.KindContract:
		c := contract(n)
		c.EditingInfo = name
		return c
	case catalogue.KindSubject:
		s := subject(n)
		s.Name = name
		return s
	case catalogue.KindDiscipline:
		return discipline(n, some(catalogue.KindSubject)...)
	case catalogue.KindChannel:
		c := channel(n)
		c.Name = name
		if deals := some(catalogue.KindContract); len(deals) > 0 {
			c.ContractID = &deals[0]
		}
		return c
	}
	v := video(n)
	v.ChannelID, v.SubjectIDs = idOf(catalogue.KindChannel, rapid.IntRange(1, 2).Draw(rt, "channel")), some(catalogue.KindSubject)
	v.LegacyID = rapid.SampledFrom([]string{"", "7", "8"}).Draw(rt, "legacy")
	v.Transcript = rapid.SampledFrom([]*string{nil, new(""), new("text"), new("words")}).Draw(rt, "transcript")
	return v
}

func (m *model) checkPut(rt *rapid.T) {
	items := make([]catalogue.Item, rapid.IntRange(1, 8).Draw(rt, "items"))
	want := make([]store.Status, len(items))
	for i := range items {
		items[i] = drawItem(rt)
	}
	if rapid.IntRange(0, 5).Draw(rt, "rolled back") == 0 {
		err := m.Write(m.ctx, func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, items)
			m.must(err)
			return errPlanned
		})
		m.wantError("Write", err, errPlanned)
		return
	}
	for i := range items {
		want[i] = m.expect(items[i])
	}
	m.wantStatuses(items, want...)
}

// expect applies the rules to one item.
func (m *model) expect(item catalogue.Item) store.Status {
	if len(item.Validate()) > 0 || m.dangles(item) || m.clashes(item) {
		return store.Rejected
	}
	id := item.Head().ID
	before, known := m.stored[id]
	copied := clone(item)
	if v, ok := copied.(*catalogue.Video); ok && v.Transcript == nil {
		v.Transcript = new("")
		if known {
			v.Transcript = before.(*catalogue.Video).Transcript
		}
	}
	switch {
	case known && cmp.Equal(before, copied, cmpopts.IgnoreFields(catalogue.Meta{}, "Version", "UpdatedAt"), cmpopts.EquateEmpty()):
		return store.Unchanged
	case known:
		m.stored[id] = copied
		return store.Changed
	}
	m.stored[id] = copied
	return store.Added
}

func (m *model) dangles(item catalogue.Item) bool {
	return slices.ContainsFunc(item.Links(), func(link catalogue.Link) bool {
		target, ok := m.stored[link.ID]
		return !ok || target.Kind() != link.Kind
	})
}

func (m *model) clashes(item catalogue.Item) bool {
	for id, other := range m.stored {
		if id == item.Head().ID || other.Kind() != item.Kind() {
			continue
		}
		if v, ok := item.(*catalogue.Video); ok && v.LegacyID != "" && v.LegacyID == other.(*catalogue.Video).LegacyID {
			return true
		}
		if name := catalogue.UniqueName(item); name != "" && name == catalogue.UniqueName(other) {
			return true
		}
	}
	return false
}

func clone(item catalogue.Item) catalogue.Item {
	switch item := item.(type) {
	case *catalogue.Video:
		copied := *item
		return &copied
	case *catalogue.Channel:
		copied := *item
		return &copied
	case *catalogue.Subject:
		copied := *item
		return &copied
	case *catalogue.Discipline:
		copied := *item
		return &copied
	case *catalogue.Contract:
		copied := *item
		return &copied
	}
	return nil
}

func (m *model) checkDelete(rt *rapid.T) {
	kind := rapid.SampledFrom([]catalogue.Kind{
		catalogue.KindContract, catalogue.KindSubject, catalogue.KindDiscipline, catalogue.KindChannel, catalogue.KindVideo,
	}).Draw(rt, "kind to delete")
	var ids, want []catalogue.ID
	for _, n := range rapid.Permutation([]int{1, 2, 3}).Draw(rt, "order") {
		ids = append(ids, idOf(kind, n))
	}
	for _, id := range ids {
		if _, ok := m.stored[id]; !ok {
			continue
		}
		if m.referred(id) {
			want = append(want, id)
		} else {
			delete(m.stored, id)
		}
	}
	if kept := m.delete(kind, ids...); !slices.Equal(kept, want) {
		m.Errorf("kept %v, want %v", kept, want)
	}
}

func (m *model) referred(id catalogue.ID) bool {
	for _, item := range m.stored {
		if slices.ContainsFunc(item.Links(), func(link catalogue.Link) bool { return link.ID == id }) {
			return true
		}
	}
	return false
}

// compare reads everything and compares it with the model.
func (m *model) compare() {
	got := map[catalogue.ID]catalogue.Item{}
	scanned, err := m.Scan(m.ctx, 0, 100)
	m.must(err)
	for _, v := range scanned {
		if v.Transcript == nil {
			v.Transcript = new("")
		}
		got[v.ID] = v
	}
	d := m.directory()
	for _, list := range [][]catalogue.Item{itemsOf(d.Contracts), itemsOf(d.Subjects), itemsOf(d.Disciplines), itemsOf(d.Channels)} {
		for _, item := range list {
			got[item.Head().ID] = item
		}
	}
	ignore := cmp.Options{
		cmpopts.IgnoreFields(catalogue.Meta{}, "Version", "UpdatedAt"), cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(catalogue.Video{}, "Sequence", "HasTranscript"),
	}
	if diff := cmp.Diff(m.stored, got, ignore); diff != "" {
		m.Error("(-want +got):\n", diff)
	}
	m.compareLog(got)
}

// compareLog checks that the newest log entry of each object matches the object.
func (m *model) compareLog(got map[catalogue.ID]catalogue.Item) {
	newest := map[catalogue.ID]store.Change{}
	for _, change := range m.changes(0) {
		newest[change.ID] = change
	}
	for id, change := range newest {
		item, there := got[id]
		if there == change.Deleted || (there && item.Head().Version != change.Position) {
			m.Errorf("the log ends with %v, but the thing exists: %t", change, there)
		}
		delete(got, id)
	}
	if len(got) > 0 {
		m.Errorf("the log lacks %d things", len(got))
	}
}

func itemsOf[T catalogue.Item](list []T) (items []catalogue.Item) {
	for _, item := range list {
		items = append(items, item)
	}
	return items
}
