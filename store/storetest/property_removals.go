package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// checkRemovals walks through removed videos while videos are retired, deleted, restored and given last days, and while
// days pass. It compares the walk with a model that examines every video after every step. The walk must return each
// video that is removed at its end exactly once with its current moment and reason. The order is by moment, except for
// videos written during the walk.
func checkRemovals(t *testing.T, empty EmptyCatalogue) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newCatalogueFixture(t, rt, empty)
		defer h.Close()
		w := &removalWalk{catalogueFixture: h, there: map[catalogue.ID]*catalogue.Video{}, gone: map[catalogue.ID]catalogue.Removal{}}
		h.put(channel(1))
		for range rapid.IntRange(0, 30).Draw(rt, "writes before") {
			w.step(rt)
		}
		query := store.RemovalQuery{Size: rapid.IntRange(1, 4).Draw(rt, "size")}
		if rapid.Bool().Draw(rt, "from") {
			query.From = (h.today() - catalogue.Date(rapid.IntRange(0, 3).Draw(rt, "days"))).Start()
		}
		met := w.walk(rt, query)
		for _, one := range w.list(query.From) {
			if met[one] != 1 {
				h.Errorf("%v is gone and was met %d times", one, met[one])
			}
		}
		w.quiet(query.From)
	})
}

// removalWalk is the naive model.
type removalWalk struct {
	*catalogueFixture
	there map[catalogue.ID]*catalogue.Video
	// gone contains the removals in effect.
	gone map[catalogue.ID]catalogue.Removal
}

// walk reads all pages, with writes between them, and counts the removals that it sees.
func (w *removalWalk) walk(rt *rapid.T, query store.RemovalQuery) map[catalogue.Removal]int {
	met := map[catalogue.Removal]int{}
	for pages := 0; ; pages++ {
		if pages > 1000 {
			w.Fatal("the walk does not end")
		}
		query.Today = w.today()
		page, err := w.Removals(w.ctx, query)
		w.must(err)
		for _, one := range page.Removals {
			met[one]++
			if now := w.gone[one.ID]; now != one {
				w.Errorf("met %v, the video is %v", one, now)
			}
		}
		if query.After = page.Next; !page.More {
			return met
		}
		for range rapid.IntRange(0, 2).Draw(rt, "writes between") {
			w.step(rt)
		}
	}
}

// quiet walks again without writes. The walk must return the complete list, ordered by moment.
func (w *removalWalk) quiet(from time.Time) {
	want := w.list(from)
	got := w.removals(store.RemovalQuery{Size: 3, From: from})
	if !slices.IsSortedFunc(got, func(a, b catalogue.Removal) int { return a.RemovedAt.Compare(b.RemovedAt) }) {
		w.Errorf("not in the order of moments: %v", got)
	}
	slices.SortFunc(got, compareRemovals)
	if !slices.Equal(got, want) {
		w.Errorf("got %v, want %v", got, want)
	}
}

// list returns the removals at or after a time.
func (w *removalWalk) list(from time.Time) (list []catalogue.Removal) {
	for _, one := range w.gone {
		if !one.RemovedAt.Before(from) {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, compareRemovals)
	return list
}

func compareRemovals(a, b catalogue.Removal) int {
	return cmp.Or(a.RemovedAt.Compare(b.RemovedAt), cmp.Compare(a.ID, b.ID))
}

// step writes one video or advances the clock.
func (w *removalWalk) step(rt *rapid.T) {
	w.clock.tick()
	n := rapid.IntRange(1, 6).Draw(rt, "video")
	id := idOf(catalogue.KindVideo, n)
	switch v := video(n); rapid.IntRange(0, 6).Draw(rt, "step") {
	case 0:
		w.clock.add(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
		w.pass()
	case 1:
		w.delete(catalogue.KindVideo, id)
		if w.there[id] != nil {
			delete(w.there, id)
			w.gone[id] = catalogue.Removal{ID: id, RemovedAt: catalogue.Instant(w.clock.Now()), Reason: catalogue.Deleted}
		}
	default:
		v.Title = fmt.Sprint("Video ", rapid.IntRange(0, 1).Draw(rt, "title"))
		v.Retired = rapid.IntRange(0, 2).Draw(rt, "retired") == 0
		if rapid.Bool().Draw(rt, "has a last day") {
			v.AvailableUntil = new(w.today() + catalogue.Date(rapid.IntRange(-2, 2).Draw(rt, "last day")))
		}
		w.rewrite(v)
	}
}

// pass removes the videos whose last day has passed.
func (w *removalWalk) pass() {
	for id, v := range w.there {
		if _, isGone := w.gone[id]; !isGone && v.AvailableUntil != nil && *v.AvailableUntil < w.today() {
			w.gone[id] = catalogue.Removal{ID: id, RemovedAt: (*v.AvailableUntil + 1).Start(), Reason: catalogue.Expired}
		}
	}
}

// rewrite puts a video. A removal remains in effect as long as its reason and the day of that reason do not change.
func (w *removalWalk) rewrite(v *catalogue.Video) {
	w.put(v)
	before, was := w.there[v.ID], w.gone[v.ID]
	w.there[v.ID] = v
	reason := catalogue.RemovalReason("")
	switch {
	case v.Retired:
		reason = catalogue.Retired
	case v.AvailableUntil != nil && *v.AvailableUntil < w.today():
		reason = catalogue.Expired
	}
	sameDay := reason != catalogue.Expired || before != nil && before.AvailableUntil != nil && *before.AvailableUntil == *v.AvailableUntil
	switch {
	case reason == "":
		delete(w.gone, v.ID)
	case was.Reason != reason || !sameDay:
		w.gone[v.ID] = catalogue.Removal{ID: v.ID, RemovedAt: catalogue.Instant(w.clock.Now()), Reason: reason}
	}
}
