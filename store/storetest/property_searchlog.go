package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	diffs "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

// loggedQuery is one search or click. The naive model keeps all of them in a list.
type loggedQuery struct {
	day                      catalogue.Date
	account, spelling, video string
	filtered                 bool
	found                    int64
	at                       event.Instant
}

func (q *loggedQuery) text() string  { return strings.ToLower(q.spelling) }
func (q *loggedQuery) sandbox() bool { return strings.HasPrefix(q.account, "sandbox") }

// checkQueries compares the reports and the shared searches with the list, after batches of two processes in any order.
func checkQueries(t *testing.T, empty EmptySearchLog) {
	rapid.Check(t, func(rt *rapid.T) {
		a := newSearchLogFixture(t, empty)
		a.testingT = rt
		processes := []store.SearchLog{a.SearchLog, a.openAnother()}
		defer func() { _, _ = processes[0].Close(), processes[1].Close() }()
		all := rapid.SliceOfN(rapid.Custom(drawLoggedQuery), 1, 40).Draw(rt, "asked")
		for i, at := range rapid.Permutation(instants(len(all))).Draw(rt, "at") {
			all[i].at = at
		}
		rest := all
		for turn := 0; len(rest) > 0; turn++ {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "batch")
			if err := processes[turn%2].Add(a.ctx, batchOf(rest[:n])); err != nil {
				rt.Fatal(err)
			}
			rest = rest[n:]
		}
		for range 4 {
			q := drawQuestion(rt)
			a.wantReport(fmt.Sprintf("%+v", q), q, reportOf(all, &q)...)
		}
		since, accounts, limit := monday+catalogue.Date(rapid.IntRange(0, 3).Draw(rt, "since")), rapid.IntRange(1, 3).Draw(rt, "accounts"), rapid.IntRange(1, 5).Draw(rt, "limit")
		got, err := a.Shared(a.ctx, since, accounts, limit)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := diffs.Diff(sharedOf(all, since, accounts, limit), got, cmpopts.EquateEmpty()); diff != "" {
			rt.Errorf("shared by %d since %d (-want +got):\n%s", accounts, since, diff)
		}
	})
}

func instants(n int) []event.Instant {
	list := make([]event.Instant, n)
	for i := range list {
		list[i] = event.Instant(i + 1)
	}
	return list
}

func drawLoggedQuery(t *rapid.T) loggedQuery {
	return loggedQuery{
		day:      monday + catalogue.Date(rapid.IntRange(0, 3).Draw(t, "day")),
		account:  rapid.SampledFrom([]string{"one", "two", "three", "sandbox"}).Draw(t, "account"),
		spelling: rapid.SampledFrom([]string{"ab", "Ab", "AB", "b", "B", "cab", "d"}).Draw(t, "spelling"),
		video:    rapid.SampledFrom([]string{"", "", "", "v1", "v2"}).Draw(t, "video"),
		filtered: rapid.IntRange(0, 3).Draw(t, "filtered") == 0,
		found:    int64(rapid.IntRange(0, 3).Draw(t, "found")),
	}
}

func drawQuestion(t *rapid.T) store.SearchLogQuery {
	q := store.SearchLogQuery{
		From: monday + catalogue.Date(rapid.IntRange(0, 2).Draw(t, "from")), Sandbox: rapid.Bool().Draw(t, "sandbox"),
		Contains: rapid.SampledFrom([]string{"", "", "b", "ab"}).Draw(t, "contains"),
		Order:    store.SearchLogOrder(rapid.IntRange(0, int(store.MostClicks)).Draw(t, "order")),
		Limit:    rapid.IntRange(1, 6).Draw(t, "limit"),
	}
	q.To = q.From + catalogue.Date(rapid.IntRange(0, 3).Draw(t, "days"))
	if rapid.Bool().Draw(t, "few") {
		q.Few = number(int64(rapid.IntRange(0, 3).Draw(t, "at most")))
	}
	q.Accounts = rapid.SampledFrom([][]string{nil, nil, {"one"}, {"one", "two"}, {"sandbox"}, {}}).Draw(t, "accounts")
	return q
}

// batchOf converts searches and clicks to a batch, each added separately.
func batchOf(list []loggedQuery) (batch store.SearchLogBatch) {
	for i := range list {
		q := &list[i]
		if q.video != "" {
			batch.Clicks = append(batch.Clicks, click(q.day, q.account, q.text(), q.video, 1))
			continue
		}
		own := searchLogFixture{at: q.at - 1}
		s := own.search(q.day, q.account, q.spelling, q.found)
		if q.filtered {
			s = filtered(s)
		}
		batch.Searches = append(batch.Searches, s)
	}
	return batch
}

// reportOf computes a report from the list.
func reportOf(all []loggedQuery, question *store.SearchLogQuery) (rows []store.SearchLogRow) {
	kept := slices.DeleteFunc(slices.Clone(all), func(q loggedQuery) bool {
		return q.day < question.From || q.day > question.To || q.sandbox() && !question.Sandbox ||
			question.Accounts != nil && !slices.Contains(question.Accounts, q.account) || !strings.Contains(q.text(), question.Contains)
	})
	for _, text := range []string{"ab", "b", "cab", "d"} {
		row := store.SearchLogRow{Text: text}
		var found loggedQuery
		accounts, clicks := map[string]bool{}, map[string]int64{}
		for _, q := range kept {
			switch {
			case q.text() != text:
			case q.video != "":
				row.Clicks++
				clicks[q.video]++
			default:
				row.Searches++
				accounts[q.account] = true
				if !q.filtered {
					row.Unfiltered++
					if q.found == 0 {
						row.Empty++
					}
					if q.at > found.at {
						found = q
					}
				}
			}
		}
		if found.at > 0 {
			row.Found = &found.found
		}
		if row.Searches == 0 || question.Few != nil && (row.Found == nil || *row.Found > *question.Few) {
			continue
		}
		row.Accounts = len(accounts)
		row.Spelling = spellingOf(kept, text, func(w *spelling) int { return w.searches }).spelling
		for _, video := range []string{"v1", "v2"} {
			if clicks[video] > 0 {
				row.Videos = append(row.Videos, store.SearchLogVideo{Video: video, Clicks: clicks[video]})
			}
		}
		slices.SortStableFunc(row.Videos, func(a, b store.SearchLogVideo) int { return cmp.Compare(b.Clicks, a.Clicks) })
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b store.SearchLogRow) int {
		switch question.Order {
		case store.MostEmpty:
			return cmp.Compare(b.Empty, a.Empty)
		case store.MostClicks:
			return cmp.Compare(b.Clicks, a.Clicks)
		}
		return cmp.Compare(b.Searches, a.Searches)
	})
	return rows[:min(len(rows), question.Limit)]
}

// spelling is one spelling of a text in a list.
type spelling struct {
	spelling string
	searches int
	last     event.Instant
	accounts map[string]bool
}

// spellingOf returns the spelling with the highest weight. All searches of an account on one day count for the last
// spelling of that day.
func spellingOf(list []loggedQuery, text string, weight func(*spelling) int) spelling {
	type accountDay struct {
		account string
		day     catalogue.Date
	}
	last, count := map[accountDay]loggedQuery{}, map[accountDay]int{}
	for _, q := range list {
		key := accountDay{q.account, q.day}
		if q.text() == text && q.video == "" {
			count[key]++
			if q.at > last[key].at {
				last[key] = q
			}
		}
	}
	ways := map[string]*spelling{}
	for key, q := range last {
		w := ways[q.spelling]
		if w == nil {
			w = &spelling{spelling: q.spelling, accounts: map[string]bool{}}
			ways[q.spelling] = w
		}
		w.searches += count[key]
		w.last = max(w.last, q.at)
		w.accounts[q.account] = true
	}
	var best *spelling
	for _, w := range ways {
		if best == nil || weight(w) > weight(best) || weight(w) == weight(best) && w.last > best.last {
			best = w // no two spellings have the same time
		}
	}
	return *best
}

// sharedOf computes the shared searches from the list.
func sharedOf(all []loggedQuery, since catalogue.Date, accounts, limit int) (shared []store.SharedSearch) {
	for _, text := range []string{"ab", "b", "cab", "d"} {
		// A day counts if an account searched on it without a filter. It counts for the last spelling used on that day.
		days := map[string]bool{}
		for _, q := range all {
			if q.text() == text && q.video == "" && !q.filtered && !q.sandbox() && q.day >= since {
				days[fmt.Sprint(q.account, q.day)] = true
			}
		}
		of := slices.DeleteFunc(slices.Clone(all), func(q loggedQuery) bool {
			return q.text() != text || q.video != "" || !days[fmt.Sprint(q.account, q.day)]
		})
		sum := store.SharedSearch{Text: text}
		by := map[string]bool{}
		var last loggedQuery
		for _, q := range of {
			by[q.account] = true
			if !q.filtered {
				sum.Searches++
				if q.at > last.at {
					last = q
				}
			}
		}
		if len(by) < accounts || last.found == 0 {
			continue
		}
		sum.Accounts, sum.Spelling = len(by), text
		if best := spellingOf(of, text, func(w *spelling) int { return len(w.accounts) }); len(best.accounts) >= accounts {
			sum.Spelling = best.spelling
		}
		shared = append(shared, sum)
	}
	slices.SortStableFunc(shared, func(a, b store.SharedSearch) int {
		return cmp.Or(cmp.Compare(b.Accounts, a.Accounts), cmp.Compare(b.Searches, a.Searches))
	})
	return shared[:min(len(shared), limit)]
}
