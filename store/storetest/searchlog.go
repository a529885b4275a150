package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

// EmptySearchLog creates a new, empty search log and returns a function that opens it. Each opening represents a
// separate process.
type EmptySearchLog func(t *testing.T) (open func() store.SearchLog)

// SearchLog runs the suite of store.SearchLog.
func SearchLog(t *testing.T, empty EmptySearchLog) {
	for name, test := range map[string]func(a *searchLogFixture){
		"an empty store":                       testNoQueries,
		"searches add up":                      testSearchesAddUp,
		"the last search sets the results":     testLastSearch,
		"filtered searches never count as few": testFilteredSearches,
		"clicks belong to searches":            testQueryClicks,
		"orders and limits":                    testQueryOrders,
		"accounts and sandboxes":               testQueryAccounts,
		"any text":                             testAnyQueryText,
		"invalid queries and batches":          testQueryErrors,
		"shared by three, never by two":        testSharedByThree,
		"shared with results, unfiltered":      testSharedFound,
		"rare spellings are not shown":         testSharedSpelling,
		"the most shared first, up to limit":   testSharedOrder,
		"days are forgotten":                   testForgetDays,
		"many rows are forgotten":              testForgetManyQueries,
		"an account is forgotten":              testForgetQueriesOfAccount,
		"all of a batch or nothing":            testQueryBatchWhole,
		"two processes at once lose nothing":   testQueryRace,
		"forgetting among writers":             testForgetRaceOfQueries,
		"added searches outlive a process":     testQueriesStay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			test(newSearchLogFixture(t, empty))
		})
	}
	t.Run("agree with a list", func(t *testing.T) {
		t.Parallel()
		checkQueries(t, empty)
	})
}

// searchLogFixture is one empty search log.
type searchLogFixture struct {
	testingT
	store.SearchLog
	t    *testing.T
	ctx  context.Context
	open func() store.SearchLog
	at   event.Instant // of the last search
}

func newSearchLogFixture(t *testing.T, empty EmptySearchLog) *searchLogFixture {
	t.Helper()
	a := &searchLogFixture{testingT: t, t: t, ctx: t.Context(), open: empty(t)}
	a.SearchLog = a.openAnother()
	return a
}

// openAnother opens the search log as a further process.
func (a *searchLogFixture) openAnother() store.SearchLog {
	a.Helper()
	opened := a.open()
	a.t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// The days of the tests.
const (
	monday  catalogue.Date = 20_600
	tuesday                = monday + 1
	sunday                 = monday + 6
)

// search returns one search of an account, ready to add. Its text is the spelling in lower case.
func (a *searchLogFixture) search(day catalogue.Date, account, spelling string, found int64) store.Searched {
	a.at++
	s := store.Searched{
		SearchLogKey: store.SearchLogKey{Day: day, Account: account, Text: strings.ToLower(spelling)},
		Sandbox:      strings.HasPrefix(account, "sandbox"), Spelling: spelling, At: a.at, Times: 1, Unfiltered: 1, Found: found, FoundAt: a.at,
	}
	if found == 0 {
		s.Empty = 1
	}
	return s
}

// filtered returns the search as one with filters.
func filtered(s store.Searched) store.Searched {
	s.Unfiltered, s.Empty, s.Found, s.FoundAt = 0, 0, 0, 0
	return s
}

func click(day catalogue.Date, account, text, video string, times int64) store.Clicked {
	return store.Clicked{
		SearchLogKey: store.SearchLogKey{Day: day, Account: account, Text: text},
		Sandbox:      strings.HasPrefix(account, "sandbox"), Video: video, Times: times,
	}
}

func (a *searchLogFixture) add(searches ...store.Searched) {
	a.Helper()
	if err := a.Add(a.ctx, store.SearchLogBatch{Searches: searches}); err != nil {
		a.Fatal(err)
	}
}

func (a *searchLogFixture) addClicks(clicks ...store.Clicked) {
	a.Helper()
	if err := a.Add(a.ctx, store.SearchLogBatch{Clicks: clicks}); err != nil {
		a.Fatal(err)
	}
}

// week returns a query for the week of the tests, modified by change.
func week(change func(q *store.SearchLogQuery)) store.SearchLogQuery {
	q := store.SearchLogQuery{From: monday, To: sunday, Limit: store.MaxQueryRows}
	if change != nil {
		change(&q)
	}
	return q
}

func (a *searchLogFixture) wantReport(what string, question store.SearchLogQuery, want ...store.SearchLogRow) {
	a.Helper()
	got, err := a.Report(a.ctx, question)
	if err != nil {
		a.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		a.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (a *searchLogFixture) wantShared(what string, since catalogue.Date, accounts, limit int, want ...store.SharedSearch) {
	a.Helper()
	got, err := a.Shared(a.ctx, since, accounts, limit)
	if err != nil {
		a.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		a.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// texts returns the texts of a report, in order.
func (a *searchLogFixture) texts(question store.SearchLogQuery) string {
	a.Helper()
	rows, err := a.Report(a.ctx, question)
	if err != nil {
		a.Fatal(err)
	}
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = row.Text
	}
	return fmt.Sprint(list)
}

func number(n int64) *int64 { return &n }
