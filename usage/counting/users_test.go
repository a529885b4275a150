package counting_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// ofUsers returns the condition that selects the list of users of account 1 in a month.
func ofUsers(month usage.Month) string {
	return fmt.Sprintf(" WHERE dimension = 8 AND account = 1 AND bucket = %d", month.Number())
}

// TestRowsByUserNeedWholeLists checks that rows by user are right if the lists of users are missing, as in counts from
// before there were lists, or contain only some plays of their month, or are damaged. A list that only seems whole
// changes the rows, so the rows come from the lists.
func TestRowsByUserNeedWholeLists(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		s, err := openStore(t.Context(), where)
		must(t, err)
		defer func() { must(t, s.close()) }()
		july, august := month("2026-07"), month("2026-08")
		number := 0
		watch := func(m usage.Month, n int) {
			t.Helper()
			var events []event.Event
			for i := range n {
				number++
				e := segment("one", m.Start()+event.Instant(i)*event.Hour, 0, int64(1000+number))
				e.ExternalUser, e.Video = fmt.Sprint("pupil ", i%3), fmt.Sprint("v", i%2)
				e.ID = event.ID{6: 0x70, 14: byte(number >> 8), 15: byte(number)}
				events = append(events, e)
			}
			_, err := s.log.Append(t.Context(), []event.Submission{{Events: events}})
			must(t, err)
			must(t, s.CatchUp(t.Context()))
		}
		watch(july, 20)
		watch(august, 20)
		rows := func() (tables []usage.Table) {
			t.Helper()
			for _, interval := range []usage.Interval{usage.Whole, usage.Monthly} {
				table, err := s.usage.Table(t.Context(), usage.Query{From: july.Start(), To: august.End(), By: []usage.Dimension{usage.ByUser},
					Interval: interval, Order: usage.MostSeconds, Limit: 10})
				must(t, err)
				tables = append(tables, table)
			}
			return tables
		}
		want, lists := rows(), openLists(t, where)
		for name, breaks := range map[string]func(){
			"missing in all months": func() { lists.do("DELETE FROM usage_cells WHERE dimension IN (8, 9)") },
			"missing in a month": func() {
				lists.do("DELETE FROM usage_cells WHERE dimension IN (8, 9) AND bucket = " + fmt.Sprint(july.Number()))
			},
			"fewer plays":  func() { lists.do("UPDATE usage_cells SET plays = plays - 1" + ofUsers(july)) },
			"another time": func() { lists.do("UPDATE usage_cells SET milliseconds = milliseconds + 1" + ofUsers(august)) },
			"another line": func() {
				lists.rewrite(ofUsers(july), func(b []byte) []byte { b[len(b)-1]++; return b }) // the excess of the last user
			},
			"cut off": func() { lists.rewrite(ofUsers(july), func(b []byte) []byte { return b[:len(b)-1] }) },
			"emptied": func() { lists.rewrite(ofUsers(august), func([]byte) []byte { return []byte{} }) },
		} {
			breaks()
			if got := rows(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
			must(t, s.Recount(t.Context()))
			must(t, s.CatchUp(t.Context()))
		}
		lists.do("DELETE FROM usage_cells WHERE dimension IN (8, 9)")
		watch(july, 5) // after an upgrade in the middle of a month
		want = rows()
		must(t, s.Recount(t.Context()))
		must(t, s.CatchUp(t.Context()))
		want[0].Progress, want[1].Progress = rows()[0].Progress, rows()[1].Progress
		if got := rows(); !reflect.DeepEqual(got, want) {
			t.Errorf("counted again: got %+v, want %+v", got, want)
		}
		lists.rewrite(ofUsers(july), func(b []byte) []byte { b[0]++; return b }) // the number of the first user
		if reflect.DeepEqual(rows(), want) {
			t.Error("the rows do not come from the lists")
		}
		must(t, s.usage.ForgetPersons(t.Context(), august))
		for month, kept := range map[usage.Month]bool{july: false, august: true} {
			var cells int
			must(t, lists.handle.QueryRowContext(t.Context(), fmt.Sprintf("SELECT count(*) FROM usage_cells WHERE dimension IN (8, 9) AND bucket = %d", month.Number())).Scan(&cells))
			if cells > 0 != kept {
				t.Errorf("%s has %d cells of users after persons before %s were forgotten", month, cells, august)
			}
		}
	})
}
