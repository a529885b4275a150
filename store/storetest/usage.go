package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// EmptyUsage makes the home of new, empty counts and returns what opens it. Each opening stands for a process of
// its own; counts that were closed are opened again, and hold then what was stored.
type EmptyUsage func(t *testing.T) (open func() store.Usage)

// Usage runs the suite of store.Usage.
func Usage(t *testing.T, empty EmptyUsage) {
	tests := map[string]func(b *bureau){
		"nothing is counted":             testNothingCounted,
		"plays are counted once":         testApplyOnce,
		"plays that are not those":       testApplyRefused,
		"many users and videos":          testManyUsers,
		"every table of some plays":      testEveryTable,
		"subjects":                       testSubjects,
		"pages of rows":                  testRowPages,
		"curves":                         testCurves,
		"counts outlive a process":       testUsageReopen,
		"ended contexts, usage":          testUsageEnded,
		"processes that count at once":   testApplyTogether,
		"an answer is of one moment":     testOneMoment,
		"a person gets another name":     testRename,
		"a name that is known already":   testRenameKnown,
		"counting again from the start":  testReset,
		"users of one name, by accounts": testNamesakes,
	}
	maps.Copy(tests, sealTests)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests wait for disks, not for processors
			test(newBureau(t, t, empty))
		})
	}
	t.Run("as the plays themselves say", func(t *testing.T) { t.Parallel(); checkUsage(t, empty) })
}

// bureau is one store of counts, and what it should say.
type bureau struct {
	*testing.T
	store.Usage
	open  func() store.Usage
	model counted
	// errors is where faults are told: to the test, or to one of its draws.
	errors fataler
}

// fataler is a test, or a draw of one.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func newBureau(t *testing.T, errors fataler, empty EmptyUsage) *bureau {
	b := &bureau{T: t, open: empty(t), errors: errors}
	b.Usage = b.open()
	t.Cleanup(func() { _ = b.Usage.Close() })
	return b
}

func (b *bureau) must(err error) {
	b.errors.Helper()
	if err != nil {
		b.errors.Fatal(err)
	}
}

// another opens the same counts once more, as another process does.
func (b *bureau) another() store.Usage {
	other := b.open()
	b.Cleanup(func() { _ = other.Close() })
	return other
}

// place is the progress at a position.
func place(position event.Position) usage.Progress {
	if position == 0 {
		return usage.Progress{}
	}
	return usage.Progress{Position: position, AsOf: morning + event.Instant(position)}
}

// apply counts plays, each at a position two behind the last, and then one event that is no play.
func (b *bureau) apply(plays ...usage.Play) {
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

// agrees holds the answer to a query against the model.
func (b *bureau) agrees(q usage.Query) {
	b.errors.Helper()
	if q.Limit == 0 {
		q.Limit = usage.MaxRows
	}
	b.must(q.Check())
	got, err := b.Table(b.Context(), q)
	b.must(err)
	if diff := cmp.Diff(b.model.table(q), got, cmpopts.EquateEmpty()); diff != "" {
		b.errors.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

func (b *bureau) agreesOnCurve(q usage.CurveQuery) {
	b.errors.Helper()
	b.must(q.Check())
	got, err := b.Curve(b.Context(), q)
	b.must(err)
	if diff := cmp.Diff(b.model.curve(q), got, cmpopts.EquateEmpty()); diff != "" {
		b.errors.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

// agreesOnLedger holds the ledger, of all and of each account, and seals and progress against the model.
func (b *bureau) agreesOnLedger() {
	b.errors.Helper()
	for _, account := range append(accountsOf(b.model.plays), "", "nobody") {
		sums, progress, err := b.Ledger(b.Context(), account)
		b.must(err)
		if diff := cmp.Diff(b.model.ledger(account), sums, cmpopts.EquateEmpty()); diff != "" || progress != b.model.progress {
			b.errors.Errorf("the ledger of %q at %v, want %v (-want +got):\n%s", account, progress, b.model.progress, diff)
		}
	}
	seals, err := b.Seals(b.Context())
	b.must(err)
	if diff := cmp.Diff(b.model.seals, seals, cmpopts.EquateEmpty()); diff != "" {
		b.errors.Errorf("seals (-want +got):\n%s", diff)
	}
	if progress, err := b.Progress(b.Context()); err != nil || progress != b.model.progress {
		b.errors.Errorf("the progress is %v (%v), want %v", progress, err, b.model.progress)
	}
}

// october is the month of morning; its days and hours are named from it.
var october = usage.Month{Year: 2026, Month: 10}

// year is the time of most queries: all of it and of the years beside it.
var year = usage.Query{From: usage.Month{Year: 2025, Month: 1}.Start(), To: usage.Month{Year: 2028, Month: 1}.Start(), Sandbox: true}

// play is a play of ten seconds in an hour of October.
func play(hour int, account, client, person, video string, subjects ...string) usage.Play {
	return usage.Play{
		At: october.Start() + event.Instant(hour)*event.Hour + 1234, Account: account, Client: client, Person: person, Video: video,
		Channel: "channel of " + video, Subjects: subjects, Start: 3 * second, End: 13 * second,
	}
}

func testNothingCounted(b *bureau) {
	b.agreesOnLedger()
	b.agrees(year)
	b.agrees(usage.Query{From: year.From, To: year.To, By: []usage.Dimension{usage.BySubject, usage.ByUser}, Interval: usage.Monthly, Order: usage.MostUsers, Offset: 3})
	b.agreesOnCurve(usage.CurveQuery{Video: "none", From: year.From, To: year.To})
	statements, err := b.Statements(b.Context(), "", usage.Month{})
	if err != nil || len(statements) > 0 {
		b.Errorf("%d statements (%v)", len(statements), err)
	}
	b.must(b.Rename(b.Context(), "account", "xnobody", "xalias"))
	b.must(b.Reset(b.Context()))
	b.apply() // events of which none is a play
	b.agreesOnLedger()
}

func testApplyOnce(b *bureau) {
	b.apply(play(1, "a", "c", "xp", "v"))
	for name, from := range map[string]usage.Progress{
		"from the start": {}, "from another place": place(2), "of another time": {Position: 3, AsOf: morning}, "from behind": place(4),
	} {
		err := b.Apply(b.Context(), from, place(9), []usage.Play{{Position: 9, At: morning, Account: "a", Client: "c", End: 1}})
		if catalogue.CodeOf(err) != catalogue.Conflict {
			b.Errorf("%s: got %v", name, err)
		}
	}
	b.agreesOnLedger()
	b.agrees(year)
	b.apply(play(2, "a", "c", "xp", "v"), play(2, "a", "c", "xq", "v"))
	b.agrees(year)
}

func testApplyRefused(b *bureau) {
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
		if err := b.Apply(b.Context(), b.model.progress, place(10), plays); catalogue.CodeOf(err) != catalogue.Invalid {
			b.Errorf("%s: got %v", name, err)
		}
	}
	if err := b.Apply(b.Context(), b.model.progress, place(2), nil); catalogue.CodeOf(err) != catalogue.Invalid {
		b.Errorf("backwards: got %v", err)
	}
	b.agreesOnLedger()
}

// testManyUsers counts enough users and videos that engines keep them in other forms than few, now in large steps
// and now in small ones, back and forth in time.
func testManyUsers(b *bureau) {
	number := 0
	batch := func(size, hours int) {
		var plays []usage.Play
		for range size {
			number++
			p := play(number*7919%hours, "a", fmt.Sprint("c", number%2), fmt.Sprint("x", number*31%2500), fmt.Sprint("v", number*17%1500), "s", fmt.Sprint("s", number%3))
			p.Channel = fmt.Sprint("channel ", number%2)
			plays = append(plays, p)
		}
		b.apply(plays...)
	}
	for _, size := range []int{1, 20, 1, 3000, 1, 1, 50, 400, 2, 900, 1} {
		batch(size, 40*24)
	}
	from, to := october.Start(), october.Start()+50*24*event.Hour
	for _, by := range [][]usage.Dimension{nil, {usage.ByClient}, {usage.ByChannel}, {usage.BySubject}, {usage.ByVideo}, {usage.ByAccount}} {
		for interval := range usage.Monthly + 1 {
			b.agrees(usage.Query{From: from, To: to, By: by, Interval: interval, Only: [usage.Dimensions][]string{usage.ByAccount: {"a"}}})
		}
		b.agrees(usage.Query{From: from + 5*event.Hour, To: from + 45*24*event.Hour + 3*event.Hour, By: by})
	}
	b.must(b.Rename(b.Context(), "a", "x31", "xsomebody"))
	b.model.rename("a", "x31", "xsomebody")
	b.must(b.Rename(b.Context(), "a", "x62", "x93"))
	b.model.rename("a", "x62", "x93")
	b.agrees(usage.Query{From: from, To: to, Interval: usage.Daily})
	b.agrees(usage.Query{From: from, To: to})
}

// testEveryTable asks for every pair of dimensions, every interval and every order, over times with whole and
// broken hours, days and months.
func testEveryTable(b *bureau) {
	var plays []usage.Play
	for n := range 120 {
		p := play(n*n*11%(100*24), []string{"a", "b", ""}[n%3], fmt.Sprint("c", n%4), []string{"xp", "up", "", "xq"}[n/2%4], fmt.Sprint("v", n%7),
			[][]string{nil, {"s"}, {"s", "t"}, {"t", "u", "s"}}[n/3%4]...)
		p.At += event.Instant(n) * 60_000 % event.Hour
		p.End += int64(n)
		if n%7 == 6 {
			p.Channel, p.Subjects = "", nil
		}
		p.Sandbox = n%11 == 0
		plays = append(plays, p)
	}
	b.apply(plays[:50]...)
	b.apply(plays[50:51]...)
	b.apply(plays[51:]...)
	start := october.Start()
	times := [][2]event.Instant{{start, start + 100*24*event.Hour}, {start + 29*event.Hour, start + 70*24*event.Hour + 7*event.Hour}, {start + 24*event.Hour, start + 48*event.Hour}}
	number := 0
	for first := range usage.Dimensions {
		for second := range usage.Dimensions {
			for interval := range usage.Monthly + 1 {
				q := usage.Query{By: []usage.Dimension{first, second}, Interval: interval, Order: usage.Order(number) % (usage.MostVideos + 1)}
				q.From, q.To = times[number%3][0], times[number%3][1]
				if first == second {
					q.By = q.By[:1]
				}
				q.Sandbox = number%2 == 0
				b.agrees(q)
				number++
			}
		}
	}
}

func testSubjects(b *bureau) {
	b.apply(play(1, "a", "c", "xp", "v", "s", "t"), play(1, "a", "c", "xq", "v", "t"), play(2, "a", "c", "xq", "w"), play(3, "a", "c", "xr", "w", "s", "s"))
	for _, only := range [][]string{nil, {"s"}, {"t"}, {"s", "t"}, {"s", "s"}, {""}, {"", "t"}, {"unknown"}, {}} {
		for _, by := range [][]usage.Dimension{nil, {usage.BySubject}, {usage.BySubject, usage.ByUser}, {usage.ByVideo}} {
			q := year
			q.Only[usage.BySubject], q.By = only, by
			b.agrees(q)
			q.Interval = usage.Hourly
			q.From, q.To = october.Start(), october.End()
			b.agrees(q)
		}
	}
}

// testRowPages: pages follow one another, in every order, though many rows are equal.
func testRowPages(b *bureau) {
	var plays []usage.Play
	for n := range 60 {
		plays = append(plays, play(n%5, "a", fmt.Sprint("c", n%30), fmt.Sprint("x", n%9), fmt.Sprint("v", n%20)))
	}
	b.apply(plays...)
	for order := range usage.MostVideos + 1 {
		for _, by := range []usage.Dimension{usage.ByClient, usage.ByVideo, usage.ByUser} {
			for offset := 0; offset < 35; offset += 4 {
				q := year
				q.By, q.Order, q.Offset, q.Limit = []usage.Dimension{by}, order, offset, 4
				b.agrees(q)
			}
		}
	}
}

func testCurves(b *bureau) {
	watched := func(account, person string, start, end int64) usage.Play {
		p := play(1, account, "c", person, "v")
		p.Start, p.End = start, end
		return p
	}
	plays := []usage.Play{
		watched("a", "xp", 0, 1), watched("a", "xp", 999, 1001), watched("a", "xp", 1500, 3000), watched("a", "xp", 2999, 5000),
		watched("a", "xq", 4000, 5000), watched("a", "", 4000, 7001), watched("b", "xp", 0, 2*minute), watched("b", "up", 90*second, 91*second),
		watched("a", "xr", 86_399_000, 90_000_000), watched("a", "xs", 86_400_000, 86_400_001), watched("a", "xt", 1<<52, 1<<53),
	}
	sandbox, other, next := watched("a", "xz", 0, 10*minute), watched("a", "xp", 0, minute), watched("a", "xp", 0, minute)
	sandbox.Sandbox, other.Video = true, "w"
	next.At = october.End()
	b.apply(append(plays, sandbox, other, next)...)
	for _, accounts := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"a", "nobody", "a"}, {"nobody"}, {}} {
		for _, video := range []string{"v", "w", "unknown"} {
			b.agreesOnCurve(usage.CurveQuery{Video: video, Accounts: accounts, From: year.From, To: year.To, Sandbox: true})
			b.agreesOnCurve(usage.CurveQuery{Video: video, Accounts: accounts, From: october.Start(), To: october.End()})
			b.agreesOnCurve(usage.CurveQuery{Video: video, Accounts: accounts, From: october.Start() + 2*event.Hour, To: october.End()})
		}
	}
}

func testUsageReopen(b *bureau) {
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

func testUsageEnded(b *bureau) {
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
		"Statements": func() error { _, err := b.Statements(ended, "", october); return err },
		"Rename":     func() error { return b.Rename(ended, "a", "xp", "xq") },
		"Reset":      func() error { return b.Reset(ended) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			b.Errorf("%s: got %v", name, err)
		}
	}
	b.agreesOnLedger()
}

// testNamesakes: one name at two accounts is two persons, in one row where accounts are not told apart.
func testNamesakes(b *bureau) {
	b.apply(play(1, "a", "c", "xp", "v"), play(1, "b", "c", "xp", "v"), play(1, "", "c", "xp", "v"), play(2, "b", "c", "up", "v"), play(2, "a", "c", "", "v"))
	for _, by := range [][]usage.Dimension{nil, {usage.ByUser}, {usage.ByUser, usage.ByAccount}, {usage.ByVideo}, {usage.ByVideo, usage.ByUser}} {
		for _, only := range [][]string{nil, {"xp"}, {"xp", "up", "xp"}, {""}, {"", "xp"}, {"p"}} {
			q := year
			q.By, q.Only[usage.ByUser] = by, only
			b.agrees(q)
			q.Only[usage.ByAccount] = slices.Clone([]string{"b", "unknown"})
			b.agrees(q)
			q.Only[usage.ByAccount] = []string{"", "a"}
			b.agrees(q)
		}
	}
}
