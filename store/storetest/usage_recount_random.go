package storetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// testRecountAmidChanges runs the steps of recounts between random changes of the counts.
func testRecountAmidChanges(b *usageFixture) {
	random := rand.New(rand.NewPCG(8, 5))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var (
		recount        *usage.Recount
		sealed, ended  = 4, 0
		active         []string
		changes, steps int
	)
	step := func(most int) {
		steps++
		if recount == nil {
			from := []usage.Month{usage.FirstMonth, monthOf(2), monthOf(1)}[random.IntN(3)]
			begun, err := b.BeginRecount(b.Context(), from, random.IntN(4) > 0)
			b.must(err)
			recount = &begun
			return
		}
		var (
			next    usage.Recount
			err     error
			waiting []usage.Play
		)
		for _, p := range b.model.plays {
			if p.Position > recount.Progress.Position {
				waiting = append(waiting, p)
			}
		}
		switch {
		case recount.Progress != b.model.progress && recount.Stage != usage.Gathering:
			n, to := min(most, len(waiting)), b.model.progress
			if n < len(waiting) {
				to = place(waiting[n-1].Position)
			}
			next, err = b.ApplyRecount(b.Context(), *recount, to, waiting[:n])
		case recount.Stage != usage.Following:
			next, err = b.GatherRecount(b.Context(), *recount)
		default:
			err = b.EndRecount(b.Context(), *recount, b.model.progress)
			if err == nil {
				ended++
				recount = nil
				b.agreesOnVoided()
				return
			}
		}
		if fault.CodeOf(err) == fault.Conflict {
			recount = nil
			return
		}
		b.must(err)
		recount = &next
	}
	for range 150 {
		switch action := random.IntN(40); {
		case action < 6:
			var plays []usage.Play
			for range 1 + random.IntN(12) {
				p := inMonth(random.IntN(4), pick("c", "d"))
				p.At += event.Instant(random.IntN(90)) * 7 * event.Hour
				p.Account, p.Person, p.Video = pick("a", "b", ""), pick("", "x1", "x2", "x3"), pick("v", "w", "")
				p.Sandbox, p.Continues, p.End = random.IntN(4) == 0, random.IntN(4) == 0, p.Start+random.Int64N(5000)
				p.Excess = random.Int64N(p.End - p.Start + 1)
				plays = append(plays, p)
			}
			b.apply(plays...)
		case action == 6 && sealed > 1:
			sealed--
			b.seal(monthOf(sealed))
			changes++
		case action == 7:
			id := fmt.Sprint("void ", changes)
			b.voids(id, []usage.Selection{
				{Video: pick("v", "w")}, {Account: pick("a", "b"), Client: "c", From: monthOf(2).Start(), To: monthOf(1).Start()},
				{Video: "v", Account: pick("a", "b"), From: monthOf(1).Start()},
			}[random.IntN(3)])
			active = append(active, id)
			changes++
		case action == 8 && len(active) > 0:
			n := random.IntN(len(active))
			b.unvoids(active[n])
			active = append(active[:n], active[n+1:]...)
			changes++
		case action == 9:
			b.renames(pick("a", "b", ""), pick("x1", "x2"), fmt.Sprint("xalias ", changes))
			changes++
		default:
			step(1 + random.IntN(40))
		}
	}
	for was := ended; ended == was; {
		step(1000)
	}
	b.agreesOnVoided()
	if ended < 1 || changes < 3 {
		b.Errorf("%d recounts ended in %d steps, amid %d changes", ended, steps, changes)
	}
}
