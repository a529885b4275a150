package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// checkCollections performs random operations and compares the results with a plain list, to which it applies the rules
// one by one. Each check uses users of its own, so that all checks share one store.
func checkCollections(t *testing.T, empty EmptyCollections) {
	home, round := newCollectionsFixture(t, empty), 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		l := *home
		l.testingT = rt
		m := &collectionsModel{collectionsFixture: &l, round: round, stored: map[catalogue.ID]*collection.Collection{}, saved: map[string]map[catalogue.ID]bool{}}
		m.start = l.head()
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "later") {
				m.clock.tick()
			}
			m.step(rt)
		}
		m.compare()
	})
}

// collectionsModel is the expected content of the store.
type collectionsModel struct {
	*collectionsFixture
	round  int
	start  store.Position
	stored map[catalogue.ID]*collection.Collection
	saved  map[string]map[catalogue.ID]bool
	log    []store.Change
}

func (m *collectionsModel) user(rt *rapid.T) string {
	if n := rapid.IntRange(0, 3).Draw(rt, "user"); n > 0 {
		return fmt.Sprintf("user %d of %d", n, m.round)
	}
	return ""
}

func (m *collectionsModel) id(rt *rapid.T) catalogue.ID {
	return collectionID(1000*m.round + rapid.IntRange(0, 7).Draw(rt, "collection"))
}

// video draws one of a few videos that no other check uses.
func (m *collectionsModel) video(rt *rapid.T) catalogue.ID {
	return videoIDs(1000*m.round + rapid.IntRange(0, 4).Draw(rt, "video"))[0]
}

// version returns the next position for a change.
func (m *collectionsModel) version(id catalogue.ID, deleted bool) store.Position {
	position := m.start + store.Position(len(m.log)) + 1
	m.log = append(m.log, store.Change{Position: position, Kind: store.KindCollection, ID: id, Deleted: deleted})
	return position
}

func (m *collectionsModel) step(rt *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(rt, "step") {
	case 0, 1, 2:
		m.checkCreate(rt)
	case 3, 4, 5:
		m.checkChange(rt)
	case 6:
		m.checkDelete(rt)
	case 7:
		m.checkSave(rt)
	case 8:
		m.checkForgetVideos(rt)
	case 9:
		m.checkForgetUser(rt)
	}
}

func (m *collectionsModel) checkCreate(rt *rapid.T) {
	c := list(0, m.user(rt))
	c.ID = m.id(rt)
	c.Default = rapid.IntRange(0, 3).Draw(rt, "default") == 0
	for range rapid.IntRange(0, 3).Draw(rt, "videos") {
		c.Assets = append(c.Assets, collection.Asset{VideoID: m.video(rt)}) // perhaps the same video twice
	}
	given, err := m.Create(m.ctx, c)
	for _, other := range m.stored {
		if c.Default && other.Default && other.Owner == c.Owner && len(c.Validate()) == 0 {
			m.must(err)
			m.wantEqual("the existing default", given, other)
			return
		}
	}
	switch {
	case len(c.Validate()) > 0 || c.Default && c.Owner == "":
		m.wantError("Create", err, fault.Invalid)
	case m.stored[c.ID] != nil:
		m.wantError("Create", err, fault.Conflict)
	default:
		m.must(err)
		at := catalogue.Instant(m.clock.Now())
		c.Version, c.CreatedAt, c.UpdatedAt = m.version(c.ID, false), at, at
		m.wantEqual("Create", given, c)
		m.stored[c.ID] = c
	}
}

// drawChange draws a change that has the same outcome in the store and in the model.
func (m *collectionsModel) drawChange(rt *rapid.T) func(c *collection.Collection) error {
	video, user := m.video(rt), m.user(rt)
	switch rapid.IntRange(0, 6).Draw(rt, "change") {
	case 0:
		return rename(rapid.SampledFrom([]string{"A", "B", ""}).Draw(rt, "title"))
	case 1:
		return func(c *collection.Collection) error { c.Add(collection.Asset{VideoID: video}); return nil }
	case 2:
		return func(c *collection.Collection) error { c.Remove(collection.Key{Video: video}); return nil }
	case 3:
		return func(c *collection.Collection) error {
			c.Add(collection.Asset{VideoID: video, HighlightID: video})
			last := &c.Assets[len(c.Assets)-1]
			last.Comments = append(last.Comments, remark(1, user))
			return nil
		}
	case 4:
		return func(c *collection.Collection) error {
			for i := range c.Assets {
				c.Assets[i].Comments = nil
			}
			return nil
		}
	case 5:
		return func(c *collection.Collection) error { c.Owner, c.Default, c.Version = user, !c.Default, 1; return nil }
	}
	return func(*collection.Collection) error { return errPlanned }
}

func (m *collectionsModel) checkChange(rt *rapid.T) {
	id, fn := m.id(rt), m.drawChange(rt)
	given, err := m.Change(m.ctx, id, fn)
	before := m.stored[id]
	if before == nil {
		m.wantError("Change", err, fault.NotFound)
		return
	}
	after := m.copied(before)
	if failed := fn(after); failed != nil {
		if !errors.Is(err, failed) {
			m.Errorf("Change: got %v", err)
		}
		return
	}
	after.Owner, after.Default, after.Version = before.Owner, before.Default, before.Version
	switch {
	case fmt.Sprintf("%+v", before) == fmt.Sprintf("%+v", after):
	case len(after.Validate()) > 0:
		m.wantError("Change", err, fault.Invalid)
		return
	default:
		after.Version, after.UpdatedAt = m.version(id, false), catalogue.Instant(m.clock.Now())
		if !after.UpdatedAt.After(before.UpdatedAt) {
			after.UpdatedAt = before.UpdatedAt.Add(1000)
		}
	}
	m.must(err)
	m.wantEqual("Change", given, after)
	m.stored[id] = after
}

// copied returns a copy whose assets and comments the caller may modify.
func (m *collectionsModel) copied(c *collection.Collection) *collection.Collection {
	other := *c
	other.Assets = slices.Clone(c.Assets)
	for i := range other.Assets {
		other.Assets[i].Comments = slices.Clone(other.Assets[i].Comments)
	}
	return &other
}

func (m *collectionsModel) checkDelete(rt *rapid.T) {
	id := m.id(rt)
	err := m.Delete(m.ctx, id, allow)
	if m.stored[id] == nil {
		m.wantError("Delete", err, fault.NotFound)
		return
	}
	m.must(err)
	m.remove(id)
}

func (m *collectionsModel) remove(id catalogue.ID) {
	m.version(id, true)
	delete(m.stored, id)
	for _, saved := range m.saved {
		delete(saved, id)
	}
}

func (m *collectionsModel) checkSave(rt *rapid.T) {
	id, user, saved := m.id(rt), m.user(rt), rapid.IntRange(0, 3).Draw(rt, "saved") > 0
	err := m.Save(m.ctx, user, id, saved)
	switch c := m.stored[id]; {
	case c == nil:
		m.wantError("Save", err, fault.NotFound)
	case saved && (user == "" || user == c.Owner):
		m.wantError("Save", err, fault.Invalid)
	case saved:
		m.must(err)
		if m.saved[user] == nil {
			m.saved[user] = map[catalogue.ID]bool{}
		}
		m.saved[user][id] = true
	default:
		m.must(err)
		delete(m.saved[user], id)
	}
}

// checkForgetVideos accepts any order of the changes: the order is up to the engine.
func (m *collectionsModel) checkForgetVideos(rt *rapid.T) {
	videos := []catalogue.ID{m.video(rt), m.video(rt)}
	m.must(m.ForgetVideos(m.ctx, videos))
	m.changed(func(c *collection.Collection) bool {
		before := len(c.Assets)
		c.Assets = slices.DeleteFunc(c.Assets, func(a collection.Asset) bool { return slices.Contains(videos, a.VideoID) })
		return len(c.Assets) < before
	})
}

func (m *collectionsModel) checkForgetUser(rt *rapid.T) {
	user := m.user(rt)
	n, err := m.ForgetUser(m.ctx, user)
	m.must(err)
	gone := 0
	for _, change := range m.changes(m.start + store.Position(len(m.log))) {
		if c := m.stored[change.ID]; change.Deleted && user != "" && c != nil && c.Owner == user {
			m.remove(change.ID)
			gone++
		}
	}
	for _, c := range m.stored {
		if user != "" && c.Owner == user {
			m.Errorf("%s of %s is not deleted", c.ID, user)
		}
	}
	if n != gone {
		m.Errorf("%d collections are deleted, ForgetUser returned %d", gone, n)
	}
	delete(m.saved, user)
	m.changed(func(c *collection.Collection) (forgotten bool) {
		for _, asset := range c.Assets {
			for i := range asset.Comments {
				if comment := &asset.Comments[i]; user != "" && comment.UserID == user && comment.Name != "" {
					comment.Name, comment.Email, forgotten = "", "", true
				}
			}
		}
		return forgotten
	})
}

// changed applies fn to all collections and takes the order of the changes from the log.
func (m *collectionsModel) changed(fn func(c *collection.Collection) bool) {
	waiting := map[catalogue.ID]bool{}
	for id, c := range m.stored {
		c = m.copied(c)
		if fn(c) {
			m.stored[id], waiting[id] = c, true
		}
	}
	for _, change := range m.changes(m.start + store.Position(len(m.log))) {
		if !waiting[change.ID] {
			m.Errorf("%s is changed", change.ID)
			continue
		}
		delete(waiting, change.ID)
		m.stored[change.ID].Version = m.version(change.ID, false)
	}
	if len(waiting) > 0 {
		m.Errorf("%v are not changed", slices.Collect(maps.Keys(waiting)))
	}
}

// compare compares everything that can be read with the list.
func (m *collectionsModel) compare() {
	m.wantEqual("the log", m.changes(m.start), m.log)
	var ids []catalogue.ID
	for n := range 8 {
		ids = append(ids, collectionID(1000*m.round+n))
	}
	got, err := m.Collections.Collections(m.ctx, ids)
	m.must(err)
	m.wantEqual("Collections", got, m.pick(ids, func(*collection.Collection) bool { return true }))
	for n := range 4 {
		user := fmt.Sprintf("user %d of %d", n, m.round)
		isSaved := func(c *collection.Collection) bool { return m.saved[user][c.ID] }
		userLists := m.userLists(user)
		m.wantEqual("own", userLists.Own, m.inOrder(m.pick(ids, func(c *collection.Collection) bool { return c.Owner == user })))
		m.wantEqual("saved", userLists.Saved, m.inOrder(m.pick(ids, isSaved)))
		saved, err := m.Saved(m.ctx, user, ids)
		m.must(err)
		for _, id := range ids {
			if saved[id] != m.saved[user][id] {
				m.Errorf("%s has saved %s: %t", user, id, saved[id])
			}
		}
	}
}

func (m *collectionsModel) pick(ids []catalogue.ID, keep func(c *collection.Collection) bool) []*collection.Collection {
	list := []*collection.Collection{}
	for _, id := range ids {
		if c := m.stored[id]; c != nil && keep(c) {
			list = append(list, c)
		}
	}
	return list
}

func (m *collectionsModel) inOrder(list []*collection.Collection) []*collection.Collection {
	slices.SortFunc(list, func(a, b *collection.Collection) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}
