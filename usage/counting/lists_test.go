package counting_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// listsOf gives direct access to the lists of videos in a store, so that tests can damage them.
type listsOf struct {
	*testing.T
	handle *sql.DB
	// columns are the columns that a copy of a row keeps, and set is the assignment of a body.
	columns, set string
}

func openLists(t *testing.T, where string) listsOf {
	t.Helper()
	l := listsOf{T: t, columns: "body", set: "body = $1"}
	driver, address := "pgx", where
	if !strings.HasPrefix(where, "postgres:") {
		l.columns, l.set = "size, apart, body", "body = ?"
		driver, address = "sqlite", where+"/usage.db"
	}
	handle, err := sql.Open(driver, address)
	must(t, err)
	t.Cleanup(func() { _ = handle.Close() })
	l.handle = handle
	return l
}

// of returns the condition that selects the list of an account in a month. Accounts are numbered in the order of their
// first play.
func of(account int, month usage.Month) string {
	return fmt.Sprintf(" WHERE dimension = 7 AND account = %d AND bucket = %d", account, month.Number())
}

func (l listsOf) do(statement string, args ...any) {
	l.Helper()
	result, err := l.handle.ExecContext(l.Context(), statement, args...)
	must(l.T, err)
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		l.Fatalf("%s: changed %d rows (%v)", statement, changed, err)
	}
}

// rewrite changes the body of a list.
func (l listsOf) rewrite(of string, change func([]byte) []byte) {
	l.Helper()
	var body []byte
	must(l.T, l.handle.QueryRowContext(l.Context(), "SELECT body FROM usage_cells"+of).Scan(&body))
	l.do("UPDATE usage_cells SET "+l.set+of, change(body))
}

// line is the number of bytes per video in a list: four of its number, eight of plays and eight of milliseconds.
const line = 20

// openViewings opens a store whose log has viewings.
func openViewings(t *testing.T, where string, months ...usage.Month) countedStore {
	t.Helper()
	s, err := openStore(t.Context(), where)
	must(t, err)
	t.Cleanup(func() { must(t, s.close()) })
	_, err = s.log.Append(t.Context(), []event.Submission{{Events: viewings(months...)}})
	must(t, err)
	return s
}

// differs checks that a verification finds exactly these differences, and that a recount repairs them.
func (s countedStore) differs(t *testing.T, name string, says ...string) {
	t.Helper()
	report, err := s.Verify(t.Context())
	must(t, err)
	if got := saying(report); !slices.Equal(got, says) || report.Different != len(says) {
		t.Errorf("%s: got %q, want %q", name, got, says)
	}
	must(t, s.Recount(t.Context()))
	must(t, s.CatchUp(t.Context()))
	if report, err = s.Verify(t.Context()); err != nil || !report.Agrees() {
		t.Fatalf("%s, counted again: %q (%v)", name, saying(report), err)
	}
}

// TestVerifyFindsListsThatDiffer damages lists of videos, from which the store reads top lists, and repairs them by a
// recount.
func TestVerifyFindsListsThatDiffer(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		july, august, october := month("2026-07"), month("2026-08"), month("2026-10")
		s := openViewings(t, where, july, august)
		_, err := s.Seal(t.Context(), july, true)
		must(t, err)
		lists := openLists(t, where)
		for name, test := range map[string]struct {
			breaks func()
			says   []string
		}{
			"missing": {func() { lists.do("DELETE FROM usage_cells" + of(1, august)) },
				[]string{`account "one", month 2026-08: the list of videos has 0 plays of 0 ms, the log 3 plays of 3500 ms`}},
			"there for nothing": {func() {
				columns := "value, sandbox, part, plays, milliseconds, users, videos, " + lists.columns
				lists.do(fmt.Sprintf("INSERT INTO usage_cells (account, dimension, grain, bucket, %s) SELECT account, dimension, grain, %d, %[1]s FROM usage_cells",
					columns, october.Number()) + of(1, august))
			}, []string{`account "one", month 2026-10: the list of videos has 3 plays of 3500 ms, the log 0 plays of 0 ms`}},
			"another total": {func() { lists.do("UPDATE usage_cells SET plays = plays + 1" + of(1, july)) },
				[]string{`account "one", month 2026-07: the list of videos has 4 plays of 3500 ms, the log 3 plays of 3500 ms`}},
			"of a sandbox": {func() { lists.do("UPDATE usage_cells SET sandbox = NOT sandbox" + of(2, july)) },
				[]string{
					`account "two", month 2026-07: the list of videos has 0 plays of 0 ms, the log 3 plays of 3500 ms`,
					`account "two", month 2026-07: the list of videos, of a sandbox, has 3 plays of 3500 ms, the log 0 plays of 0 ms`,
				}},
			"a video with another time": {func() {
				lists.rewrite(of(0, july), func(b []byte) []byte { b[len(b)-1]++; return b })
			}, []string{`account "", month 2026-07: the list of videos has 3 plays of 3500 ms, as the log has, but not for each video`}},
			"two videos for one another": {func() {
				lists.rewrite(of(1, july), func(b []byte) []byte {
					last := len(b) - line
					b[last+3], b[last-line+3] = b[last-line+3], b[last+3]
					return b
				})
			}, []string{`account "one", month 2026-07: the list of videos has 3 plays of 3500 ms, as the log has, but not for each video`}},
			"cut off": {func() { lists.rewrite(of(1, august), func(b []byte) []byte { return b[:len(b)-1] }) },
				[]string{`account "one", month 2026-08: the list of videos has 3 plays of 3500 ms, as the log has, but not for each video`}},
			"emptied": {func() { lists.rewrite(of(1, august), func([]byte) []byte { return []byte{} }) },
				[]string{`account "one", month 2026-08: the list of videos has 3 plays of 3500 ms, as the log has, but not for each video`}},
		} {
			test.breaks()
			s.differs(t, name, test.says...)
		}
	})
}

// TestVerifyFindsPlaysThatDiffer damages blocks of single plays, from which voids are undone, and repairs them by a
// recount.
func TestVerifyFindsPlaysThatDiffer(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		august := month("2026-08")
		s := openViewings(t, where, month("2026-07"), august)
		must(t, s.CatchUp(t.Context()))
		blocks := openLists(t, where)
		block := fmt.Sprintf(" WHERE account = 1 AND month = %d", august.Number())
		having := `account "one", month 2026-08: the single plays have `
		for name, test := range map[string]struct{ statement, says string }{
			"missing":       {"DELETE FROM usage_blocks" + block, having + "0 plays of 0 ms, the log 3 plays of 3500 ms"},
			"damaged":       {"UPDATE usage_blocks SET body = substr(body, 1, length(body) - 1)" + block, having + "0 plays of 0 ms, the log 3 plays of 3500 ms"},
			"another video": {"", having + "3 plays of 3500 ms, as the log has, but not for each video"},
		} {
			if test.statement != "" {
				blocks.do(test.statement)
			} else {
				var summary []byte
				must(t, blocks.handle.QueryRowContext(t.Context(), "SELECT summary FROM usage_blocks"+block).Scan(&summary))
				summary[len(summary)-1]++ // the distance of the last video to the one before
				blocks.do("UPDATE usage_blocks SET "+strings.Replace(blocks.set, "body", "summary", 1)+block, summary)
			}
			s.differs(t, name, test.says)
		}
	})
}

// TestVerifyListsAfterMonthsWereDropped checks that the lists of dropped months, whose plays are no longer in the log,
// are compared with the ledger.
func TestVerifyListsAfterMonthsWereDropped(t *testing.T) {
	w := billed(t)
	_, err := w.log.Drop(t.Context(), month("2026-09"))
	must(t, err)
	of := func(l usage.List) bool { return l.Account == "two" && l.Month == month("2026-08") && !l.Sandbox }
	for name, test := range map[string]struct {
		change func([]usage.List) []usage.List
		says   []string
	}{
		"as they are": {func(l []usage.List) []usage.List { return l }, nil},
		"missing": {func(l []usage.List) []usage.List { return slices.DeleteFunc(l, of) },
			[]string{`account "two", month 2026-08: the list of videos has 0 plays of 0 ms, the ledger 6 plays of 6066 ms`}},
		"a millisecond too much": {func(l []usage.List) []usage.List { l[slices.IndexFunc(l, of)].Milliseconds++; return l },
			[]string{`account "two", month 2026-08: the list of videos has 6 plays of 6067 ms, the ledger 6 plays of 6066 ms`}},
		"for nothing": {func(l []usage.List) []usage.List {
			return append(l, usage.List{Account: "three", Month: month("2026-08"), Plays: 1, Milliseconds: 2})
		}, []string{`account "three", month 2026-08: the list of videos has 1 plays of 2 ms, the ledger 0 plays of 0 ms`}},
	} {
		lie := &lying{memoryUsage: w.usage, lists: test.change}
		report, err := counting.New(counting.Options{Log: w.log, Usage: lie, Catalogue: videos{}}).Verify(t.Context())
		must(t, err)
		if got := saying(report); !slices.Equal(got, test.says) {
			t.Errorf("%s: got %q, want %q", name, got, test.says)
		}
	}
}

// TestVerifyPlaysAfterMonthsWereDropped checks that single plays may be missing in dropped months, and in no other.
func TestVerifyPlaysAfterMonthsWereDropped(t *testing.T) {
	w := billed(t)
	_, err := w.log.Drop(t.Context(), month("2026-09"))
	must(t, err)
	for last, says := range map[string][]string{
		"2026-09": nil, // a play of September may have been received in August
		"2026-10": {
			`account "", month 2026-10: the single plays have 0 plays`,
			`account "one", month 2026-10: the single plays have 0 plays`,
			`account "two", month 2026-10: the single plays have 0 plays`,
			`account "two", month 2026-10: the single plays, of a sandbox, have 0 plays`,
		},
	} {
		lie := &lying{memoryUsage: w.usage, plays: func(plays []usage.List) []usage.List {
			return slices.DeleteFunc(plays, func(l usage.List) bool { return l.Month.Number() <= month(last).Number() })
		}}
		report, err := counting.New(counting.Options{Log: w.log, Usage: lie, Catalogue: videos{}}).Verify(t.Context())
		must(t, err)
		got := saying(report)
		if len(got) != len(says) || !slices.EqualFunc(got, says, strings.HasPrefix) {
			t.Errorf("without plays up to %s: got %q, want %q", last, got, says)
		}
	}
}

// viewings returns three plays of two videos for each of three accounts in each month. One account is "".
func viewings(months ...usage.Month) (events []event.Event) {
	for _, m := range months {
		for i := range 9 {
			e := segment([]string{"one", "two", ""}[i%3], m.Start()+event.Instant(i)*event.Hour, 0, []int64{1000, 1000, 1500}[i/3])
			e.Video = []string{"V1", "v1", "v2"}[i/3]
			e.ID = event.ID{6: 0x70, 14: byte(m.Month), 15: byte(i)}
			events = append(events, e)
		}
	}
	return events
}

func saying(report counting.Report) (lines []string) {
	for _, difference := range report.Differences {
		lines = append(lines, difference.String())
	}
	return lines
}
