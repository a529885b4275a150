package counting_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// billed returns a world with three sealed months, late plays, two accounts and plays without an account.
func billed(t testing.TB, change ...func(*counting.Options)) *world {
	t.Helper()
	w := newWorld(change...)
	for i, m := range []string{"2026-08", "2026-09", "2026-10"} {
		start := month(m).Start()
		w.now = start.Time()
		for n := range 20 {
			e := segment([]string{"one", "two", ""}[n%3], start+event.Instant(n)*event.Hour, 0, int64(1000+n))
			e.Sandbox = n == 4
			w.log.add(e)
		}
		w.log.add(event.Event{Kind: event.PageRender, Received: start + 21*event.Hour})
		if i > 0 {
			late := segment("one", start-event.Hour*24*20, 0, 500)
			late.Received = start + 22*event.Hour
			w.log.add(late)
		}
		w.now = month(m).End().Time()
		_, err := w.Seal(t.Context(), month(m), true)
		must(t, err)
	}
	w.log.add(segment("one", at("2026-11-02T00:00:00Z"), 0, 10))
	w.count(t)
	return w
}

func verified(t testing.TB, w *world) counting.Report {
	t.Helper()
	report, err := w.Verify(t.Context())
	must(t, err)
	return report
}

func TestVerifyAgrees(t *testing.T) {
	w := billed(t)
	w.now = at("2026-12-01T00:00:00Z").Time()
	report := verified(t, w)
	if !report.Agrees() || report.Unchecked != nil {
		t.Errorf("got %+v", report)
	}
	if report.UpTo != 66 || report.From != 0 || report.Events != 66 || report.Plays != 63 || report.Statements != 6 || report.Sums != len(ledgerOf(w.usage.plays, w.usage.seals)) {
		t.Errorf("got %+v", report)
	}
	if seen := w.Stats().Verified; seen == nil || seen.UpTo != 66 || !seen.At.Equal(w.now) {
		t.Errorf("the stats are %+v", seen)
	}
}

// lying is a usage store that gives wrong answers.
type lying struct {
	*memoryUsage
	ledger     func([]usage.Sum) []usage.Sum
	lists      func([]usage.List) []usage.List
	plays      func([]usage.List) []usage.List
	tables     func(*usage.Table)
	statements func([]usage.Statement) []usage.Statement
}

func (l *lying) Ledger(ctx context.Context, account string) ([]usage.Sum, usage.Progress, error) {
	ledger, progress, err := l.memoryUsage.Ledger(ctx, account)
	if l.ledger != nil {
		ledger = l.ledger(ledger)
	}
	return ledger, progress, err
}

func (l *lying) Lists(ctx context.Context, weigh func(string) usage.Weight) (usage.Lists, error) {
	lists, err := l.memoryUsage.Lists(ctx, weigh)
	if l.lists != nil {
		lists.Videos = l.lists(lists.Videos)
	}
	if l.plays != nil {
		lists.Plays = l.plays(lists.Plays)
	}
	return lists, err
}

func (l *lying) Table(ctx context.Context, q usage.Query) (usage.Table, error) {
	table, err := l.memoryUsage.Table(ctx, q)
	if l.tables != nil {
		l.tables(&table)
	}
	return table, err
}

func (l *lying) Statements(ctx context.Context, account string, m usage.Month) ([]usage.Statement, error) {
	statements, err := l.memoryUsage.Statements(ctx, account, m)
	if l.statements != nil {
		statements = l.statements(statements)
	}
	return statements, err
}

func TestVerifyFindsWhatDiffers(t *testing.T) {
	for name, test := range map[string]struct {
		lie  lying
		says string
	}{
		"a sum that is too much": {lying{ledger: func(l []usage.Sum) []usage.Sum { l[3].Milliseconds++; return l }}, "the ledger has"},
		"a play too few":         {lying{ledger: func(l []usage.Sum) []usage.Sum { l[3].Plays--; return l }}, "the ledger has"},
		"a sum that is missing":  {lying{ledger: func(l []usage.Sum) []usage.Sum { return slices.Delete(l, 4, 5) }}, "the ledger has 0 plays"},
		"a sum of nothing": {lying{ledger: func(l []usage.Sum) []usage.Sum {
			return append(l, usage.Sum{Account: "three", Month: month("2026-10"), Plays: 1, Milliseconds: 1})
		}}, "the log 0 plays"},
		"a sum under another seal": {lying{ledger: func(l []usage.Sum) []usage.Sum {
			for i := range l {
				if l[i].Sealed == month("2026-09") {
					l[i].Sealed = month("2026-10")
					break
				}
			}
			return l
		}}, "sealed in"},
		"a table": {lying{tables: func(t *usage.Table) { t.Rows[0].Milliseconds-- }}, "the tables have"},
		"a table without an account": {lying{tables: func(t *usage.Table) {
			t.Rows = slices.DeleteFunc(t.Rows, func(r usage.Row) bool { return r.Keys[0] == "two" })
		}}, "the tables have 0 plays"},
		"a table with an account too many": {lying{tables: func(t *usage.Table) {
			t.Rows = append(t.Rows, usage.Row{Keys: []string{"three"}, Measures: usage.Measures{Plays: 1, Milliseconds: 1}})
		}}, "the tables have 1 plays"},
		"a statement that was changed": {lying{statements: func(s []usage.Statement) []usage.Statement { s[1].Seconds--; return s }}, "the checksum is"},
		"a statement that was forged": {lying{statements: func(s []usage.Statement) []usage.Statement {
			forged, _ := usage.Compose(usage.Seal{Month: s[0].Month, Position: s[0].Position, At: *s[0].SealedAt}, nil, map[string]usage.Statement{"one": {}})
			s[0] = forged[0]
			return s
		}}, "the statement has 0 lines"},
		"a statement that is missing": {lying{statements: func(s []usage.Statement) []usage.Statement { return s[:len(s)-1] }}, "there is no statement"},
		"a statement without a seal": {lying{statements: func(s []usage.Statement) []usage.Statement {
			more, _ := usage.Compose(usage.Seal{Month: month("2026-11"), At: *s[0].SealedAt}, nil, map[string]usage.Statement{"two": s[len(s)-1]})
			return append(s, more...)
		}}, "comes from no seal"},
	} {
		w := billed(t)
		test.lie.memoryUsage = w.usage
		report, err := counting.New(counting.Options{Log: w.log, Usage: &test.lie, Catalogue: videos{}}).Verify(t.Context())
		must(t, err)
		if report.Agrees() || !strings.Contains(fmt.Sprint(report.Differences), test.says) {
			t.Errorf("%s: got %v, want %q", name, report.Differences, test.says)
		}
	}
}

func TestVerifyFindsWhatTheLogLost(t *testing.T) {
	for _, lost := range [][]event.Position{{1}, {30}, {64, 65}, {66}} {
		w := billed(t)
		w.log.lose(lost...)
		report := verified(t, w)
		if says := fmt.Sprintf("%d events are missing from the log, from position %d on", len(lost), lost[0]); !strings.Contains(fmt.Sprint(report.Differences), says) {
			t.Errorf("%v lost: got %v", lost, report.Differences)
		}
	}
}

func TestVerifyAfterMonthsWereDropped(t *testing.T) {
	w := billed(t)
	dropped, err := w.log.Drop(t.Context(), month("2026-09"))
	must(t, err)
	report := verified(t, w)
	if !report.Agrees() || report.From != dropped || report.Events != 66-dropped {
		t.Fatalf("got %+v", report)
	}
	// The last day of August may have received a play of September.
	if want := []usage.Month{month("2026-08"), month("2026-09")}; !slices.Equal(report.Unchecked, want) {
		t.Errorf("not checked: %v, want %v", report.Unchecked, want)
	}
	// The rest is checked as before.
	w.usage.plays[len(w.usage.plays)-1].End++
	w.usage.plays[40].End++
	if report := verified(t, w); report.Different < 2 {
		t.Errorf("got %+v", report)
	}
	// A month's total can only exceed the sum of its remaining events.
	w = billed(t)
	_, err = w.log.Drop(t.Context(), month("2026-11"))
	must(t, err)
	if report := verified(t, w); !report.Agrees() || len(report.Unchecked) != 4 {
		t.Errorf("with nearly nothing left: %+v", report)
	}
	_, err = w.log.Drop(t.Context(), month("2026-12"))
	must(t, err)
	if report := verified(t, w); !report.Agrees() || report.Events != 0 || len(report.Unchecked) != 4 {
		t.Errorf("with nothing left: %+v", report)
	}
}

func TestVerifyAtTheEdgeOfWhatWasDropped(t *testing.T) {
	w := newWorld()
	edge := month("2026-10").Start()
	for _, received := range []event.Instant{edge - 2, edge + 1, edge - 1, edge + 2, edge + 3*event.Hour} {
		w.log.add(segment("one", received, 0, 1000))
	}
	w.count(t)
	dropped, err := w.log.Drop(t.Context(), month("2026-10"))
	must(t, err)
	report := verified(t, w)
	if !report.Agrees() || dropped != 3 || report.From != 3 || report.Events != 3 {
		t.Errorf("got %+v", report)
	}
	w.log.add(segment("one", edge+event.Hour*4, 0, 1000), segment("one", edge+event.Hour*4, 0, 1000))
	w.count(t)
	w.log.lose(6)
	if report := verified(t, w); report.Agrees() {
		t.Errorf("an event is missing far from the edge: %+v", report)
	}
}

func TestVerifyWhileItIsCounted(t *testing.T) {
	w := billed(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	go func() { w.Run(ctx); ended <- struct{}{} }()
	go func() {
		for ctx.Err() == nil {
			w.log.add(segment("one", at("2026-11-03T00:00:00Z"), 0, 7), segment("new", at("2026-10-03T00:00:00Z"), 0, 7))
			w.Wake()
			time.Sleep(10 * time.Microsecond)
		}
		ended <- struct{}{}
	}()
	for range 50 {
		if report := verified(t, w); !report.Agrees() {
			t.Fatalf("got %+v", report)
		}
	}
	cancel()
	<-ended
	<-ended
}

// TestVerifyAfterALoss checks that a restored log that ends before the last seal is compared up to its end, and that
// the report shows the loss.
func TestVerifyAfterALoss(t *testing.T) {
	w := billed(t)
	w.log.events = w.log.events[:w.usage.seals[2].Position-1]
	seals := w.usage.seals
	w.usage.seals = nil // so that the log is recounted, as an earlier release would
	must(t, w.Recount(t.Context()))
	w.usage.seals = seals
	w.count(t)
	if report := verified(t, w); report.Agrees() {
		t.Errorf("got %+v of a log that lost what was sealed", report)
	}
}

// sealing is a log that seals a month during its first read.
type sealing struct {
	*memoryLog
	seal func()
}

func (s *sealing) Read(ctx context.Context, q store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	if s.seal != nil {
		seal := s.seal
		s.seal = nil
		seal()
	}
	return s.memoryLog.Read(ctx, q, after, limit)
}

func TestVerifyWhileAMonthIsSealed(t *testing.T) {
	w := billed(t)
	log := &sealing{memoryLog: w.log, seal: func() {
		_, err := w.Seal(t.Context(), month("2026-11"), true)
		must(t, err)
	}}
	w.now = at("2026-11-21T00:00:00Z").Time()
	report, err := counting.New(counting.Options{Log: log, Usage: w.usage, Catalogue: videos{}}).Verify(t.Context())
	must(t, err)
	if !report.Agrees() || report.Statements != 8 {
		t.Errorf("got %+v", report)
	}
}

func TestVerifiesInTheBackground(t *testing.T) {
	w := billed(t)
	w.usage.plays[5].End++
	counter := counting.New(counting.Options{Log: w.log, Usage: w.usage, Catalogue: videos{}, VerifyEvery: 10 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); counter.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, func() bool { seen := counter.Stats().Verified; return seen != nil && !seen.Agrees() })
	w.usage.mu.Lock()
	w.usage.plays[5].End--
	w.usage.mu.Unlock()
	eventually(t, func() bool { return counter.Stats().Verified.Agrees() })
}

func TestAReportNamesAHundredDifferences(t *testing.T) {
	w := newWorld()
	for i := range 250 {
		w.log.add(segment(fmt.Sprint(i), at("2026-10-03T00:00:00Z"), 0, 7))
	}
	w.count(t)
	w.log.events = slices.Clone(w.log.events)
	for i := range w.log.events {
		w.log.events[i].End++
	}
	// Each account has one sum, one list and single plays of one month.
	if report := verified(t, w); report.Different != 750 || len(report.Differences) != 100 {
		t.Errorf("got %d of %d", len(report.Differences), report.Different)
	}
}

// elsewhere is the lease that another process holds.
type elsewhere struct{}

func (elsewhere) Lease(context.Context, store.LeaseRequest) (store.Lease, error) {
	return store.Lease{}, nil
}

func (elsewhere) Release(context.Context, string, string) error { return nil }

// TestOtherProcessesKnowTheVerification checks that only the process that counts verifies, and that all processes, including later
// ones, know its result and its age.
func TestOtherProcessesKnowTheVerification(t *testing.T) {
	w := billed(t)
	w.usage.plays[5].End++
	run := func(leases store.Leases) *counting.Counter {
		counter := counting.New(counting.Options{
			Log: w.log, Usage: w.usage, Catalogue: videos{}, VerifyEvery: 10 * time.Millisecond, Leases: leases, Now: func() time.Time { return w.now },
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); counter.Run(ctx) }()
		t.Cleanup(func() { cancel(); <-ended })
		return counter
	}
	if stats := w.Stats(); stats.Unverified >= 0 || stats.Uncompared >= 0 {
		t.Errorf("got %+v of a process that does not verify", stats)
	}
	w.now = at("2026-12-01T00:00:00Z").Time()
	report, err := counting.New(w.Options).VerifyNext(t.Context())
	must(t, err)
	w.now = w.now.Add(time.Hour)
	other := run(elsewhere{})
	eventually(t, func() bool { return other.Stats().Verified != nil })
	stats := other.Stats()
	if stats.Verified.Different != report.Different || report.Agrees() || !stats.Verified.Incremental || stats.Unverified != time.Hour || stats.Uncompared != time.Hour {
		t.Errorf("got %+v, want the result of an hour ago: %+v", stats, report)
	}
	holder := run(nil)
	eventually(t, func() bool { return holder.Stats().Uncompared == 0 && other.Stats().Uncompared == 0 })
}
