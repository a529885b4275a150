package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// testSharedByThree checks that a text of two accounts does not count as shared by three, regardless of how often they
// type it.
func testSharedByThree(a *searchLogFixture) {
	for _, account := range []string{"one", "two"} {
		often := a.search(monday, account, "Mia Muster", 5)
		often.Times, often.Unfiltered = 1000, 1000
		a.add(often, a.search(tuesday, account, "Mia Muster", 5))
	}
	a.add(a.search(tuesday, "sandbox 1", "Mia Muster", 5), a.search(tuesday, "sandbox 2", "Mia Muster", 5))
	a.wantShared("two accounts and sandboxes", monday, 3, 10)
	a.add(a.search(monday-1, "three", "Mia Muster", 5))
	a.wantShared("two accounts since the day", monday, 3, 10)
	a.add(a.search(tuesday, "three", "mia muster", 5))
	a.wantShared("three accounts", monday, 3, 10, store.SharedSearch{Text: "mia muster", Spelling: "mia muster", Accounts: 3, Searches: 2003})
	a.wantShared("a day later", tuesday, 3, 10, store.SharedSearch{Text: "mia muster", Spelling: "mia muster", Accounts: 3, Searches: 3})
	a.wantShared("four accounts", monday, 4, 10)
}

func testSharedFound(a *searchLogFixture) {
	for _, account := range []string{"one", "two", "three"} {
		a.add(a.search(monday, account, "gone", 5), filtered(a.search(monday, account, "filtered", 5)), a.search(monday, account, "kept", 5))
	}
	a.add(a.search(tuesday, "one", "gone", 0), filtered(a.search(tuesday, "one", "kept", 0)))
	a.wantShared("texts with results", monday, 3, 10, store.SharedSearch{Text: "kept", Spelling: "kept", Accounts: 3, Searches: 3})
}

func testSharedSpelling(a *searchLogFixture) {
	for _, account := range []string{"one", "two", "three"} {
		a.add(a.search(monday, account, "Photosynthesis", 5))
	}
	a.add(a.search(monday, "four", "PHOTOSYNTHESIS", 5), a.search(monday, "one", "Ice", 5), a.search(monday, "two", "ICE", 5), a.search(monday, "three", "iCe", 5))
	a.wantShared("spellings", monday, 3, 10,
		store.SharedSearch{Text: "photosynthesis", Spelling: "Photosynthesis", Accounts: 4, Searches: 4},
		store.SharedSearch{Text: "ice", Spelling: "ice", Accounts: 3, Searches: 3})
}

func testSharedOrder(a *searchLogFixture) {
	for i, account := range []string{"one", "two", "three", "four"} {
		a.add(a.search(monday, account, "b", 1), a.search(monday, account, "a", 1))
		if i < 3 {
			a.add(a.search(monday, account, "c", 1), a.search(tuesday, account, "c", 1), a.search(sunday, account, "c", 1))
		}
	}
	a.add(a.search(tuesday, "one", "b", 1))
	b, first := store.SharedSearch{Text: "b", Spelling: "b", Accounts: 4, Searches: 5}, store.SharedSearch{Text: "a", Spelling: "a", Accounts: 4, Searches: 4}
	a.wantShared("all", monday, 3, 10, b, first, store.SharedSearch{Text: "c", Spelling: "c", Accounts: 3, Searches: 9})
	a.wantShared("two", monday, 3, 2, b, first)
	a.add(a.search(monday, "one", "alone", 1))
	a.wantShared("of one account, where one is enough", monday, 1, 10, b, first,
		store.SharedSearch{Text: "c", Spelling: "c", Accounts: 3, Searches: 9}, store.SharedSearch{Text: "alone", Spelling: "alone", Accounts: 1, Searches: 1})
}

func testForgetDays(a *searchLogFixture) {
	a.add(a.search(monday, "one", "old", 1), a.search(tuesday, "one", "new", 1))
	a.addClicks(click(monday, "one", "new", "v", 3), click(tuesday, "one", "new", "w", 1))
	for range 2 {
		if err := a.ForgetBefore(a.ctx, tuesday); err != nil {
			a.Fatal(err)
		}
		a.wantReport("remaining rows", week(nil), store.SearchLogRow{
			Text: "new", Spelling: "new", Searches: 1, Unfiltered: 1, Accounts: 1, Found: number(1), Clicks: 1, Videos: []store.SearchLogVideo{{Video: "w", Clicks: 1}},
		})
	}
}

func testForgetManyQueries(a *searchLogFixture) {
	var batch store.SearchLogBatch
	for i := range 6_000 { // deleting these takes more than one transaction
		text := fmt.Sprint("text ", i)
		batch.Searches = append(batch.Searches, a.search(monday, "one", text, 1), a.search(tuesday, "two", text, 1))
		batch.Clicks = append(batch.Clicks, click(monday, "one", text, "v", 1), click(tuesday, "two", text, "v", 1))
	}
	if err := a.Add(a.ctx, batch); err != nil {
		a.Fatal(err)
	}
	if err := a.ForgetBefore(a.ctx, tuesday); err != nil {
		a.Fatal(err)
	}
	if got := a.texts(week(func(q *store.SearchLogQuery) { q.Accounts = []string{"one"} })); got != "[]" {
		a.Errorf("the day before still has %.100s", got)
	}
	if err := a.ForgetAccount(a.ctx, "two"); err != nil {
		a.Fatal(err)
	}
	a.wantReport("nothing is left", week(nil))
}

func testForgetQueriesOfAccount(a *searchLogFixture) {
	a.add(a.search(monday, "one", "water", 1), a.search(monday, "two", "Water", 1))
	a.addClicks(click(monday, "one", "water", "v", 1), click(monday, "two", "water", "w", 1))
	if err := a.ForgetAccount(a.ctx, "one"); err != nil {
		a.Fatal(err)
	}
	a.wantReport("remaining rows", week(nil), store.SearchLogRow{
		Text: "water", Spelling: "Water", Searches: 1, Unfiltered: 1, Accounts: 1, Found: number(1), Clicks: 1, Videos: []store.SearchLogVideo{{Video: "w", Clicks: 1}},
	})
}

func testQueryBatchWhole(a *searchLogFixture) {
	ended, cancel := context.WithCancel(a.ctx)
	cancel()
	if err := a.Add(ended, store.SearchLogBatch{Searches: []store.Searched{a.search(monday, "one", "water", 1)}}); err == nil {
		a.Error("a call whose context has ended succeeded")
	}
	bad := store.SearchLogBatch{Searches: []store.Searched{a.search(monday, "one", "ice", 1)}, Clicks: []store.Clicked{click(monday, "one", "", "v", 1)}}
	if err := a.Add(a.ctx, bad); fault.CodeOf(err) != fault.Invalid {
		a.Errorf("a batch with a fault: %v", err)
	}
	a.wantReport("nothing was added", week(nil))
}

// testQueryRace checks that processes that add to the same rows concurrently, each in its own order, lose nothing and
// do not deadlock.
func testQueryRace(a *searchLogFixture) {
	processes := []store.SearchLog{a.SearchLog, a.openAnother()}
	const rounds, texts = 10, 40
	at := a.at
	together(4, func(writer int) {
		for round := range rounds {
			var batch store.SearchLogBatch
			for i := range texts {
				n := i
				if writer%2 == 1 {
					n = texts - 1 - i
				}
				own := searchLogFixture{at: at}
				text := fmt.Sprint("text ", n)
				batch.Searches = append(batch.Searches, own.search(monday, "one", text, 1))
				batch.Clicks = append(batch.Clicks, click(monday, "one", text, "v", 1))
			}
			if err := processes[writer%2].Add(a.ctx, batch); err != nil {
				a.Errorf("writer %d, round %d: %v", writer, round, err)
			}
		}
	})
	rows, err := a.Report(a.ctx, week(nil))
	if err != nil || len(rows) != texts {
		a.Fatalf("%d texts are reported, %v", len(rows), err)
	}
	for _, row := range rows {
		if row.Searches != 4*rounds || row.Clicks != 4*rounds || row.Unfiltered != 4*rounds {
			a.Errorf("%s was searched for %d times and clicked %d times, want %d", row.Text, row.Searches, row.Clicks, 4*rounds)
		}
	}
}

func testForgetRaceOfQueries(a *searchLogFixture) {
	processes := []store.SearchLog{a.SearchLog, a.openAnother()}
	ctx, cancel := context.WithTimeout(a.ctx, time.Minute)
	defer cancel()
	together(3, func(i int) {
		for round := range 10 {
			var err error
			switch i {
			case 0:
				own := searchLogFixture{}
				err = processes[0].Add(ctx, store.SearchLogBatch{Searches: []store.Searched{
					own.search(monday, "one", fmt.Sprint("old ", round), 1), own.search(tuesday, "one", "new", 1),
				}})
			default:
				err = processes[i%2].ForgetBefore(ctx, tuesday)
			}
			if err != nil {
				a.Errorf("%d: %v", i, err)
			}
		}
	})
	if err := a.ForgetBefore(a.ctx, tuesday); err != nil {
		a.Fatal(err)
	}
	a.wantReport("remaining rows", week(nil), store.SearchLogRow{
		Text: "new", Spelling: "new", Searches: 10, Unfiltered: 10, Accounts: 1, Found: number(1),
	})
}

func testQueriesStay(a *searchLogFixture) {
	a.add(a.search(monday, "one", "water", 1))
	if err := a.Close(); err != nil {
		a.Fatal(err)
	}
	if _, err := a.Report(a.ctx, week(nil)); err == nil {
		a.Error("a closed store can be read")
	}
	a.SearchLog = a.openAnother()
	if got := a.texts(week(nil)); got != "[water]" {
		a.Errorf("there is %s", got)
	}
}
