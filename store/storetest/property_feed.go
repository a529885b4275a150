package storetest

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// checkFeedWalk walks the feed while videos are added, changed, retired, restored, deleted and hidden. The walk must
// return each video that was visible throughout exactly once. Each page must show videos that were visible when it was
// read, in their versions at that moment, in the order of sequences.
func checkFeedWalk(t *testing.T, empty EmptyCatalogue) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newCatalogueFixture(t, rt, empty)
		defer h.Close()
		w := &walker{catalogueFixture: h, met: map[catalogue.ID]int{}, channels: []*catalogue.Channel{channel(1), channel(2)}}
		h.put(w.channels[0], w.channels[1])
		w.query = store.FeedQuery{
			Size:   rapid.IntRange(1, 5).Draw(rt, "size"),
			Access: catalogue.Access{PrivateChannels: rapid.Bool().Draw(rt, "access")},
			Today:  catalogue.Date(20_000),
		}
		if rapid.Bool().Draw(rt, "has a package") {
			w.rules = drawRules(rt)
			w.query.Access = h.access(w.rules...)
		}
		for range rapid.IntRange(0, 40).Draw(rt, "videos before") {
			w.change(rt)
		}
		if rapid.Bool().Draw(rt, "updated from") {
			w.query.UpdatedFrom = h.clock.Now().Add(-time.Duration(rapid.IntRange(0, 20).Draw(rt, "seconds")) * time.Second)
		}
		w.throughout = w.visible()
		for more := true; more; {
			for range rapid.IntRange(0, 3).Draw(rt, "changes between pages") {
				w.change(rt)
			}
			more = w.page()
		}
		for _, id := range w.throughout {
			if w.met[id] != 1 {
				h.Errorf("%s was visible throughout and met %d times", id, w.met[id])
			}
		}
	})
}

// walker is the naive model. It keeps every video and evaluates the visibility of each.
type walker struct {
	*catalogueFixture
	query      store.FeedQuery
	rules      []catalogue.AccessRule // nil means that query.Access determines the visible videos
	videos     []*catalogue.Video     // the existing videos, by sequence
	channels   []*catalogue.Channel
	throughout []catalogue.ID
	met        map[catalogue.ID]int
	made       int
	pages      int
}

func (w *walker) sees(v *catalogue.Video) bool {
	from := w.channels[0]
	if v.ChannelID == w.channels[1].ID {
		from = w.channels[1]
	}
	open := !from.Private || w.query.Access.PrivateChannels
	if w.rules != nil {
		open = allows(w.rules, v, from)
	}
	return !v.Retired && (v.AvailableUntil == nil || *v.AvailableUntil >= w.query.Today) &&
		open && !v.UpdatedAt.Before(w.query.UpdatedFrom)
}

func (w *walker) visible() (ids []catalogue.ID) {
	for _, v := range w.videos {
		if w.sees(v) {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

func (w *walker) change(rt *rapid.T) {
	w.clock.tick()
	if n := rapid.IntRange(0, 9).Draw(rt, "change"); n < 4 || len(w.videos) == 0 {
		w.add(rt)
	} else if n == 9 {
		w.hide(rt)
	} else {
		w.alter(rt, rapid.IntRange(0, len(w.videos)-1).Draw(rt, "which"))
	}
	now := w.visible()
	w.throughout = slices.DeleteFunc(w.throughout, func(id catalogue.ID) bool { return !slices.Contains(now, id) })
}

func (w *walker) add(rt *rapid.T) {
	w.made++
	v := video(w.made)
	v.ChannelID = w.channels[rapid.IntRange(0, 1).Draw(rt, "channel")].ID
	v.Retired = rapid.IntRange(0, 2).Draw(rt, "retired") == 0
	w.put(v)
	w.videos = append(w.videos, v)
}

func (w *walker) hide(rt *rapid.T) {
	c := w.channels[rapid.IntRange(0, 1).Draw(rt, "channel")]
	c.Private = !c.Private
	w.put(c)
	w.fanOut()
	for _, v := range w.videos {
		*v = *w.video(v.ID)
	}
}

func (w *walker) alter(rt *rapid.T, i int) {
	v := w.videos[i]
	switch rapid.IntRange(0, 4).Draw(rt, "alter") {
	case 0:
		w.delete(catalogue.KindVideo, v.ID)
		w.videos = slices.Delete(w.videos, i, i+1)
		return
	case 1:
		v.Retired = !v.Retired
	case 2:
		v.Title += "."
	case 3:
		v.AvailableUntil = new(w.query.Today - 1)
	case 4:
		v.AvailableUntil = new(w.query.Today)
	}
	w.put(v)
}

// page reads one page and compares it with the videos that are visible now.
func (w *walker) page() (more bool) {
	w.pages++
	if w.pages > 1000 {
		w.Fatal("the walk does not end")
	}
	page, err := w.Feed(w.ctx, w.query)
	w.must(err)
	if len(page.Refs) > w.query.Size {
		w.Errorf("a page of %d has %d references", w.query.Size, len(page.Refs))
	}
	var due []catalogue.Ref
	for _, v := range w.videos {
		if w.sees(v) && v.Sequence > w.query.After && v.Sequence <= page.Next {
			due = append(due, v.Ref())
		}
	}
	if !slices.Equal(page.Refs, due) {
		w.Errorf("from %d to %d: got %v, want %v", w.query.After, page.Next, page.Refs, due)
	}
	for _, ref := range page.Refs {
		w.met[ref.ID]++
	}
	w.query.After = page.Next
	return page.More
}
