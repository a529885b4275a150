package storetest

import (
	"strings"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

func testNoQueries(a *searchLogFixture) {
	a.wantReport("nothing was searched for", week(nil))
	a.wantShared("nothing is shared", monday, 1, 10)
	if err := a.Add(a.ctx, store.SearchLogBatch{}); err != nil {
		a.Errorf("an empty batch: %v", err)
	}
}

func testSearchesAddUp(a *searchLogFixture) {
	a.add(a.search(monday, "one", "Water", 7), a.search(monday, "one", "Water", 0), a.search(tuesday, "one", "water", 0))
	a.add(a.search(monday, "two", "WATER", 3))
	a.add(a.search(monday, "one", "water", 0))
	a.add(a.search(monday-1, "three", "water", 5), a.search(sunday+1, "four", "water", 5))
	a.wantReport("a week", week(nil), store.SearchLogRow{
		Text: "water", Spelling: "water", Searches: 5, Unfiltered: 5, Empty: 3, Accounts: 2, Found: number(0),
	})
	a.wantReport("one day", week(func(q *store.SearchLogQuery) { q.To = monday }), store.SearchLogRow{
		Text: "water", Spelling: "water", Searches: 4, Unfiltered: 4, Empty: 2, Accounts: 2, Found: number(0),
	})
}

func testLastSearch(a *searchLogFixture) {
	late, early := a.search(monday, "one", "Late", 0), a.search(monday, "one", "late", 0)
	late.At, late.FoundAt, late.Found, late.Empty = 900, 900, 12, 0
	early.At, early.FoundAt = 500, 500
	a.add(late)
	a.add(early) // from a process that reported late
	a.wantReport("the last search is not the last reported one", week(nil), store.SearchLogRow{
		Text: "late", Spelling: "Late", Searches: 2, Unfiltered: 2, Empty: 1, Accounts: 1, Found: number(12),
	})
	a.wantReport("many results are not few", week(func(q *store.SearchLogQuery) { q.Few = number(11) }))
}

func testFilteredSearches(a *searchLogFixture) {
	a.add(filtered(a.search(monday, "one", "ice", 0)))
	few := week(func(q *store.SearchLogQuery) { q.Few = number(100) })
	a.wantReport("filters alone", week(nil), store.SearchLogRow{Text: "ice", Spelling: "ice", Searches: 1, Accounts: 1})
	a.wantReport("filtered searches have no results", few)
	a.add(a.search(monday, "one", "ice", 4))
	a.add(filtered(a.search(monday, "one", "Ice", 0)))
	row := store.SearchLogRow{Text: "ice", Spelling: "Ice", Searches: 3, Unfiltered: 1, Accounts: 1, Found: number(4)}
	a.wantReport("a filter takes no results back", week(nil), row)
	a.wantReport("few", few, row)
	a.wantReport("exactly as few", week(func(q *store.SearchLogQuery) { q.Few = number(4) }), row)
	a.wantReport("fewer", week(func(q *store.SearchLogQuery) { q.Few = number(3) }))
}

func testQueryClicks(a *searchLogFixture) {
	a.addClicks(click(monday, "one", "water", "v1", 2), click(tuesday, "two", "water", "v1", 1), click(monday, "one", "ice", "v1", 9))
	a.wantReport("clicks without searches", week(nil))
	a.add(a.search(tuesday, "two", "water", 8))
	for _, video := range []string{"v6", "v5", "v4", "v3", "v2"} {
		a.addClicks(click(monday, "one", "water", video, 1))
	}
	a.addClicks(click(sunday+1, "one", "water", "v2", 50))
	a.wantReport("clicks", week(nil), store.SearchLogRow{
		Text: "water", Spelling: "water", Searches: 1, Unfiltered: 1, Accounts: 1, Found: number(8), Clicks: 8,
		Videos: []store.SearchLogVideo{{Video: "v1", Clicks: 3}, {Video: "v2", Clicks: 1}, {Video: "v3", Clicks: 1}, {Video: "v4", Clicks: 1}, {Video: "v5", Clicks: 1}},
	})
}

func testQueryOrders(a *searchLogFixture) {
	a.add(a.search(monday, "one", "often", 1), a.search(monday, "one", "often", 1), a.search(monday, "one", "often", 1),
		a.search(monday, "one", "nothing", 0), a.search(monday, "one", "nothing", 0), a.search(monday, "one", "a click", 5), a.search(monday, "one", "b click", 5))
	a.addClicks(click(monday, "one", "a click", "v", 1), click(monday, "one", "b click", "v", 1))
	for order, want := range map[store.SearchLogOrder]string{
		store.MostSearches: "[often nothing a click b click]",
		store.MostEmpty:    "[nothing a click b click often]",
		store.MostClicks:   "[a click b click nothing often]",
	} {
		if got := a.texts(week(func(q *store.SearchLogQuery) { q.Order = order })); got != want {
			a.Errorf("order %d gives %s, want %s", order, got, want)
		}
	}
	if got := a.texts(week(func(q *store.SearchLogQuery) { q.Limit = 2 })); got != "[often nothing]" {
		a.Errorf("two rows are %s", got)
	}
	if got := a.texts(week(func(q *store.SearchLogQuery) { q.Contains = "click" })); got != "[a click b click]" {
		a.Errorf("those with a click are %s", got)
	}
	if got := a.texts(week(func(q *store.SearchLogQuery) { q.Contains = "%" })); got != "[]" {
		a.Errorf("those with a percent sign are %s", got)
	}
}

func testQueryAccounts(a *searchLogFixture) {
	a.add(a.search(monday, "one", "water", 1), a.search(monday, "two", "Water", 2), a.search(monday, "sandbox", "WATER", 3))
	a.addClicks(click(monday, "one", "water", "v1", 1), click(monday, "two", "water", "v2", 1), click(monday, "sandbox", "water", "v3", 1))
	of := func(sandbox bool, accounts ...string) store.SearchLogQuery {
		return week(func(q *store.SearchLogQuery) { q.Accounts, q.Sandbox = accounts, sandbox })
	}
	one := store.SearchLogRow{
		Text: "water", Spelling: "water", Searches: 1, Unfiltered: 1, Accounts: 1, Found: number(1), Clicks: 1, Videos: []store.SearchLogVideo{{Video: "v1", Clicks: 1}},
	}
	both := store.SearchLogRow{
		Text: "water", Spelling: "Water", Searches: 2, Unfiltered: 2, Accounts: 2, Found: number(2), Clicks: 2, Videos: []store.SearchLogVideo{{Video: "v1", Clicks: 1}, {Video: "v2", Clicks: 1}},
	}
	a.wantReport("one account", of(false, "one"), one)
	a.wantReport("two accounts", of(false, "one", "two"), both)
	a.wantReport("a sandbox is left out", of(false), both)
	a.wantReport("also by name", of(false, "sandbox"))
	a.wantReport("of no account", week(func(q *store.SearchLogQuery) { q.Accounts = []string{} }))
	a.wantReport("of nobody", of(true, "nobody"))
	all := both
	all.Spelling, all.Searches, all.Unfiltered, all.Accounts, all.Found, all.Clicks = "WATER", 3, 3, 3, number(3), 3
	all.Videos = append(all.Videos[:2:2], store.SearchLogVideo{Video: "v3", Clicks: 1})
	a.wantReport("with sandboxes", of(true), all)
}

func testAnyQueryText(a *searchLogFixture) {
	for _, text := range []string{"größe", "水 の 循環", "a'b\"c", "x\x00y", "\xff\xfe", strings.Repeat("long ", 400)} {
		a.add(a.search(monday, "one\x00'", text, 1))
		s := a.search(monday, "one", text, 1)
		s.Text = text
		a.add(s)
		rows, err := a.Report(a.ctx, week(func(q *store.SearchLogQuery) { q.Contains, q.Accounts = text, []string{"one"} }))
		if err != nil || len(rows) != 1 || rows[0].Text != text || rows[0].Spelling != text {
			a.Errorf("%q is reported as %+v, %v", text, rows, err)
		}
	}
}

func testQueryErrors(a *searchLogFixture) {
	for name, q := range map[string]store.SearchLogQuery{
		"days backwards": week(func(q *store.SearchLogQuery) { q.To = monday - 1 }),
		"few below 0":    week(func(q *store.SearchLogQuery) { q.Few = number(-1) }),
		"no order":       week(func(q *store.SearchLogQuery) { q.Order = 77 }),
		"no rows":        week(func(q *store.SearchLogQuery) { q.Limit = 0 }),
		"too many rows":  week(func(q *store.SearchLogQuery) { q.Limit = store.MaxQueryRows + 1 }),
	} {
		if _, err := a.Report(a.ctx, q); fault.CodeOf(err) != fault.Invalid {
			a.Errorf("%s: %v", name, err)
		}
	}
	for name, batch := range map[string]store.SearchLogBatch{
		"no text":          {Searches: []store.Searched{{}}},
		"a click on none":  {Clicks: []store.Clicked{click(monday, "one", "water", "", 1)}},
		"a click after no": {Clicks: []store.Clicked{click(monday, "one", "", "v", 1)}},
		"too much":         {Searches: make([]store.Searched, 100_001)},
	} {
		if err := a.Add(a.ctx, batch); fault.CodeOf(err) != fault.Invalid {
			a.Errorf("%s: %v", name, err)
		}
	}
	a.wantReport("rejected batches are not stored", week(nil))
}
