package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var removalTests = map[string]func(h *catalogueFixture){
	"written":       testRemovalsWritten,
	"back":          testRemovalsBack,
	"passed":        testRemovalsPassed,
	"past day":      testRemovalsPastDay,
	"from":          testRemovalsFrom,
	"stopped clock": testRemovalsWithoutTime,
	"rolled back":   testRemovalsRolledBack,
}

// today returns the date of the clock.
func (h *catalogueFixture) today() catalogue.Date { return catalogue.DateOf(h.clock.Now()) }

// removals reads all removed videos, page by page.
func (h *catalogueFixture) removals(query store.RemovalQuery) (all []catalogue.Removal) {
	h.Helper()
	query.Size = max(1, query.Size)
	for range 1000 {
		query.Today = h.today()
		page, err := h.Removals(h.ctx, query)
		h.must(err)
		if len(page.Removals) > query.Size {
			h.Errorf("a page of %d has %d removals", query.Size, len(page.Removals))
		}
		all = append(all, page.Removals...)
		if !page.More {
			return all
		}
		query.After = page.Next
	}
	h.Fatal("the walk does not end")
	return nil
}

// wantRemovals checks the list of all removed videos.
func (h *catalogueFixture) wantRemovals(what string, query store.RemovalQuery, want ...catalogue.Removal) {
	h.Helper()
	for _, size := range []int{1, 2, 1000} {
		query.Size = size
		if got := h.removals(query); !slices.Equal(got, want) {
			h.Errorf("%s, %d a page: got %v, want %v", what, size, got, want)
		}
	}
}

func removal(n int, at time.Time, reason catalogue.RemovalReason) catalogue.Removal {
	return catalogue.Removal{ID: idOf(catalogue.KindVideo, n), RemovedAt: at, Reason: reason}
}

func retired(n int) *catalogue.Video {
	v := video(n)
	v.Retired = true
	return v
}

func until(n int, day catalogue.Date) *catalogue.Video {
	v := video(n)
	v.AvailableUntil = &day
	return v
}

func testRemovalsWritten(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 4)...)
	h.wantRemovals("nothing", store.RemovalQuery{})
	first := h.clock.tick()
	h.put(retired(3))
	second := h.clock.tick()
	h.delete(catalogue.KindVideo, idOf(catalogue.KindVideo, 1))
	h.delete(catalogue.KindVideo, idOf(catalogue.KindVideo, 77))
	third := h.clock.tick()
	again := retired(3)
	again.Title = "Another"
	h.put(again)
	h.wantRemovals("retired and deleted", store.RemovalQuery{}, removal(3, first, catalogue.Retired), removal(1, second, catalogue.Deleted))
	h.delete(catalogue.KindVideo, idOf(catalogue.KindVideo, 3))
	h.put(retired(9))
	h.reopen()
	h.wantRemovals("later", store.RemovalQuery{},
		removal(1, second, catalogue.Deleted), removal(3, third, catalogue.Deleted), removal(9, third, catalogue.Retired))
}

func testRemovalsBack(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 2)...)
	h.put(retired(1))
	h.delete(catalogue.KindVideo, idOf(catalogue.KindVideo, 2))
	h.put(videos(1, 2)...)
	h.wantRemovals("both are back", store.RemovalQuery{})
	at := h.clock.tick()
	h.put(retired(1))
	h.wantRemovals("gone again", store.RemovalQuery{}, removal(1, at, catalogue.Retired))
}

func testRemovalsPassed(h *catalogueFixture) {
	h.put(channel(1))
	day := h.today()
	h.put(until(1, day), until(2, day+1), until(3, day+400))
	h.wantRemovals("none has passed", store.RemovalQuery{})
	h.clock.add(48 * time.Hour)
	one, two := removal(1, (day+1).Start(), catalogue.Expired), removal(2, (day+2).Start(), catalogue.Expired)
	h.wantRemovals("two have passed", store.RemovalQuery{}, one, two)
	changed := until(1, day)
	changed.Title = "Another"
	h.put(changed)
	h.wantRemovals("a change of something else", store.RemovalQuery{}, one, two)
	at := h.clock.tick()
	gone := until(1, day)
	gone.Retired = true
	h.put(gone)
	h.wantRemovals("retired as well", store.RemovalQuery{}, two, removal(1, at, catalogue.Retired))
	at = h.clock.tick()
	h.put(until(1, day))
	h.put(until(2, h.today()))
	h.wantRemovals("one prolonged", store.RemovalQuery{}, removal(1, at, catalogue.Expired))
}

func testRemovalsPastDay(h *catalogueFixture) {
	h.put(channel(1), video(1))
	at := h.clock.tick()
	h.put(until(1, h.today()-100), until(2, -4000))
	h.wantRemovals("days in the past", store.RemovalQuery{}, removal(1, at, catalogue.Expired), removal(2, at, catalogue.Expired))
	later := h.clock.tick()
	h.put(until(1, h.today()-50))
	h.wantRemovals("another day in the past", store.RemovalQuery{}, removal(2, at, catalogue.Expired), removal(1, later, catalogue.Expired))
}

func testRemovalsFrom(h *catalogueFixture) {
	h.put(channel(1))
	day := h.today()
	h.put(videos(1, 2)...)
	h.put(until(3, day), until(4, day+1))
	first := h.clock.tick()
	h.put(retired(1))
	h.clock.add(24 * time.Hour)
	second := h.clock.tick()
	h.put(retired(2))
	h.clock.add(24 * time.Hour)
	all := []catalogue.Removal{
		removal(1, first, catalogue.Retired), removal(3, (day + 1).Start(), catalogue.Expired),
		removal(2, second, catalogue.Retired), removal(4, (day + 2).Start(), catalogue.Expired),
	}
	h.wantRemovals("from long ago", store.RemovalQuery{From: time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC)}, all...)
	for i, one := range all {
		h.wantRemovals(fmt.Sprint("from the time of ", i), store.RemovalQuery{From: one.RemovedAt}, all[i:]...)
		h.wantRemovals(fmt.Sprint("from behind ", i), store.RemovalQuery{From: one.RemovedAt.Add(time.Nanosecond)}, all[i+1:]...)
	}
}

// testRemovalsWithoutTime checks that, if the clock stops or moves back, no removal is placed before removals that a
// reader has already seen.
func testRemovalsWithoutTime(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 6)...)
	h.put(retired(5), retired(2))
	query := store.RemovalQuery{Size: 10, Today: h.today()}
	page, err := h.Removals(h.ctx, query)
	h.must(err)
	h.put(retired(4))
	h.clock.add(-time.Hour)
	h.delete(catalogue.KindVideo, videoIDs(6, 1)...)
	query.After = page.Next
	page, err = h.Removals(h.ctx, query)
	h.must(err)
	var met []catalogue.ID
	for _, one := range page.Removals {
		met = append(met, one.ID)
	}
	if want := videoIDs(4, 6, 1); !slices.Equal(met, want) || page.More {
		h.Errorf("behind the first page: got %v (more: %t), want %v", met, page.More, want)
	}
}

func testRemovalsRolledBack(h *catalogueFixture) {
	h.put(channel(1), video(1))
	h.wantError("planned", h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindVideo, videoIDs(1))
		h.must(err)
		h.must(tx.Note(ctx, []store.CatalogueAuditEntry{{Kind: catalogue.KindVideo, After: []byte(`1`)}}))
		return errPlanned
	}), errPlanned)
	h.wantRemovals("nothing", store.RemovalQuery{})
	h.wantAudit("nothing", store.CatalogueAuditQuery{Limit: 10})
}

var catalogueAuditTests = map[string]func(h *catalogueFixture){
	"entries": testCatalogueAudit,
}

// wantAudit checks entries of the audit log, newest first, by their After bodies.
func (h *catalogueFixture) wantAudit(what string, query store.CatalogueAuditQuery, want ...string) (entries []store.CatalogueAuditEntry) {
	h.Helper()
	entries, err := h.Audit(h.ctx, query)
	h.must(err)
	var got []string
	for i, entry := range entries {
		got = append(got, string(entry.After))
		if i > 0 && entry.Number >= entries[i-1].Number {
			h.Errorf("%s: the number %d follows %d", what, entry.Number, entries[i-1].Number)
		}
	}
	if !slices.Equal(got, want) {
		h.Errorf("%s: got %v, want %v", what, got, want)
	}
	return entries
}

func testCatalogueAudit(h *catalogueFixture) {
	actor := account.Actor{Client: "console", User: "ada \x00 \xff"}
	one, two := idOf(catalogue.KindTag, 1), idOf(catalogue.KindTag, 2)
	note := func(entries ...store.CatalogueAuditEntry) {
		h.write(func(ctx context.Context, tx store.Tx) { h.must(tx.Note(ctx, entries)) })
	}
	at := h.clock.tick()
	note(store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.KindTag, ID: one, Before: []byte(`0`), After: []byte(`1`), Number: 99})
	h.clock.tick()
	note(
		store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.KindTag, ID: two, After: []byte(`2`)},
		store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.KindVideo, ID: one, After: []byte(`3`)},
		store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.KindVideo, After: []byte(`4`)},
	)
	note(store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.KindTag, ID: one, Before: []byte(`5`)})
	h.reopen()
	all := h.wantAudit("all", store.CatalogueAuditQuery{Limit: 10}, "", "4", "3", "2", "1")
	if len(all) == 5 {
		first := all[4]
		if first.Actor != actor || !first.At.Equal(at) || first.At.Location() != time.UTC || first.ID != one || string(first.Before) != "0" {
			h.Errorf("the first entry is %+v", first)
		}
		if all[0].After != nil || all[1].Before != nil || all[1].ID != "" {
			h.Errorf("entries with absent fields are %+v, %+v", all[0], all[1])
		}
		h.wantAudit("below", store.CatalogueAuditQuery{Limit: 10, Below: all[1].Number}, "3", "2", "1")
	}
	h.wantAudit("a limit", store.CatalogueAuditQuery{Limit: 2}, "", "4")
	h.wantAudit("a kind", store.CatalogueAuditQuery{Limit: 10, Kind: catalogue.KindTag}, "", "2", "1")
	h.wantAudit("a thing", store.CatalogueAuditQuery{Limit: 10, Kind: catalogue.KindTag, ID: one}, "", "1")
	if len(all) == 5 {
		h.wantAudit("an actor", store.CatalogueAuditQuery{Limit: 2, Actor: actor.User, Above: all[3].Number, Below: all[0].Number}, "4", "3")
		h.wantAudit("a client", store.CatalogueAuditQuery{Limit: 10, Actor: "console", Above: all[2].Number}, "", "4")
	}
	h.wantAudit("no such actor", store.CatalogueAuditQuery{Limit: 10, Actor: "ada"})
	h.wantAudit("no such thing", store.CatalogueAuditQuery{Limit: 10, Kind: catalogue.KindTag, ID: "x\x00"})
}
