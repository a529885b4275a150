package counting_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// history is a store with a clock whose log is verified in small spans.
type history struct {
	*testing.T
	countedStore
	draw  *rand.Rand
	where string
	now   time.Time
	// sealed is the month of the last seal, kept the first month whose events are kept.
	sealed, kept usage.Month
	voids        []string
	positions    int64
	counting.Options
}

const testSpan = 25

func newHistory(t *testing.T, where string, seed uint64) *history {
	s, err := openStore(t.Context(), where)
	must(t, err)
	t.Cleanup(func() { _ = s.close() })
	h := &history{T: t, countedStore: s, draw: rand.New(rand.NewPCG(1, seed)), where: where, sealed: month("2026-03"), kept: usage.FirstMonth}
	h.now = month("2026-04").Start().Time()
	h.Options = counting.Options{
		Log: s.log, Usage: s.usage, Catalogue: videos{}, Now: func() time.Time { return h.now },
		Batch: 40, VerifyLoad: 1, SpanLength: testSpan, MaxBackOff: 10 * time.Millisecond, VerifyEvery: 24 * time.Hour,
	}
	h.Counter = counting.New(h.Options)
	return h
}

// plays appends up to n events, most of them plays of the last days, and counts them.
func (h *history) plays(n int) {
	h.Helper()
	var events []event.Event
	for range h.draw.IntN(n) + 1 {
		h.positions++
		received := event.InstantOf(h.now) + event.Instant(h.draw.Int64N(int64(event.Hour)))
		start := h.draw.Int64N(5000)
		e := segment([]string{"one", "two", ""}[h.draw.IntN(3)], received, start, start+h.draw.Int64N(9000))
		if h.draw.IntN(4) == 0 {
			e.At -= event.Instant(h.draw.Int64N(int64(50 * 24 * event.Hour)))
		}
		e.Client, e.Sandbox = fmt.Sprint("client ", h.draw.IntN(2)), e.Account == "two" && h.draw.IntN(4) == 0
		if h.draw.IntN(8) == 0 {
			e.Kind = event.PageRender
		}
		e.ExternalUser, e.Video = fmt.Sprint("pupil ", h.draw.IntN(5)), fmt.Sprint("video ", h.draw.IntN(6))
		e.ID = idOf(received, h.positions)
		events = append(events, e)
	}
	_, err := h.log.Append(h.Context(), []event.Submission{{Events: events}})
	must(h.T, err)
	must(h.T, h.CatchUp(h.Context()))
}

func idOf(received event.Instant, number int64) (id event.ID) {
	binary.BigEndian.PutUint64(id[:], uint64(received)<<16|0x7000)
	binary.BigEndian.PutUint64(id[8:], uint64(number))
	return id
}

// act changes something that needs no correction.
func (h *history) act() {
	h.Helper()
	switch h.draw.IntN(12) {
	case 0, 1, 2:
		selection := usage.Selection{Video: fmt.Sprint("video ", h.draw.IntN(6)), From: h.kept.Start()}
		if h.kept == usage.FirstMonth {
			selection.From = 0
		}
		if h.draw.IntN(2) == 0 {
			from := max(selection.From, event.InstantOf(h.now)-event.Instant(h.draw.Int64N(int64(60*24*event.Hour))))
			selection = usage.Selection{Account: "one", Client: fmt.Sprint("client ", h.draw.IntN(2)), From: from, To: from + 20*24*event.Hour}
		}
		id := fmt.Sprint("void ", len(h.voids))
		_, err := h.Void(h.Context(), usage.Void{ID: id, Selection: selection, Made: usage.VoidAct{At: h.now, Reason: "a test"}})
		must(h.T, err)
		h.voids = append(h.voids, id)
	case 3, 4:
		if len(h.voids) > 0 {
			_, err := h.UndoVoid(h.Context(), h.voids[h.draw.IntN(len(h.voids))], usage.VoidAct{At: h.now, Reason: "it was none"})
			if err != nil && !strings.Contains(err.Error(), "--keep-events") {
				h.Fatal(err)
			}
		}
	case 5, 6:
		if last := usage.MonthOf(event.InstantOf(h.now)); h.sealed.Next().Before(last) {
			h.sealed = h.sealed.Next()
			_, err := h.Seal(h.Context(), h.sealed, true)
			must(h.T, err)
		}
	case 7:
		_, err := h.Forget(h.Context(), "one", fmt.Sprint("xpupil ", h.draw.IntN(5)))
		must(h.T, err)
	case 8:
		if h.kept.Before(h.sealed) && h.sealed != month("2026-03") {
			h.kept = h.sealed
			must(h.T, h.usage.ForgetPersons(h.Context(), h.kept))
			_, err := h.log.Drop(h.Context(), h.kept)
			must(h.T, err)
		}
	case 9:
		if h.draw.IntN(3) == 0 && h.kept == usage.FirstMonth {
			must(h.T, h.Recount(h.Context()))
		}
	}
}

// verifies verifies the next part, and returns the report.
func (h *history) verifies() *counting.Report {
	h.Helper()
	h.now = h.now.Add(24 * time.Hour)
	report, err := h.VerifyNext(h.Context())
	must(h.T, err)
	return &report
}

// agreesWithVerify compares the report of VerifyNext with that of Verify.
func (h *history) agreesWithVerify() {
	h.Helper()
	next := h.verifies()
	if !next.Agrees() {
		h.Fatalf("without corruption: %v", next.Differences)
	}
	other := h.Options
	whole, err := counting.New(other).Verify(h.Context())
	must(h.T, err)
	if !whole.Agrees() || whole.Recounted != whole.Events || next.Events != whole.Events || next.Plays != whole.Plays || next.Sums != whole.Sums ||
		next.Statements != whole.Statements || next.From != whole.From || next.UpTo != whole.UpTo || !slices.Equal(next.Unchecked, whole.Unchecked) {
		h.Fatalf("the next part: %+v\nthe whole: %+v", next, whole)
	}
}

// sql runs statements in the files or the database: one that changes rows, or one that returns a number.
func (h *history) sql(file, statement string) (number int64) {
	h.Helper()
	returns := strings.HasPrefix(statement, "SELECT")
	if strings.HasPrefix(h.where, "postgres:") {
		connection, err := pgx.Connect(h.Context(), h.where)
		must(h.T, err)
		defer connection.Close(h.Context())
		if returns {
			must(h.T, connection.QueryRow(h.Context(), statement).Scan(&number))
			return number
		}
		done, err := connection.Exec(h.Context(), statement)
		must(h.T, err)
		return done.RowsAffected()
	}
	db, err := sql.Open("sqlite", filepath.Join(h.where, file)+"?_pragma=busy_timeout(5000)")
	must(h.T, err)
	defer db.Close()
	if returns {
		must(h.T, db.QueryRowContext(h.Context(), statement).Scan(&number))
		return number
	}
	done, err := db.ExecContext(h.Context(), statement)
	must(h.T, err)
	number, err = done.RowsAffected()
	must(h.T, err)
	return number
}

// corruption is a fault of one random row, and its repair ("": none).
type corruption struct {
	file, table, keys, where string
	set, repair              string
	// ofLog: the event log is changed, so that the records of spans differ from it.
	ofLog bool
}

// corruptions are by the prefix of the store: "" is SQLite.
func corruptionsOf(where string) map[string]corruption {
	ledger := "account, month, client, sandbox, sealed, void"
	cell := "account, dimension, grain, bucket, value, sandbox, part"
	plays := "kind = 1 AND segment_end > segment_start AND position > (SELECT dropped FROM event_head)"
	found := map[string]corruption{
		"a play of the log":      {"events.db", "events", "position", plays, "segment_end = segment_end + 1000", "segment_end = segment_end - 1000", true},
		"the video of a play":    {"events.db", "events", "position", plays, "video = 'another'", "", true},
		"the month of a play":    {"events.db", "events", "position", plays + " AND at <> received", "at = at - 2592000000", "at = at + 2592000000", true},
		"a sum of the ledger":    {"usage.db", "usage_ledger", ledger, "1 = 1", "milliseconds = milliseconds + 1", "milliseconds = milliseconds - 1", false},
		"a client of the ledger": {"usage.db", "usage_ledger", ledger, "client = 'client 1'", "client = 'client X'", "", false},
		"the totals of a list":   {"usage.db", "usage_cells", cell, "dimension = 7", "excess = excess + 1", "excess = excess - 1", false},
		"a line of a list":       {"usage.db", "usage_cells", cell, "dimension = 7 AND body IS NOT NULL", "body = CAST(substr(body, 1, length(body) - 1) || x'77' AS BLOB)", "", false},
		"a table of dashboards":  {"usage.db", "usage_cells", cell, "dimension = 6 AND grain = 3", "plays = plays + 1", "plays = plays - 1", false},
		"a statement":            {"usage.db", "usage_statements", "account, month", "1 = 1", "body = CAST(replace(CAST(body AS TEXT), '\"client\":\"c', '\"client\":\"C') AS BLOB)", "", false},
	}
	if strings.HasPrefix(where, "postgres:") {
		for name, c := range found {
			for _, text := range []*string{&c.where, &c.set, &c.repair} {
				*text = strings.NewReplacer("SELECT dropped FROM event_head", "SELECT position FROM event_drops", "segment_end", "ends", "segment_start", "starts", "CAST(substr(body, 1, length(body) - 1) || x'77' AS BLOB)", `substr(body, 1, length(body) - 1) || '\x77'::bytea`, "body = CAST(replace(CAST(body AS TEXT), ", "body = convert_to(replace(convert_from(body, 'UTF8'), ", ") AS BLOB)", "), 'UTF8')").Replace(*text)
			}
			found[name] = c
		}
	}
	return found
}

// TestTheNextPartFindsCorruption counts random plays between seals, voids, undone voids, forgotten persons, dropped months and
// recounts. VerifyNext agrees with Verify all the time. It finds a corrupted row within one rotation, and finds it until it is
// repaired.
func TestTheNextPartFindsCorruption(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		names := slices.Sorted(maps.Keys(corruptionsOf(where)))
		if strings.HasPrefix(where, "postgres:") {
			names = []string{"a line of a list", "a play of the log"} // SQL differs, not the rules
		}
		for seed, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // the disk takes most of the time
				own := t.TempDir()
				if strings.HasPrefix(where, "postgres:") {
					own = testservers.SharedPostgreSQL(t).URL
					_, err := postgres.Migrate(t.Context(), own)
					must(t, err)
				}
				h := newHistory(t, own, uint64(seed))
				for step := range 20 {
					h.plays(30)
					h.now = h.now.Add(5 * 24 * time.Hour)
					h.act()
					if step%3 == 0 {
						h.agreesWithVerify()
					} else if report := h.verifies(); !report.Agrees() {
						t.Fatalf("step %d: %v", step, report.Differences)
					}
				}
				if spans, err := h.usage.Spans(t.Context(), 0, 1000); err != nil || len(spans) < 4 {
					t.Fatalf("%d spans (%v)", len(spans), err)
				}
				h.corrupts(corruptionsOf(own)[name])
			})
		}
	})
}

func (h *history) corrupts(c corruption) {
	h.Helper()
	rows := int64(0)
	for rows == 0 {
		h.plays(30)
		h.now = h.now.Add(5 * 24 * time.Hour)
		h.act()
		rows = h.sql(c.file, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", c.table, c.where))
	}
	known := h.draw.IntN(3) > 0 // whether spans were recorded before the corruption
	if known && !h.verifies().Agrees() {
		h.Fatal("it differs before the corruption")
	}
	selected := fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY %[1]s LIMIT 1 OFFSET %[4]d)", c.keys, c.table, c.where, h.draw.Int64N(rows))
	if c.ofLog {
		selected = fmt.Sprint(h.sql(c.file, strings.Trim(selected, "()")))
	}
	if changed := h.sql(c.file, fmt.Sprintf("UPDATE %s SET %s WHERE (%s) = %s", c.table, c.set, c.keys, selected)); changed != 1 {
		h.Fatalf("%d rows are corrupted", changed)
	}
	days, found := 0, false
	for ; days < 30 && !found; days++ {
		found = !h.verifies().Agrees()
	}
	for range 3 {
		if h.verifies().Agrees() == found {
			h.Fatal("the difference comes and goes")
		}
	}
	whole, err := counting.New(h.Options).Verify(h.Context())
	must(h.T, err)
	if (c.ofLog || !whole.Agrees()) && !found {
		h.Fatalf("not found in %d days; the whole verification: %v", days, whole.Differences)
	}
	if c.repair == "" || !found || (c.ofLog && whole.Agrees()) {
		return
	}
	if repaired := h.sql(c.file, fmt.Sprintf("UPDATE %s SET %s WHERE (%s) = %s", c.table, c.repair, c.keys, selected)); repaired != 1 {
		h.Fatalf("%d rows are repaired", repaired)
	}
	if report := h.verifies(); known && !report.Agrees() {
		h.Errorf("repaired: %v", report.Differences)
	}
	if whole, err := counting.New(h.Options).Verify(h.Context()); err != nil || !whole.Agrees() {
		h.Errorf("repaired: %v (%v)", whole.Differences, err)
	}
	h.agreesWithVerify()
}

// TestEverySpanHasItsTurn checks that each run counts about a 28th of the log again, and everything within 30 days.
func TestEverySpanHasItsTurn(t *testing.T) {
	w := newWorld(func(o *counting.Options) { o.SpanLength, o.VerifyLoad, o.VerifyEvery = 10, 1, 24*time.Hour })
	for i := range 1405 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z")+event.Instant(i), 0, 7))
	}
	must(t, w.CatchUp(t.Context()))
	next := func(least, most int64) counting.Report {
		t.Helper()
		w.now = w.now.Add(24 * time.Hour)
		report, err := w.VerifyNext(t.Context())
		must(t, err)
		if !report.Agrees() || report.Events != 1405 || report.Recounted < least || report.Recounted > most {
			t.Errorf("got %+v", report)
		}
		return report
	}
	next(1405, 1405)
	for day := range 90 {
		report := next(5, 75)
		if age := w.now.Sub(report.Since); day > 1 && (age > 30*24*time.Hour || day > 30 && age < 20*24*time.Hour) {
			t.Errorf("day %d: all since %s", day, age)
		}
		if stats := w.Stats(); stats.Unverified != w.now.Sub(report.Since) || stats.Uncompared != 0 {
			t.Errorf("got %+v", stats)
		}
	}
	w.now = w.now.Add(40 * 24 * time.Hour) // the server was off
	report := next(1405, 1405)
	if want := "counted again since 2027-04-02T20:00:00Z: 1405 events after 0, up to 1405, of which 1405 are plays; 1405 of the events in this run"; report.Lines()[0] != want {
		t.Errorf("got %q", report.Lines())
	}
	w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 7))
	w.log.events = w.log.events[:1405]
	next(5, 75)
}

// failing is a usage store whose PutSpan fails after some calls.
type failing struct {
	*memoryUsage
	left int
}

func (f *failing) PutSpan(ctx context.Context, span usage.Span) error {
	if f.left--; f.left < 0 {
		return errors.New("killed")
	}
	return f.memoryUsage.PutSpan(ctx, span)
}

// slow is a usage store whose lists take long to read.
type slow struct{ *memoryUsage }

func (s slow) Lists(ctx context.Context, weigh func(video string) usage.Weight) (usage.Lists, error) {
	time.Sleep(time.Second)
	return s.memoryUsage.Lists(ctx, weigh)
}

// TestADifferenceIsStoredAtOnce checks that a report does not wait for a pause in proportion to the comparison: for a
// large store that would be hours, and a process that stops meanwhile would lose the report.
func TestADifferenceIsStoredAtOnce(t *testing.T) {
	w := newWorld()
	w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 7))
	must(t, w.CatchUp(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c := counting.New(counting.Options{Log: w.log, Usage: slow{w.usage}, Catalogue: videos{}, Now: func() time.Time { return w.now }})
	report, err := c.VerifyNext(ctx)
	must(t, err)
	if stored := c.Stats().Verified; stored == nil || stored.Events != report.Events {
		t.Errorf("got %+v, stored %+v", report, stored)
	}
}

// TestTheNextPartResumes checks that another process continues behind the last stored span, and that it verifies as much in total.
func TestTheNextPartResumes(t *testing.T) {
	w := newWorld()
	for i := range 1000 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z")+event.Instant(i), 0, 7))
	}
	must(t, w.CatchUp(t.Context()))
	options := counting.Options{
		Log: w.log, Usage: w.usage, Catalogue: videos{}, SpanLength: 10, VerifyLoad: 1, VerifyEvery: 7 * 24 * time.Hour, Now: func() time.Time { return w.now },
	}
	verify := func(left int, want int64) {
		t.Helper()
		killed := options
		killed.Usage = &failing{w.usage, left}
		if _, err := counting.New(killed).VerifyNext(t.Context()); err == nil {
			t.Fatal("it was not killed")
		}
		report, err := counting.New(options).VerifyNext(t.Context())
		must(t, err)
		if !report.Agrees() || report.Recounted != want {
			t.Errorf("got %+v, want %d events", report, want)
		}
	}
	verify(40, 600)
	w.now = w.now.Add(7 * 24 * time.Hour)
	verify(10, 150) // a quarter is 25 spans
}

// TestVoidsLetCountOnlyTheirSpans checks that a void lets only the spans be counted again of which it may have taken plays.
func TestVoidsLetCountOnlyTheirSpans(t *testing.T) {
	h := newHistory(t, t.TempDir(), 1)
	for day := range 40 {
		var events []event.Event
		for i := range testSpan {
			h.positions++
			e := segment([]string{"one", "two"}[day%2], month("2026-04").Start()+event.Instant(day)*24*event.Hour+event.Instant(i), 0, 1000)
			e.ID = idOf(e.Received, h.positions)
			events = append(events, e)
		}
		_, err := h.log.Append(t.Context(), []event.Submission{{Events: events}})
		must(t, err)
	}
	must(t, h.CatchUp(t.Context()))
	h.now = month("2026-06").Start().Time()
	want := func(spans int64) {
		t.Helper()
		report, err := h.VerifyNext(t.Context())
		must(t, err)
		// The turn of one span comes in every run, if it is not among the others.
		if !report.Agrees() || report.Recounted < spans*testSpan || report.Recounted > (spans+1)*testSpan {
			t.Errorf("got %+v, want %d spans", report, spans)
		}
	}
	want(40)
	day := func(n int) event.Instant { return month("2026-04").Start() + event.Instant(n)*24*event.Hour }
	void := func(id string, s usage.Selection) {
		t.Helper()
		_, err := h.Void(t.Context(), usage.Void{ID: id, Selection: s, Made: usage.VoidAct{At: h.now, Reason: "a test"}})
		must(t, err)
	}
	void("a client", usage.Selection{Account: "one", Client: "web", From: day(10), To: day(15)})
	want(3)
	want(0)
	_, err := h.UndoVoid(t.Context(), "a client", usage.VoidAct{At: h.now, Reason: "a test"})
	must(t, err)
	want(3)
	void("an event", usage.Selection{Event: idOf(day(10)+9, 260).String()})
	want(1)
	void("a video", usage.Selection{Video: "v", From: day(36)})
	want(4)
	void("nothing", usage.Selection{Video: "unknown"})
	want(0)
}

// TestTheNextPartNamesDamage checks that an unreadable event ends the run, with its position, and that the spans before it were
// verified. Once the event is skipped, its span is counted again and nothing differs but the counts.
func TestTheNextPartNamesDamage(t *testing.T) {
	h := newHistory(t, t.TempDir(), 1)
	for range 8 {
		h.plays(30)
	}
	if report := h.verifies(); !report.Agrees() {
		t.Fatal(report.Differences)
	}
	h.sql("events.db", "UPDATE events SET id = x'00' WHERE position = 30")
	var damaged *counting.DamagedError
	for range 30 {
		h.now = h.now.Add(24 * time.Hour)
		if _, err := h.VerifyNext(t.Context()); err != nil && !errors.As(err, &damaged) {
			t.Fatal(err)
		}
	}
	if damaged == nil || !strings.Contains(damaged.Where(), "position 30") || strings.Contains(damaged.Where(), "positions") {
		t.Fatalf("got %v", damaged)
	}
	_, err := h.log.SkipDamaged(t.Context(), []store.SkippedEvent{{Position: 30, Reason: "a test"}})
	must(t, err)
	if report := h.verifies(); report.Skipped != 1 || report.Different > 3 {
		t.Errorf("got %+v", report)
	}
	must(t, h.Recount(t.Context()))
	h.agreesWithVerify()
}
