package storetest

import (
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var tableTests = map[string]func(b *usageFixture){
	"many users and videos":          testManyUsers,
	"every table of some plays":      testEveryTable,
	"subjects":                       testSubjects,
	"pages of rows":                  testRowPages,
	"top lists":                      testTopLists,
	"months to date":                 testMonthsToDate,
	"curves":                         testCurves,
	"users of one name, by accounts": testNamesakes,
	"channels that are hidden":       testHiddenChannels,
}

// testManyUsers counts enough users and videos that engines store them in other forms than small numbers. It uses large
// and small steps and moves back and forth in time.
func testManyUsers(b *usageFixture) {
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
	for _, by := range [][]usage.Dimension{nil, {usage.ByClient}, {usage.ByChannel}, {usage.BySubject}, {usage.ByVideo}, {usage.ByUser}, {usage.ByAccount}} {
		for interval := range usage.Monthly + 1 {
			b.agrees(usage.Query{From: from, To: to, By: by, Interval: interval, Only: [usage.Dimensions][]string{usage.ByAccount: {"a"}}})
		}
		b.agrees(usage.Query{From: from + 5*event.Hour, To: from + 45*24*event.Hour + 3*event.Hour, By: by})
	}
	b.renames("a", "x31", "xsomebody")
	b.renames("a", "x62", "x93")
	b.agrees(usage.Query{From: from, To: october.End(), By: []usage.Dimension{usage.ByUser}, Order: usage.MostVideos})
	b.agrees(usage.Query{From: from, To: to, Interval: usage.Daily})
	b.agrees(usage.Query{From: from, To: to})
}

// testEveryTable queries every pair of dimensions, every interval and every order, over periods with whole and partial
// hours, days and months.
func testEveryTable(b *usageFixture) {
	var plays []usage.Play
	for n := range 120 {
		p := play(n*n*11%(100*24), []string{"a", "b", ""}[n%3], fmt.Sprint("c", n%4), []string{"xp", "up", "", "xq"}[n/2%4], fmt.Sprint("v", n%7),
			[][]string{nil, {"s"}, {"s", "t"}, {"t", "u", "s"}}[n/3%4]...)
		p.At += event.Instant(n) * 60_000 % event.Hour
		p.End += int64(n)
		if n%7 == 6 {
			p.Channel, p.Subjects = "", nil
		}
		p.Sandbox, p.Continues = n%11 == 0, n%5 == 2
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

// testMonthsToDate queries months that are not over while plays arrive: of one account, of all, and of one that plays later.
func testMonthsToDate(b *usageFixture) {
	for hour := 0; hour < 400; hour += 57 {
		for n := range 12 {
			b.apply(play(hour-n%3, "a", fmt.Sprint("c", n%2), fmt.Sprint("x", n%5), fmt.Sprint("v", n%4), fmt.Sprint("s", n%3)))
		}
		if hour == 228 {
			b.apply(play(500, "b", "c", "x", "v", "s"))
		}
		for _, by := range [][]usage.Dimension{nil, {usage.ByVideo}, {usage.ByUser}, {usage.BySubject}, {usage.ByChannel}, {usage.ByVideo, usage.ByUser}} {
			for _, only := range [][]string{nil, {"a"}, {"b"}} {
				q := usage.Query{From: october.Start(), By: by}
				q.Only[usage.ByAccount] = only
				for _, hours := range []int{hour - 20, hour, hour + 1, 600} {
					if q.To = october.Start() + event.Instant(hours)*event.Hour; q.To > q.From {
						b.agrees(q)
					}
				}
			}
		}
	}
}

func testSubjects(b *usageFixture) {
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

// testRowPages checks that pages are contiguous in every order, even if many rows are equal.
func testRowPages(b *usageFixture) {
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

// testTopLists queries the first and later rows of long lists, most of whose rows are never read. The plays belong to
// several accounts and months, and to a sandbox. The periods start and end within a month or at its boundaries.
func testTopLists(b *usageFixture) {
	number := 0
	for _, size := range []int{700, 1, 30, 1, 400} {
		var plays []usage.Play
		for range size {
			number++
			p := play(number*7919%(70*24), []string{"a", "b"}[number/3%2], "c", fmt.Sprint("x", number*31%97), fmt.Sprint("v", number*number%211), "s", fmt.Sprint("s", number%19))
			p.End += int64(number * number % 5000)
			p.Sandbox, p.Continues = number%13 == 0, number%3 == 0
			if p.Channel = fmt.Sprint("channel ", number%29); number%17 == 0 {
				p.Video = ""
			}
			if number%23 == 0 {
				p.Person = ""
			}
			plays = append(plays, p)
		}
		b.apply(plays...)
	}
	start := october.Start()
	for _, end := range []event.Instant{october.End(), start + 61*24*event.Hour, start + 80*24*event.Hour + event.Hour} {
		for order := range usage.MostVideos + 1 {
			for _, by := range [][]usage.Dimension{{usage.ByVideo}, {usage.ByAccount, usage.ByVideo}, {usage.ByUser}, {usage.ByUser, usage.ByAccount}, {usage.ByChannel}, {usage.BySubject}} {
				q := usage.Query{From: start, To: end, By: by, Order: order, Limit: 5}
				b.agrees(q)
				q.Offset, q.Only[usage.ByAccount] = 7, []string{"a"}
				b.agrees(q)
				q.Only[usage.ByAccount] = nil
				q.Offset, q.Interval, q.Sandbox = 17, usage.Monthly, true
				b.agrees(q)
				q.Offset, q.Limit, q.NoUsers, q.Only[usage.ByAccount] = 1000, 1, true, []string{"b"}
				b.agrees(q)
				q.Offset, q.NoVideos = 3, true
				b.agrees(q)
			}
		}
	}
}

func testCurves(b *usageFixture) {
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

// testNamesakes checks that the same name in two accounts counts as two persons, which share one row if the query does
// not distinguish accounts.
func testNamesakes(b *usageFixture) {
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

// testHiddenChannels checks that all hidden channels form one row, in which each user and each video counts once.
func testHiddenChannels(b *usageFixture) {
	var plays []usage.Play
	for n := range 300 {
		p := play(n*n*7%(70*24), []string{"a", "b"}[n%2], "c", fmt.Sprint("x", n%13), fmt.Sprint("v", n%11), "s", fmt.Sprint("s", n%3))
		p.Channel = []string{"", "one", "two", "three"}[n/2%4]
		plays = append(plays, p)
		if n%50 == 49 {
			b.apply(plays...)
			plays = nil
		}
	}
	for _, hidden := range [][]string{{}, {"one"}, {"one", "three"}, {"one", "two", "three"}} {
		for _, by := range [][]usage.Dimension{{usage.ByChannel}, {usage.ByChannel, usage.ByAccount}, {usage.BySubject, usage.ByChannel}, {usage.ByUser, usage.ByChannel}, {usage.ByUser}} {
			for interval := range usage.Monthly + 1 {
				q := usage.Query{From: october.Start(), To: october.Start() + 60*24*event.Hour, By: by, Interval: interval}
				q.Hide = func(channel string) bool { return slices.Contains(hidden, channel) }
				b.agrees(q)
				q.Order, q.Limit, q.From = usage.MostUsers, 2, q.From+5*event.Hour
				b.agrees(q)
			}
		}
	}
}
