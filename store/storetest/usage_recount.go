package storetest

import (
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// GatheredPlays is how many plays a recount gathers in one transaction in the suite.
const GatheredPlays = 1

var recountTests = map[string]func(b *usageFixture){
	"a recount gives the same":              testRecount,
	"a recount corrects wrong counts":       testRecountCorrects,
	"months before a recount stay":          testRecountFrom,
	"a recount is resumed":                  testRecountResumed,
	"a recount begins again after a change": testRecountChanged,
	"a recount waits for the counts":        testRecountMoved,
	"a recount gathers in parts":            testRecountGathers,
	"a change between the stages":           testRecountChangedBetween,
	"recounts amid changes":                 testRecountAmidChanges,
}

// begins starts or resumes a recount and checks that it has counted the log up to a position.
func (b *usageFixture) begins(from usage.Month, position int64) usage.Recount {
	b.errors.Helper()
	recount, err := b.BeginRecount(b.Context(), from, true)
	b.must(err)
	if recount.From != from || recount.Progress.Position != position || recount.ID == "" {
		b.errors.Errorf("the recount begins as %+v, not from %s at %d", recount, from, position)
	}
	return recount
}

// appliesAll counts the plays of the model that a recount has not counted, atOnce at a time, up to the model's progress.
// The recount gathers before the second half of them.
func (b *usageFixture) appliesAll(recount usage.Recount, atOnce int) usage.Recount {
	b.errors.Helper()
	var waiting []usage.Play
	for _, p := range b.model.plays {
		if p.Position > recount.Progress.Position {
			waiting = append(waiting, p)
		}
	}
	half := len(waiting) / 2
	for recount.Progress != b.model.progress {
		if len(waiting) <= half {
			recount = b.gathers(recount)
		}
		n := min(atOnce, len(waiting))
		to := b.model.progress
		if n < len(waiting) {
			to = place(waiting[n-1].Position)
		}
		var err error
		recount, err = b.ApplyRecount(b.Context(), recount, to, waiting[:n])
		b.must(err)
		if recount.Progress != to {
			b.errors.Fatal("the recount ended at ", recount.Progress, ", want ", to)
		}
		waiting = waiting[n:]
	}
	return b.gathers(recount)
}

// gathers gathers all plays of a recount.
func (b *usageFixture) gathers(recount usage.Recount) usage.Recount {
	b.errors.Helper()
	for stage := recount.Stage; stage != usage.Following; stage = recount.Stage {
		gathered, err := b.GatherRecount(b.Context(), recount)
		b.must(err)
		if gathered.Progress != recount.Progress || gathered.Stage < usage.Gathering {
			b.errors.Fatal("gathered: ", gathered)
		}
		recount = gathered
	}
	return recount
}

// recounts runs a complete recount of the model's plays.
func (b *usageFixture) recounts(from usage.Month, atOnce int) {
	b.errors.Helper()
	recount, err := b.BeginRecount(b.Context(), from, true)
	b.must(err)
	b.must(b.EndRecount(b.Context(), b.appliesAll(recount, atOnce), b.model.progress))
}

// conflicts checks that err has the code Conflict.
func (b *usageFixture) conflicts(what string, err error) {
	b.errors.Helper()
	if fault.CodeOf(err) != fault.Conflict {
		b.errors.Errorf("%s: got %v", what, err)
	}
}

// agreesOnAll compares the ledger, the lists and some tables with the model.
func (b *usageFixture) agreesOnAll() {
	b.errors.Helper()
	b.agreesOnLedger()
	b.agreesOnLists()
	b.agrees(year)
	q := year
	q.By, q.Interval = []usage.Dimension{usage.ByClient, usage.ByUser}, usage.Monthly
	b.agrees(q)
}

// testRecount checks that readers see the old counts until a recount is complete, and that seals and statements remain.
func testRecount(b *usageFixture) {
	b.apply(inMonth(2, "c"), inMonth(1, "c"))
	b.seal(monthOf(2))
	b.apply(inMonth(2, "d"), inMonth(1, "c"))
	b.seal(monthOf(1))
	b.apply(inMonth(2, "c"), inMonth(1, "e"), inMonth(0, "c"))
	statements, err := b.Statements(b.Context(), "", usage.Month{})
	b.must(err)
	recount := b.begins(usage.FirstMonth, 0)
	b.agreesOnAll()
	recount = b.appliesAll(recount, 2)
	b.agreesOnAll()
	b.must(b.EndRecount(b.Context(), recount, b.model.progress))
	b.agreesOnAll()
	again, err := b.Statements(b.Context(), "", usage.Month{})
	b.must(err)
	if diff := cmp.Diff(statements, again); diff != "" || len(again) != 2 {
		b.Errorf("%d statements (-want +got):\n%s", len(again), diff)
	}
	b.apply(inMonth(2, "d"), inMonth(0, "f"))
	b.seal(monthOf(0))
	b.agreesOnAll()
}

// testRecountCorrects checks that a recount corrects plays that were counted wrongly.
func testRecountCorrects(b *usageFixture) {
	wrong := []usage.Play{inMonth(1, "wrong"), inMonth(3, "wrong")}
	b.apply(wrong...)
	for i := range b.model.plays {
		b.model.plays[i].Client, b.model.plays[i].Video, b.model.plays[i].Person = "right", "w", "xother"
	}
	b.recounts(usage.FirstMonth, 1)
	b.agreesOnAll()
}

// testRecountFrom checks that plays before the first month of a recount are neither lost nor counted twice.
func testRecountFrom(b *usageFixture) {
	b.apply(inMonth(3, "c"), inMonth(2, "c"), inMonth(2, "d"), inMonth(1, "c"))
	b.seal(monthOf(2))
	b.apply(inMonth(3, "e"), inMonth(2, "c"), inMonth(0, "d"))
	for from := range 5 {
		b.recounts(monthOf(from), 3)
		b.agreesOnAll()
	}
	var left []usage.Play // the content of a log whose older months were dropped
	for _, p := range b.model.plays {
		if !usage.MonthOf(p.At).Before(monthOf(1)) {
			left = append(left, p)
		}
	}
	recount, err := b.ApplyRecount(b.Context(), b.begins(monthOf(1), 0), b.model.progress, left)
	b.must(err)
	b.must(b.EndRecount(b.Context(), b.gathers(recount), b.model.progress))
	b.agreesOnAll()
	recount = b.appliesAll(b.begins(monthOf(1), 0), 9)
	b.begins(monthOf(2), 0)
	b.conflicts("of another month", b.EndRecount(b.Context(), recount, b.model.progress))
	b.agreesOnAll()
}

// testRecountResumed checks that another process resumes an interrupted recount, and that the interrupted process can
// no longer continue it.
func testRecountResumed(b *usageFixture) {
	b.apply(inMonth(1, "c"), inMonth(1, "d"), inMonth(0, "c"))
	first := b.begins(usage.FirstMonth, 0)
	second, err := b.ApplyRecount(b.Context(), first, place(2), b.model.plays[:1])
	b.must(err)
	other := b.another()
	b.must(b.Usage.Close())
	b.Usage = other
	if resumed := b.begins(usage.FirstMonth, 2); resumed != second {
		b.Errorf("resumed %+v, want %+v", resumed, second)
	}
	_, err = b.ApplyRecount(b.Context(), first, place(2), b.model.plays[:1])
	b.conflicts("the same step again", err)
	b.conflicts("an end before the last step", b.EndRecount(b.Context(), first, b.model.progress))
	last := b.appliesAll(second, 1)
	b.must(b.EndRecount(b.Context(), last, b.model.progress))
	b.conflicts("a second end", b.EndRecount(b.Context(), last, b.model.progress))
	b.agreesOnAll()
	recount := b.appliesAll(b.begins(usage.FirstMonth, 0), 2)
	anew, err := b.BeginRecount(b.Context(), usage.FirstMonth, false)
	if err != nil || anew.ID == recount.ID || anew.Progress.Position != 0 {
		b.Errorf("the new recount is %+v (%v)", anew, err)
	}
	b.conflicts("the one before", b.EndRecount(b.Context(), recount, b.model.progress))
}

// testRecountChanged checks that a recount starts over if a seal was made or persons were forgotten after it began.
func testRecountChanged(b *usageFixture) {
	b.apply(inMonth(2, "c"), inMonth(1, "d"), inMonth(0, "c"))
	changes := map[string]func(){
		"sealed": func() { b.seal(monthOf(2)) },
		"forgotten": func() {
			_, _, err := b.Rename(b.Context(), "a", "xp", "xalias")
			b.must(err)
			b.model.rename("a", "xp", "xalias")
			recount, err := b.BeginRecount(b.Context(), usage.FirstMonth, true)
			b.must(err)
			recount = b.appliesAll(recount, 2)
			if _, err := b.ApplyRecount(b.Context(), recount, place(recount.Progress.Position+1), nil); fault.CodeOf(err) != fault.Unavailable {
				b.Errorf("continued while somebody is being forgotten: %v", err)
			}
			if err := b.EndRecount(b.Context(), recount, b.model.progress); fault.CodeOf(err) != fault.Unavailable {
				b.Errorf("ended while somebody is being forgotten: %v", err)
			}
			b.must(b.EndRename(b.Context(), "a", "xp"))
		},
	}
	for name, change := range changes {
		recount := b.appliesAll(b.begins(usage.FirstMonth, 0), 2)
		change()
		_, err := b.ApplyRecount(b.Context(), recount, place(recount.Progress.Position+1), nil)
		b.conflicts(name+", applied", err)
		b.conflicts(name+", ended", b.EndRecount(b.Context(), recount, b.model.progress))
		b.agreesOnAll()
		b.must(b.EndRecount(b.Context(), b.appliesAll(b.begins(usage.FirstMonth, 0), 2), b.model.progress))
		b.agreesOnAll()
	}
}

// testRecountMoved checks that older counts never replace counts that have advanced, in any process.
func testRecountMoved(b *usageFixture) {
	b.apply(inMonth(1, "c"))
	recount := b.appliesAll(b.begins(usage.FirstMonth, 0), 1)
	before := b.model.progress
	other := b.another()
	b.apply(inMonth(1, "d"))
	b.conflicts("counting has continued", other.EndRecount(b.Context(), recount, before))
	b.agreesOnAll()
	b.must(other.EndRecount(b.Context(), b.appliesAll(recount, 1), b.model.progress))
	b.agreesOnAll()
	b.apply(inMonth(0, "c"))
	b.agreesOnAll()
}

// collects adds all plays of the model to a recount that has not gathered, in steps that leave several blocks for a month.
func (b *usageFixture) collects(recount usage.Recount) usage.Recount {
	b.errors.Helper()
	for plays := b.model.plays; len(plays) > 0; {
		n := len(plays)*9/10 + 1
		to := place(plays[n-1].Position)
		if n == len(plays) {
			to = b.model.progress
		}
		var err error
		recount, err = b.ApplyRecount(b.Context(), recount, to, plays[:n])
		b.must(err)
		plays = plays[n:]
	}
	return recount
}

// gathersSome gathers a part of the plays of a recount.
func (b *usageFixture) gathersSome(recount usage.Recount) usage.Recount {
	b.errors.Helper()
	gathered, err := b.GatherRecount(b.Context(), recount)
	b.must(err)
	if gathered.Stage != usage.Gathering {
		b.errors.Errorf("the stage is %d after the first part", gathered.Stage)
	}
	return gathered
}

// playsALot counts so many plays that a recount gathers them in several parts, also those of one account and month.
func (b *usageFixture) playsALot() {
	b.errors.Helper()
	var plays []usage.Play
	for i := range 600 {
		p := inMonth(i%8/7, "c")
		p.At += event.Instant(i) * event.Hour / 3
		p.Account, p.Person, p.Video = []string{"a", "a", "b", ""}[i%4], fmt.Sprint("x", i%70), fmt.Sprint("v", i%50)
		p.Continues, p.Start, p.End = i%5 == 1, int64(i*i*1000), int64(i*i*1001+1)
		plays = append(plays, p)
	}
	b.apply(plays...)
}

// testRecountGathers checks that another process resumes a recount that was interrupted while it gathered, and that plays
// which arrive meanwhile are counted once.
func testRecountGathers(b *usageFixture) {
	b.playsALot()
	collected := b.collects(b.begins(usage.FirstMonth, 0))
	b.conflicts("ended before it gathered", b.EndRecount(b.Context(), collected, b.model.progress))
	some := b.gathersSome(collected)
	b.agreesOnAll()
	parts := 1
	for recount := some; recount.Stage == usage.Gathering; parts++ {
		other := b.another()
		b.must(b.Usage.Close())
		b.Usage = other
		if resumed := b.begins(usage.FirstMonth, some.Progress.Position); resumed != recount {
			b.Errorf("resumed %+v, want %+v", resumed, recount)
		}
		b.apply(inMonth(0, "c"), inMonth(1, "c"), inMonth(2, "d"))
		_, err := b.ApplyRecount(b.Context(), recount, b.model.progress, nil)
		b.conflicts("continued while it gathers", err)
		_, err = b.GatherRecount(b.Context(), collected)
		b.conflicts("the first part again", err)
		b.conflicts("ended while it gathers", b.EndRecount(b.Context(), recount, b.model.progress))
		recount, err = b.GatherRecount(b.Context(), recount)
		b.must(err)
	}
	if parts < 5 {
		b.Errorf("it gathers in %d parts", parts)
	}
	recount := b.appliesAll(b.begins(usage.FirstMonth, some.Progress.Position), 2)
	if again, err := b.GatherRecount(b.Context(), recount); err != nil || again != recount {
		b.Errorf("gathered again: %+v (%v)", again, err)
	}
	b.must(b.EndRecount(b.Context(), recount, b.model.progress))
	b.agreesOnVoided()
}

// testRecountChangedBetween checks that a recount begins again if the counts change while it gathers or before.
func testRecountChangedBetween(b *usageFixture) {
	b.playsALot()
	for name, change := range map[string]func(){
		"sealed":    func() { b.seal(monthOf(2)) },
		"voided":    func() { b.voids("v", usage.Selection{Video: "v7"}) },
		"forgotten": func() { b.renames("a", "x9", "xalias") },
	} {
		collected := b.collects(b.begins(usage.FirstMonth, 0))
		recount := collected
		if name != "voided" {
			recount = b.gathersSome(collected)
		}
		change()
		_, err := b.GatherRecount(b.Context(), recount)
		b.conflicts(name, err)
		b.recounts(usage.FirstMonth, 200)
		b.agreesOnVoided()
	}
}
