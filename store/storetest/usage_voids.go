package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

var voidTests = map[string]func(b *usageFixture){
	"plays are voided and come back":          testVoid,
	"voids of sealed months are adjustments":  testVoidSealed,
	"voids that overlap":                      testVoidsOverlap,
	"a void takes counted plays only":         testVoidLate,
	"voids are made and undone once":          testVoidOnce,
	"voids that are refused":                  testVoidRefused,
	"a recount respects voids":                testVoidRecount,
	"voids and forgotten persons":             testVoidForgotten,
	"voids that were cut short":               testVoidCutShort,
	"voids at once":                           testVoidTogether,
	"a preview shows the plays of a void":     testVoidPreview,
	"users who are forgotten in voided plays": testVoidRename,
}

// adjustment is the effect of voiding or restoring a sealed play.
type adjustment struct {
	play usage.Play
	void string
	// seals is the number of seals at the time of the adjustment.
	seals int
	sign  int64
}

func (c *counted) voided(p *usage.Play) bool { return len(c.voids[p.Position]) > 0 }

// seal records which plays a seal does not bill.
func (c *counted) seal(seal usage.Seal) {
	if c.unbilled == nil {
		c.unbilled = map[event.Position]bool{}
	}
	var open []*usage.Play
	for i := range c.plays {
		if c.sealOf(&c.plays[i]) == (usage.Month{}) {
			open = append(open, &c.plays[i])
		}
	}
	c.seals = append(c.seals, seal)
	for _, p := range open {
		c.unbilled[p.Position] = c.voided(p) && c.sealOf(p) != (usage.Month{})
	}
}

// flips voids or restores plays. The function voids returns the voids that a play has afterwards.
func (c *counted) flips(id string, voids func(p *usage.Play, before []string) []string) {
	if c.voids == nil {
		c.voids = map[event.Position][]string{}
	}
	for i := range c.plays {
		p := &c.plays[i]
		before := c.voided(p)
		c.voids[p.Position] = voids(p, c.voids[p.Position])
		if after := c.voided(p); before != after && c.sealOf(p) != (usage.Month{}) {
			sign := int64(1)
			if after {
				sign = -1
			}
			c.adjustments = append(c.adjustments, adjustment{*p, id, len(c.seals), sign})
		}
	}
}

// selected reports whether a selection selects a play.
func selected(s usage.Selection, p *usage.Play) bool {
	if s.Event != "" {
		return p.Position == s.EventPosition
	}
	return (s.Account == "" || s.Account == p.Account) && (s.Client == "" || s.Client == p.Client) && (s.Video == "" || s.Video == p.Video) &&
		p.At >= s.From && (s.To == 0 || p.At < s.To)
}

func anAct(reason string) usage.VoidAct {
	return usage.VoidAct{At: morning.Time().Truncate(time.Millisecond), Client: "operator", User: "Ä", Reason: reason}
}

func aVoid(id string, s usage.Selection) usage.Void {
	return usage.Void{ID: id, Selection: s, Made: anAct("because <of \"日\">")}
}

// eventOf returns a selection of one play.
func eventOf(p usage.Play) usage.Selection {
	return usage.Selection{Event: fmt.Sprint("event ", p.Position), EventPosition: p.Position, Account: p.Account, From: p.At, To: p.At + 1}
}

// voids makes a void in the store and in the model.
func (b *usageFixture) voids(id string, s usage.Selection) usage.Void {
	b.errors.Helper()
	var plays, milliseconds int64
	for i := range b.model.plays {
		if p := &b.model.plays[i]; selected(s, p) && !b.model.voided(p) {
			plays, milliseconds = plays+p.Plays(), milliseconds+p.Milliseconds()
		}
	}
	void, err := b.Void(b.Context(), aVoid(id, s))
	b.must(err)
	if void.Pending || void.Plays != plays || void.Milliseconds != milliseconds || void.Position != b.model.progress.Position || void.Undone != nil {
		b.errors.Errorf("%d plays of %d ms are voided by %+v", plays, milliseconds, void)
	}
	b.model.flips(id, func(p *usage.Play, before []string) []string {
		if selected(s, p) {
			return append(before, id)
		}
		return before
	})
	return void
}

// unvoids undoes a void in the store and in the model.
func (b *usageFixture) unvoids(id string) usage.Void {
	b.errors.Helper()
	void, err := b.UndoVoid(b.Context(), id, anAct("wrongly voided"))
	b.must(err)
	if void.Pending || void.Undone == nil || void.Undone.Reason != "wrongly voided" || void.Undone.Client != "operator" {
		b.errors.Errorf("the undone void is %+v", void)
	}
	b.model.flips(id, func(_ *usage.Play, before []string) []string {
		return slices.DeleteFunc(slices.Clone(before), func(other string) bool { return other == id })
	})
	return void
}

// previewsUndo checks that the preview of an undo is the stored void, and changes nothing.
func (b *usageFixture) previewsUndo(id string) {
	b.errors.Helper()
	preview, err := b.PreviewUndo(b.Context(), id)
	b.must(err)
	voids, err := b.Voids(b.Context())
	b.must(err)
	if diff := cmp.Diff(voids.Find(id), &preview); diff != "" {
		b.errors.Errorf("the preview of an undo is (-want +got):\n%s", diff)
	}
}

// agreesOnVoided is agreesOnAll with tables of every kind and a curve.
func (b *usageFixture) agreesOnVoided() {
	b.errors.Helper()
	b.agreesOnAll()
	for d := range usage.Dimensions {
		q := year
		q.By, q.Order = []usage.Dimension{d}, usage.MostUsers
		b.agrees(q)
		q.Interval = usage.Daily
		b.agrees(q)
	}
	b.agreesOnCurve(usage.CurveQuery{Video: "v", From: year.From, To: year.To, Sandbox: true})
}

// played counts plays of two accounts and of none, of several clients, videos and months.
func (b *usageFixture) played() {
	b.errors.Helper()
	var plays []usage.Play
	for _, ago := range []int{2, 1, 0} {
		for i := range 24 {
			p := inMonth(ago, []string{"c", "d"}[i%2])
			p.At += event.Instant(i%5) * 7 * event.Hour
			p.Account, p.Video = []string{"a", "a", "b", ""}[i%4], []string{"v", "w", ""}[i%3]
			p.Channel, p.Subjects = "channel of "+p.Video, []string{"s", fmt.Sprint("t", i%3)}
			p.Person, p.End, p.Sandbox = fmt.Sprint("x", i%7), p.Start+int64(1000+100*i), i%8 == 2
			p.Continues = i%5 == 1
			plays = append(plays, p)
		}
	}
	b.apply(plays...)
}

func testVoid(b *usageFixture) {
	b.played()
	period := usage.Selection{Account: "a", Client: "c", From: monthOf(1).Start(), To: monthOf(1).Start() + 15*24*event.Hour}
	for name, s := range map[string]usage.Selection{
		"an event": eventOf(b.model.plays[9]), "an event without account": eventOf(b.model.plays[3]), "a client and a period": period,
		"a video": {Video: "v"}, "a video of an account": {Video: "w", Account: "b"}, "a video in a period": {Video: "v", From: monthOf(0).Start()},
		"nothing": {Video: "unknown"}, "nothing of an account": {Video: "v", Account: "unknown"},
	} {
		void := b.voids(name, s)
		b.agreesOnVoided()
		voids, err := b.Voids(b.Context())
		b.must(err)
		if diff := cmp.Diff(void, *voids.Find(name)); diff != "" {
			b.Errorf("Voids returns %s as (-want +got):\n%s", name, diff)
		}
		b.apply(inMonth(1, "c"))
		b.agreesOnVoided()
		b.unvoids(name)
		b.agreesOnVoided()
	}
	if plays, err := b.PlaysOf(b.Context(), "a", "x1"); err != nil || len(plays) == 0 {
		b.Errorf("%d plays (%v)", len(plays), err)
	}
}

func testVoidSealed(b *usageFixture) {
	b.played()
	b.seal(monthOf(2))
	b.voids("after a seal", usage.Selection{Video: "v"})
	b.agreesOnVoided()
	b.voids("undone before the next", usage.Selection{Video: "w"})
	b.agreesOnVoided()
	b.unvoids("undone before the next")
	b.agreesOnVoided()
	statements := b.seal(monthOf(1))
	if !slices.ContainsFunc(statements, func(s usage.Statement) bool {
		return slices.ContainsFunc(s.Lines, func(l usage.Line) bool { return l.Plays < 0 && l.Adjustment && l.Month == monthOf(2) })
	}) {
		b.Errorf("no statement is adjusted: %+v", statements)
	}
	b.agreesOnVoided()
	b.unvoids("after a seal")
	b.agreesOnVoided()
	b.seal(monthOf(0))
	b.agreesOnVoided()
	b.recounts(usage.FirstMonth, 5)
	b.agreesOnVoided()
}

func testVoidsOverlap(b *usageFixture) {
	b.played()
	b.voids("event", eventOf(b.model.plays[0]))
	b.seal(monthOf(2))
	b.voids("client", usage.Selection{Account: "a", Client: "c", From: year.From, To: year.To})
	b.voids("video", usage.Selection{Video: "v"})
	b.agreesOnVoided()
	for i, id := range []string{"event", "video", "client"} {
		if undone := b.unvoids(id); undone.Undone.Number != int64(4+i) {
			b.Errorf("act %d is %+v", 4+i, undone.Undone)
		}
		b.agreesOnVoided()
		b.recounts(usage.FirstMonth, 7)
		b.agreesOnVoided()
		b.apply(inMonth(2, "c"))
		b.agreesOnVoided()
	}
}

// testVoidLate checks that a void does not affect plays that are counted after it was made, whenever they were played.
func testVoidLate(b *usageFixture) {
	b.played()
	b.voids("video", usage.Selection{Video: "v"})
	b.played()
	b.agreesOnVoided()
	b.recounts(usage.FirstMonth, 100)
	b.agreesOnVoided()
	b.unvoids("video")
	b.agreesOnVoided()
}

func testVoidOnce(b *usageFixture) {
	b.played()
	void := b.voids("v1", usage.Selection{Video: "v"})
	b.apply(inMonth(1, "c"))
	again, err := b.Void(b.Context(), aVoid("v1", usage.Selection{Video: "v"}))
	if diff := cmp.Diff(void, again); diff != "" || err != nil {
		b.Errorf("the repeated void is (%v)\n%s", err, diff)
	}
	_, err = b.Void(b.Context(), aVoid("v1", usage.Selection{Video: "w"}))
	b.conflicts("other plays", err)
	b.agreesOnVoided()
	b.previewsUndo("v1")
	undone := b.unvoids("v1")
	b.previewsUndo("v1")
	again, err = b.UndoVoid(b.Context(), "v1", anAct("another reason"))
	if diff := cmp.Diff(undone, again); diff != "" || err != nil {
		b.Errorf("the void that was undone again is (%v)\n%s", err, diff)
	}
	if again, err = b.Void(b.Context(), aVoid("v1", usage.Selection{Video: "v"})); err != nil || again.Undone == nil {
		b.Errorf("a void that was undone is made again: %+v (%v)", again, err)
	}
	b.agreesOnVoided()
}

func testVoidRefused(b *usageFixture) {
	b.played()
	for name, void := range map[string]usage.Void{
		"nothing":               aVoid("1", usage.Selection{Account: "a"}),
		"a client at all times": aVoid("1", usage.Selection{Account: "a", Client: "c"}),
		"a client of nobody":    aVoid("1", usage.Selection{Client: "c", From: 1, To: 2}),
		"a period backwards":    aVoid("1", usage.Selection{Video: "v", From: 3, To: 2}),
		"an event and a video":  aVoid("1", usage.Selection{Event: "e", EventPosition: 2, Video: "v"}),
		"an event nowhere":      aVoid("1", usage.Selection{Event: "e"}),
		"no reason":             {ID: "1", Selection: usage.Selection{Video: "v"}, Made: anAct(" ")},
	} {
		if _, err := b.Void(b.Context(), void); fault.CodeOf(err) != fault.Invalid {
			b.Errorf("%s: got %v", name, err)
		}
	}
	later := eventOf(b.model.plays[0])
	later.EventPosition = b.model.progress.Position + 1
	_, err := b.Void(b.Context(), aVoid("1", later))
	b.conflicts("an event that is not counted", err)
	_, err = b.UndoVoid(b.Context(), "1", anAct("why"))
	_, preview := b.PreviewUndo(b.Context(), "1")
	if fault.CodeOf(err) != fault.NotFound || fault.CodeOf(preview) != fault.NotFound {
		b.Errorf("undone without a void: %v, %v", err, preview)
	}
	if _, err := b.UndoVoid(b.Context(), "1", anAct("")); fault.CodeOf(err) != fault.Invalid {
		b.Errorf("undone without a reason: %v", err)
	}
	if voids, err := b.Voids(b.Context()); err != nil || len(voids) > 0 {
		b.Errorf("there are %v (%v)", voids, err)
	}
	b.agreesOnVoided()
}

// testVoidRecount checks that a recount that began before a void or its undoing starts over and yields the same counts.
func testVoidRecount(b *usageFixture) {
	b.played()
	b.seal(monthOf(2))
	for _, change := range []func(){
		func() { b.voids("v1", usage.Selection{Video: "v"}) },
		func() { b.unvoids("v1") },
	} {
		recount := b.appliesAll(b.begins(usage.FirstMonth, 0), 9)
		change()
		b.conflicts("ended", b.EndRecount(b.Context(), recount, b.model.progress))
		b.agreesOnVoided()
		for _, from := range []usage.Month{usage.FirstMonth, monthOf(1)} {
			b.recounts(from, 9)
			b.agreesOnVoided()
		}
	}
	b.voids("v2", usage.Selection{Video: "v"})
	b.recounts(usage.FirstMonth, 9)
	b.unvoids("v2")
	b.agreesOnVoided()
}

func testVoidForgotten(b *usageFixture) {
	b.played()
	b.seal(october)
	september := usage.Selection{Video: "v", From: monthOf(1).Start(), To: october.Start()}
	b.voids("old", september)
	later := usage.Selection{Video: "v", From: october.Start()}
	b.voids("new", later)
	b.agreesOnVoided()
	b.must(b.ForgetPersons(b.Context(), october))
	b.agreesOnLedger()
	for _, s := range []usage.Selection{september, {Video: "w"}, eventOf(b.model.plays[0]), {Account: "a", Client: "c", From: year.From, To: year.To}} {
		_, err := b.Void(b.Context(), aVoid("refused", s))
		_, preview := b.PreviewVoid(b.Context(), s)
		if fault.CodeOf(err) != fault.Invalid || fault.CodeOf(preview) != fault.Invalid {
			b.Errorf("%+v: got %v, %v", s, err, preview)
		}
	}
	_, err := b.UndoVoid(b.Context(), "old", anAct("why"))
	_, preview := b.PreviewUndo(b.Context(), "old")
	if fault.CodeOf(err) != fault.Invalid || fault.CodeOf(preview) != fault.Invalid {
		b.Errorf("undone without plays: %v, %v", err, preview)
	}
	b.previewsUndo("new")
	b.unvoids("new")
	b.agreesOnLedger()
	b.voids("again", later)
	b.agreesOnLedger()
	q := year
	q.From, q.By = october.Start(), []usage.Dimension{usage.ByUser}
	b.agrees(q)
}

// testVoidCutShort checks that other processes complete a void that was interrupted at any point, and that nothing is
// counted twice or lost.
func testVoidCutShort(b *usageFixture) {
	b.played()
	b.seal(monthOf(2))
	other := b.another()
	for i := range 12 {
		s := usage.Selection{Video: []string{"v", "w"}[i%2]}
		id := fmt.Sprint("void ", i)
		cut, cancel := context.WithTimeout(b.Context(), time.Duration(1<<i)*10*time.Microsecond)
		_, _ = b.Void(cut, aVoid(id, s))
		cancel()
		b.must(other.SettleVoids(b.Context()))
		voids, err := other.Voids(b.Context())
		b.must(err)
		if voids.PendingVoid() != nil {
			b.Errorf("it is not finished: %+v", voids)
		}
		made, err := other.Void(b.Context(), aVoid(id, s))
		b.must(err)
		if made.Plays != 18 {
			b.Errorf("%d plays are voided", made.Plays)
		}
		b.model.flips(id, func(p *usage.Play, before []string) []string {
			if selected(s, p) {
				return append(before, id)
			}
			return before
		})
		b.agreesOnAll()
		cut, cancel = context.WithTimeout(b.Context(), time.Duration(1<<i)*10*time.Microsecond)
		_, _ = b.UndoVoid(cut, id, anAct("wrongly voided"))
		cancel()
		b.unvoids(id)
		b.agreesOnAll()
	}
	b.agreesOnVoided()
}

// testVoidTogether checks processes that make and undo voids concurrently while others count and seal.
func testVoidTogether(b *usageFixture) {
	b.played()
	stores := []*usageFixture{b, {T: b.T, Usage: b.another(), errors: b}, {T: b.T, Usage: b.another(), errors: b}}
	together(6, func(i int) {
		u := stores[i%3]
		for n := range 3 {
			id := fmt.Sprint("void ", n)
			if _, err := u.Void(b.Context(), aVoid(id, usage.Selection{Video: []string{"v", "w", "v"}[n]})); err != nil {
				b.Errorf("%s: %v", id, err)
			}
			if n < 2 {
				if _, err := u.UndoVoid(b.Context(), id, anAct("wrongly voided")); err != nil {
					b.Errorf("%s undone: %v", id, err)
				}
			}
		}
	})
	b.model.flips("void 2", func(p *usage.Play, before []string) []string {
		if p.Video == "v" {
			return append(before, "void 2")
		}
		return before
	})
	b.agreesOnVoided()
	voids, err := b.Voids(b.Context())
	b.must(err)
	if len(voids) != 3 || !voids[2].Active() || voids[1].Active() || voids[2].Plays != 18 {
		b.Errorf("there are %+v", voids)
	}
}

func testVoidPreview(b *usageFixture) {
	b.played()
	b.seal(monthOf(2))
	b.voids("before", eventOf(b.model.plays[0]))
	s := usage.Selection{Video: "v", Account: "a"}
	sums, err := b.PreviewVoid(b.Context(), s)
	b.must(err)
	only := counted{seals: b.model.seals}
	for _, p := range b.model.plays[1:] {
		if selected(s, &p) {
			only.plays = append(only.plays, p)
		}
	}
	if diff := cmp.Diff(only.ledger(""), sums, cmpopts.EquateEmpty()); diff != "" || len(sums) < 3 {
		b.Errorf("a preview (-want +got):\n%s", diff)
	}
	b.agreesOnVoided()
	if _, err := b.PreviewVoid(b.Context(), usage.Selection{}); fault.CodeOf(err) != fault.Invalid {
		b.Errorf("a preview of nothing: %v", err)
	}
	if sums, err := b.PreviewVoid(b.Context(), usage.Selection{Video: "unknown"}); err != nil || len(sums) > 0 {
		b.Errorf("a preview of an unknown video: %v (%v)", sums, err)
	}
}

// testVoidRename checks that a rename includes the persons of voided plays, and that these persons are kept as long as
// the plays.
func testVoidRename(b *usageFixture) {
	b.played()
	b.voids("v1", usage.Selection{Account: "a", Client: "c", From: year.From, To: year.To})
	b.renames("a", "x0", "xalias")
	b.apply(inMonth(1, "c"))
	b.renames("a", "xp", "xalias")
	b.agreesOnVoided()
	b.unvoids("v1")
	b.agreesOnVoided()
}
