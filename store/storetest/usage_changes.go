package storetest

import (
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

var changeTests = map[string]func(b *usageFixture){
	"processes that count at once": testApplyTogether,
	"an answer is of one moment":   testOneMoment,
	"a person gets another name":   testRename,
	"a name that is known already": testRenameKnown,
	"a name is kept until the end": testRenameAgain,
}

// renames renames a person until the rename is complete.
func (b *usageFixture) renames(account, person, alias string) {
	b.Helper()
	used, counted, err := b.Rename(b.Context(), account, person, alias)
	if err != nil || person != "" && person != alias && (used != alias || counted != b.model.progress.Position) {
		b.Errorf("%q of %q becomes %q: got %q up to %d (%v)", person, account, alias, used, counted, err)
	}
	b.must(b.EndRename(b.Context(), account, person))
	if person != "" {
		b.model.rename(account, person, alias)
	}
}

// testRenameAgain checks that a rename that is repeated before it is complete keeps the first alias, regardless of the
// plays counted in between and of the process.
func testRenameAgain(b *usageFixture) {
	other := b.another()
	b.apply(play(1, "a", "c", "xp", "v"), play(1, "b", "c", "xp", "v"))
	for n, step := range []struct {
		usage               store.Usage
		account, alias, use string
	}{{b.Usage, "a", "xfirst", "xfirst"}, {other, "a", "xsecond", "xfirst"}, {other, "b", "xthird", "xthird"}, {b.Usage, "a", "xfourth", "xfirst"}} {
		used, counted, err := step.usage.Rename(b.Context(), step.account, "xp", step.alias)
		if err != nil || used != step.use || counted != b.model.progress.Position {
			b.Errorf("step %d: got %q up to %d (%v)", n, used, counted, err)
		}
		b.model.rename(step.account, "xp", step.use)
		b.apply(play(2+n, "a", "c", "xp", "w"))
	}
	b.must(other.EndRename(b.Context(), "a", "xp"))
	b.must(other.EndRename(b.Context(), "nobody", "xp"))
	b.renames("a", "xp", "xfifth")
	q := year
	q.By = []usage.Dimension{usage.ByUser, usage.ByAccount}
	b.agrees(q)
	b.agrees(year)
}

func testRename(b *usageFixture) {
	b.apply(play(1, "a", "c", "xp", "v"), play(2, "a", "c", "xp", "w"), play(1, "b", "c", "xp", "v"), play(1, "a", "c", "up", "v"), play(1, "a", "c", "", "v"),
		play(1, "", "c", "xp", "v"), play(1, "", "c", "xq", "v"))
	for _, name := range [][3]string{{"a", "xp", "xalias"}, {"a", "xnobody", "xother"}, {"nobody", "xp", "xother"}, {"a", "up", "ualias"}, {"a", "", "xother"}, {"", "xq", "xanother"}} {
		b.renames(name[0], name[1], name[2])
	}
	q := year
	q.By = []usage.Dimension{usage.ByUser, usage.ByAccount}
	b.agrees(q)
	b.agreesOnCurve(usage.CurveQuery{Video: "v", From: year.From, To: year.To})
	b.apply(play(3, "a", "c", "xp", "v"), play(3, "a", "c", "xalias", "v")) // the old name is now a new person
	b.agrees(q)
	b.agrees(year)
	b.agreesOnLedger()
}

// testRenameKnown checks a rename after plays of the alias were counted. The log changes first, so such plays can be
// counted before the others are renamed.
func testRenameKnown(b *usageFixture) {
	var plays []usage.Play
	for n := range 300 {
		plays = append(plays, play(n*5, "a", "c", fmt.Sprint("x", n%60), fmt.Sprint("v", n%11), "s"))
	}
	b.apply(plays...)
	b.apply(play(5, "a", "c", "x7", "v"), play(5, "a", "c", "xalias", "v"), play(1000, "a", "c", "xalias", "v"), play(5, "b", "c", "x7", "v"))
	b.renames("a", "x7", "xalias")
	for interval := range usage.Monthly + 1 {
		for _, by := range [][]usage.Dimension{nil, {usage.ByUser}, {usage.ByVideo}, {usage.BySubject}} {
			b.agrees(usage.Query{From: october.Start(), To: october.End() + 60*24*event.Hour, By: by, Interval: interval})
		}
	}
	b.apply(play(6, "a", "c", "x7", "v"), play(6, "a", "c", "xalias", "v"))
	b.agrees(usage.Query{From: october.Start(), To: october.End()})
	b.agreesOnCurve(usage.CurveQuery{Video: "v", From: year.From, To: year.To})
}

// testApplyTogether checks that, of several processes that count the same plays, one succeeds in each step.
func testApplyTogether(b *usageFixture) {
	fixtures := []*usageFixture{b, {T: b.T, Usage: b.another()}, {T: b.T, Usage: b.another()}}
	for step := range 8 {
		p := play(step, "a", "c", fmt.Sprint("x", step), "v")
		p.Position = event.Position(step*3 + 2)
		applied := make([]bool, 6)
		together(6, func(i int) {
			err := fixtures[i%3].Apply(b.Context(), b.model.progress, place(p.Position+1), []usage.Play{p})
			if applied[i] = err == nil; !applied[i] && fault.CodeOf(err) != fault.Conflict {
				b.Error(err)
			}
		})
		if n := slices.Index(applied, true); n < 0 || slices.Contains(applied[n+1:], true) {
			b.Errorf("step %d was counted by %v", step, applied)
		}
		b.model.plays, b.model.progress = append(b.model.plays, p), place(p.Position+1)
	}
	b.agreesOnLedger()
	b.agrees(year)
}

// testOneMoment checks that rows, total, ledger and progress agree while others count.
func testOneMoment(b *usageFixture) {
	const steps = 40
	other, done := b.another(), make(chan struct{})
	go func() {
		defer close(done)
		for step := range steps {
			var plays []usage.Play
			for n := range 5 {
				p := play(step*7+n, "a", "c", fmt.Sprint("x", step*5+n), "v", "s")
				p.Position = event.Position(step*5 + n + 1)
				plays = append(plays, p)
			}
			if err := other.Apply(b.Context(), place(int64(step*5)), place(int64(step*5+5)), plays); err != nil {
				b.Error(err)
				return
			}
		}
	}()
	check := func(what string, at usage.Progress, counts ...int64) {
		for _, n := range counts {
			if n != at.Position {
				b.Errorf("%s: %d are counted of %d", what, n, at.Position)
			}
		}
	}
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		for _, by := range [][]usage.Dimension{nil, {usage.BySubject}, {usage.ByVideo, usage.BySubject}} {
			q := year
			q.By, q.Limit = by, 10
			table, err := b.Table(b.Context(), q)
			b.must(err)
			check("total", table.Progress, table.Total.Plays, table.Total.Users)
			for _, row := range table.Rows {
				check("a row", table.Progress, row.Plays, row.Users)
			}
		}
		curve, err := b.Curve(b.Context(), usage.CurveQuery{Video: "v", From: year.From, To: year.To})
		b.must(err)
		check("a curve", curve.Progress, curve.Plays, curve.Users)
		sums, progress, err := b.Ledger(b.Context(), "a")
		b.must(err)
		total := int64(0)
		for _, sum := range sums {
			total += sum.Plays
		}
		check("the ledger", progress, total)
	}
}
