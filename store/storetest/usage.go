package storetest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// EmptyUsage creates new, empty usage counts and returns a function that opens them. Each opening represents a separate
// process. Counts that are closed and opened again contain the stored plays. A recount gathers GatheredPlays plays in one
// transaction.
type EmptyUsage func(t *testing.T) (open func() store.Usage)

// Usage runs the suite of store.Usage.
func Usage(t *testing.T, empty EmptyUsage) {
	tests := map[string]func(b *usageFixture){
		"nothing is counted":       testNothingCounted,
		"plays are counted once":   testApplyOnce,
		"plays that are not those": testApplyRefused,
		"counts outlive a process": testUsageReopen,
		"ended contexts, usage":    testUsageEnded,
		"the size of usage":        func(b *usageFixture) { checkSize(b, b.Usage, "", 0) },
	}
	for _, more := range []map[string]func(b *usageFixture){tableTests, listTests, sealTests, changeTests, recountTests, retentionTests, voidTests, spanTests} {
		maps.Copy(tests, more)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			test(newUsageFixture(t, t, empty))
		})
	}
	t.Run("as the plays themselves say", func(t *testing.T) { t.Parallel(); checkUsage(t, empty) })
}

// usageFixture is one store of usage counts with its expected content.
type usageFixture struct {
	*testing.T
	store.Usage
	open  func() store.Usage
	model counted
	// errors receives failures: the test, or one of its draws.
	errors fataler
}

// fataler is a test, or one of its draws.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func newUsageFixture(t *testing.T, errors fataler, empty EmptyUsage) *usageFixture {
	b := &usageFixture{T: t, open: empty(t), errors: errors}
	b.Usage = b.open()
	t.Cleanup(func() { _ = b.Usage.Close() })
	return b
}

func (b *usageFixture) must(err error) {
	b.errors.Helper()
	if err != nil {
		b.errors.Fatal(err)
	}
}

// another opens the same counts once more, as another process does.
func (b *usageFixture) another() store.Usage {
	other := b.open()
	b.Cleanup(func() { _ = other.Close() })
	return other
}

// place returns the progress at a position.
func place(position event.Position) usage.Progress {
	if position == 0 {
		return usage.Progress{}
	}
	return usage.Progress{Position: position, AsOf: morning + event.Instant(position)}
}

// apply counts plays, each two positions after the previous one, and then one event that is not a play.
func (b *usageFixture) apply(plays ...usage.Play) {
	b.errors.Helper()
	position := b.model.progress.Position
	for i := range plays {
		position += 2
		plays[i].Position = position
	}
	to := place(position + 1)
	b.must(b.Apply(b.Context(), b.model.progress, to, plays))
	b.model.plays, b.model.progress = append(b.model.plays, plays...), to
}

// differences returns the differences between two values as cmp.Diff does, "" if there are none. Equal values, which are
// the rule, take a fraction of the time.
func differences(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// agrees compares the result of a query with the model.
func (b *usageFixture) agrees(q usage.Query) {
	b.errors.Helper()
	if q.Limit == 0 {
		q.Limit = usage.MaxRows
	}
	b.must(q.Check())
	got, err := b.Table(b.Context(), q)
	b.must(err)
	if diff := differences(b.model.table(q), got); diff != "" {
		b.errors.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

func (b *usageFixture) agreesOnCurve(q usage.CurveQuery) {
	b.errors.Helper()
	b.must(q.Check())
	got, err := b.Curve(b.Context(), q)
	b.must(err)
	want := b.model.curve(q)
	if slices.Equal(got.Views, want.Views) { // a curve of a day has too many seconds for a diff
		got.Views, want.Views = nil, nil
	}
	if diff := differences(want, got); diff != "" {
		b.errors.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

// agreesOnLedger compares the ledger, in total and of each account, the seals and the progress with the model.
func (b *usageFixture) agreesOnLedger() {
	b.errors.Helper()
	for _, account := range append(accountsOf(b.model.plays), "", "nobody") {
		sums, progress, err := b.Ledger(b.Context(), account)
		b.must(err)
		if diff := differences(b.model.ledger(account), sums); diff != "" || progress != b.model.progress {
			b.errors.Errorf("the ledger of %q at %v, want %v (-want +got):\n%s", account, progress, b.model.progress, diff)
		}
	}
	seals, err := b.Seals(b.Context())
	b.must(err)
	if diff := differences(b.model.seals, seals); diff != "" {
		b.errors.Errorf("seals (-want +got):\n%s", diff)
	}
	if progress, err := b.Progress(b.Context()); err != nil || progress != b.model.progress {
		b.errors.Errorf("the progress is %v (%v), want %v", progress, err, b.model.progress)
	}
}

// october is the month of morning. The tests name days and hours relative to it.
var october = usage.Month{Year: 2026, Month: 10}

// year is the period of most queries: 2026, and the years before and after it.
var year = usage.Query{From: usage.Month{Year: 2025, Month: 1}.Start(), To: usage.Month{Year: 2028, Month: 1}.Start(), Sandbox: true}

// play returns a play of ten seconds in an hour of October.
func play(hour int, account, client, person, video string, subjects ...string) usage.Play {
	return usage.Play{
		At: october.Start() + event.Instant(hour)*event.Hour + 1234, Account: account, Client: client, Person: person, Video: video,
		Channel: "channel of " + video, Subjects: subjects, Start: 3 * second, End: 13 * second,
	}
}

func testNothingCounted(b *usageFixture) {
	b.agreesOnLedger()
	b.agrees(year)
	b.agrees(usage.Query{From: year.From, To: year.To, By: []usage.Dimension{usage.BySubject, usage.ByUser}, Interval: usage.Monthly, Order: usage.MostUsers, Offset: 3})
	b.agreesOnCurve(usage.CurveQuery{Video: "none", From: year.From, To: year.To})
	statements, err := b.Statements(b.Context(), "", usage.Month{})
	if err != nil || len(statements) > 0 {
		b.Errorf("%d statements (%v)", len(statements), err)
	}
	b.renames("account", "xnobody", "xalias")
	b.recounts(usage.FirstMonth, 1)
	b.apply() // events without any play
	b.agreesOnLedger()
}

func testApplyOnce(b *usageFixture) {
	b.apply(play(1, "a", "c", "xp", "v"))
	for name, from := range map[string]usage.Progress{
		"from the start": {}, "from another place": place(2), "of another time": {Position: 3, AsOf: morning}, "from behind": place(4),
	} {
		err := b.Apply(b.Context(), from, place(9), []usage.Play{{Position: 9, At: morning, Account: "a", Client: "c", End: 1}})
		if fault.CodeOf(err) != fault.Conflict {
			b.Errorf("%s: got %v", name, err)
		}
	}
	b.agreesOnLedger()
	b.agrees(year)
	b.apply(play(2, "a", "c", "xp", "v"), play(2, "a", "c", "xq", "v"))
	b.agrees(year)
}

func testApplyRefused(b *usageFixture) {
	b.apply(play(1, "a", "c", "xp", "v"))
	at := func(positions ...event.Position) (plays []usage.Play) {
		for _, position := range positions {
			plays = append(plays, usage.Play{Position: position, At: morning, Account: "a", Client: "c", End: 1})
		}
		return plays
	}
	for name, plays := range map[string][]usage.Play{
		"before": at(3), "behind": at(11), "not in order": at(6, 5), "twice": at(5, 5), "too many": at(make([]event.Position, 1_000_001)...),
	} {
		if err := b.Apply(b.Context(), b.model.progress, place(10), plays); fault.CodeOf(err) != fault.Invalid {
			b.Errorf("%s: got %v", name, err)
		}
	}
	if err := b.Apply(b.Context(), b.model.progress, place(2), nil); fault.CodeOf(err) != fault.Invalid {
		b.Errorf("backwards: got %v", err)
	}
	b.agreesOnLedger()
}

func testUsageReopen(b *usageFixture) {
	b.apply(play(1, "a", "c", "xp", "v", "s"), play(1, "b", "c", "xp", "v"))
	b.seal(october)
	b.apply(play(2, "a", "c", "xp", "v"))
	b.must(b.Close())
	if _, err := b.Progress(b.Context()); err == nil {
		b.Error("closed counts can be read")
	}
	b.Usage = b.another()
	b.agreesOnLedger()
	q := year
	q.By = []usage.Dimension{usage.ByAccount, usage.ByUser}
	b.agrees(q)
	if statements, err := b.Statements(b.Context(), "", usage.Month{}); err != nil || len(statements) != 2 {
		b.Errorf("%d statements (%v)", len(statements), err)
	}
	b.apply(play(2, "a", "d", "xq", "w"))
	b.agrees(q)
}

func testUsageEnded(b *usageFixture) {
	ended, cancel := context.WithCancel(b.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Progress": func() error { _, err := b.Progress(ended); return err },
		"Apply":    func() error { return b.Apply(ended, usage.Progress{}, place(2), nil) },
		"Table":    func() error { _, err := b.Table(ended, year); return err },
		"Curve":    func() error { _, err := b.Curve(ended, usage.CurveQuery{Video: "v"}); return err },
		"Ledger":   func() error { _, _, err := b.Ledger(ended, ""); return err },
		"Seals":    func() error { _, err := b.Seals(ended); return err },
		"Seal": func() error {
			_, err := b.Seal(ended, usage.Seal{Month: october}, noStatements)
			return err
		},
		"Statements":   func() error { _, err := b.Statements(ended, "", october); return err },
		"Rename":       func() error { _, _, err := b.Rename(ended, "a", "xp", "xq"); return err },
		"EndRename":    func() error { return b.EndRename(ended, "a", "xp") },
		"BeginRecount": func() error { _, err := b.BeginRecount(ended, october, true); return err },
		"ApplyRecount": func() error {
			_, err := b.ApplyRecount(ended, usage.Recount{}, place(2), nil)
			return err
		},
		"GatherRecount": func() error { _, err := b.GatherRecount(ended, usage.Recount{}); return err },
		"EndRecount":    func() error { return b.EndRecount(ended, usage.Recount{}, place(0)) },
		"Void": func() error {
			_, err := b.Void(ended, aVoid("v", usage.Selection{Video: "v"}))
			return err
		},
		"UndoVoid":      func() error { _, err := b.UndoVoid(ended, "v", anAct("why")); return err },
		"SettleVoids":   func() error { return b.SettleVoids(ended) },
		"Voids":         func() error { _, err := b.Voids(ended); return err },
		"PreviewVoid":   func() error { _, err := b.PreviewVoid(ended, usage.Selection{Video: "v"}); return err },
		"PreviewUndo":   func() error { _, err := b.PreviewUndo(ended, "v"); return err },
		"PlaysOf":       func() error { _, err := b.PlaysOf(ended, "a", "xp"); return err },
		"ForgetPersons": func() error { return b.ForgetPersons(ended, october) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			b.Errorf("%s: got %v", name, err)
		}
	}
	b.agreesOnLedger()
}
