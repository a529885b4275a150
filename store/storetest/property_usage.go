package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// checkUsage counts random plays in random steps, between seals, voids, renames and recounts, and compares the results
// of random queries with the plays themselves.
func checkUsage(t *testing.T, empty EmptyUsage) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newUsageFixture(t, rt, empty)
		defer b.Close()
		sealed := october.Number() - 14
		var made []string
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			var plays []usage.Play
			for range rapid.IntRange(0, 30).Draw(rt, "plays") {
				plays = append(plays, drawPlay(rt))
			}
			b.apply(plays...)
			switch rapid.IntRange(0, 9).Draw(rt, "event") {
			case 4, 5:
				b.voids(fmt.Sprint("void ", len(made)), drawSelection(rt, &b.model))
				made = append(made, fmt.Sprint("void ", len(made)))
			case 6, 7:
				if len(made) > 0 {
					b.unvoids(rapid.SampledFrom(made).Draw(rt, "undone"))
				}
			case 0, 1:
				sealed += rapid.IntRange(1, 5).Draw(rt, "months")
				b.seal(usage.MonthNumber(sealed))
			case 2:
				account, person := drawAccount(rt), "x"+drawName(rt, "person", 6)
				alias := drawAlias(rt)
				b.renames(account, person, alias)
			case 3:
				from := usage.MonthNumber(october.Number() - rapid.IntRange(0, 14).Draw(rt, "recount from"))
				if rapid.Bool().Draw(rt, "all") {
					from = usage.FirstMonth
				}
				b.recounts(from, rapid.IntRange(1, 20).Draw(rt, "at once"))
			}
		}
		b.agreesOnLedger()
		b.agreesOnLists()
		for range 12 {
			b.agrees(drawQuery(rt))
		}
		for range 3 {
			from, to := drawTime(rt)
			q := usage.CurveQuery{Video: drawName(rt, "video", 5), From: from, To: to, Sandbox: rapid.Bool().Draw(rt, "sandbox")}
			if rapid.Bool().Draw(rt, "of accounts") {
				q.Accounts = rapid.SliceOfN(rapid.Custom(drawAccount), 0, 3).Draw(rt, "accounts")
			}
			if q.Video != "" {
				b.agreesOnCurve(q)
			}
		}
	})
}

// drawSelection draws a selection: one of the plays; a client and a period; or a video, possibly with an account and a
// period.
func drawSelection(rt *rapid.T, model *counted) usage.Selection {
	var s usage.Selection
	kind := rapid.IntRange(0, 2).Draw(rt, "selection")
	if kind == 0 && len(model.plays) > 0 {
		return eventOf(rapid.SampledFrom(model.plays).Draw(rt, "play"))
	}
	s.From, s.To = drawTime(rt)
	if kind == 1 {
		s.Account, s.Client = "a1-Ä", fmt.Sprint("c", rapid.SampledFrom([]string{"1-Ä", "2\"日", "3"}).Draw(rt, "client"))
		return s
	}
	s.Video = "v" + rapid.SampledFrom([]string{"1-Ä", "2\"日", "3"}).Draw(rt, "video")
	if rapid.Bool().Draw(rt, "at any time") {
		s.From, s.To = 0, 0
	}
	s.Account = drawAccount(rt)
	return s
}

// drawName draws one of a few names, or "".
func drawName(rt *rapid.T, label string, n int) string {
	if i := rapid.IntRange(0, n).Draw(rt, label); i > 0 {
		return fmt.Sprint(label[:1], i, []string{"", "-Ä", "\"日"}[i%3])
	}
	return ""
}

func drawAccount(rt *rapid.T) string { return drawName(rt, "account", 3) }

// drawAlias draws a person who may already exist.
func drawAlias(rt *rapid.T) string {
	return "x" + rapid.SampledFrom([]string{"alias-1", "alias-2", "p1-Ä"}).Draw(rt, "alias")
}

// drawMoment draws an instant in October or one of the 14 months before it, often near the start of a month.
func drawMoment(rt *rapid.T) event.Instant {
	month := usage.MonthNumber(october.Number() - rapid.IntRange(0, 14).Draw(rt, "month"))
	hours := rapid.OneOf(rapid.IntRange(0, 27), rapid.IntRange(0, 28*24)).Draw(rt, "hour")
	return month.Start() + event.Instant(hours)*event.Hour
}

func drawPlay(rt *rapid.T) usage.Play {
	p := usage.Play{
		At:      drawMoment(rt) + event.Instant(rapid.IntRange(0, int(event.Hour)-1).Draw(rt, "within")),
		Account: drawAccount(rt), Client: drawName(rt, "client", 3), Video: drawName(rt, "video", 5), Channel: drawName(rt, "Channel", 2),
		Sandbox: rapid.IntRange(0, 5).Draw(rt, "sandbox") == 0, Continues: rapid.IntRange(0, 2).Draw(rt, "continues") == 0, Start: int64(rapid.IntRange(0, 9000).Draw(rt, "start")),
	}
	p.End = p.Start + int64(rapid.IntRange(1, 9000).Draw(rt, "length"))
	if rapid.IntRange(0, 3).Draw(rt, "exceeds") == 0 {
		p.Excess = int64(rapid.IntRange(0, int(p.End-p.Start)).Draw(rt, "excess"))
	}
	if name := drawName(rt, "person", 6); name != "" {
		p.Person = rapid.SampledFrom([]string{"x", "u"}).Draw(rt, "known by") + name
	}
	for range rapid.IntRange(0, 3).Draw(rt, "subjects") {
		if name := drawName(rt, "subject", 4); name != "" {
			p.Subjects = append(p.Subjects, name)
		}
	}
	return p
}

// drawTime draws a period of whole hours, often of whole months.
func drawTime(rt *rapid.T) (from, to event.Instant) {
	from, to = drawMoment(rt), drawMoment(rt)
	if rapid.Bool().Draw(rt, "whole months") {
		from, to = usage.MonthOf(from).Start(), usage.MonthOf(to).End()
	}
	if from > to {
		from, to = to, from
	}
	if from == to {
		to += event.Hour
	}
	return from, to
}

func drawQuery(rt *rapid.T) usage.Query {
	q := usage.Query{
		Order: usage.Order(rapid.IntRange(0, int(usage.MostVideos)).Draw(rt, "order")), Sandbox: rapid.Bool().Draw(rt, "sandbox"),
		Interval: usage.Interval(rapid.IntRange(0, int(usage.Monthly)).Draw(rt, "interval")),
		Limit:    rapid.SampledFrom([]int{1, 3, 10, usage.MaxRows}).Draw(rt, "limit"),
		NoUsers:  rapid.Bool().Draw(rt, "no users"), NoVideos: rapid.Bool().Draw(rt, "no videos"),
	}
	q.From, q.To = drawTime(rt)
	if q.Interval == usage.Hourly {
		q.To = min(q.To, q.From+9000*event.Hour)
	}
	if q.Interval != usage.Whole && rapid.IntRange(0, 3).Draw(rt, "part") == 0 {
		hours := int((q.To - q.From) / event.Hour)
		first := rapid.IntRange(0, hours-1).Draw(rt, "first hour")
		q.RowsFrom = q.From + event.Instant(first)*event.Hour
		q.RowsTo = q.RowsFrom + event.Instant(rapid.IntRange(1, hours-first).Draw(rt, "hours"))*event.Hour
	}
	q.Offset = rapid.SampledFrom([]int{0, 0, 1, 5, 100}).Draw(rt, "offset")
	q.By = rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, int(usage.Dimensions)-1), func(n int) usage.Dimension { return usage.Dimension(n) }),
		0, usage.MaxDimensions, rapid.ID).Draw(rt, "by")
	for range rapid.IntRange(0, 2).Draw(rt, "filters") {
		d := usage.Dimension(rapid.IntRange(0, int(usage.Dimensions)-1).Draw(rt, "filter"))
		label := []string{"account", "client", "person", "video", "Channel", "subject"}[d]
		values := []string{}
		for range rapid.IntRange(0, 3).Draw(rt, "values") {
			name := drawName(rt, label, 4)
			if d == usage.ByUser && name != "" {
				name = "x" + name
			}
			values = append(values, name)
		}
		q.Only[d] = values
	}
	return q
}
