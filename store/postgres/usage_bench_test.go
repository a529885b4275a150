package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage"
)

// playsOf returns n plays after a position, of 200 accounts, 20,000 users and 5,000 videos. Their times ascend over the
// given number of days, apart from deviations of a few minutes.
func playsOf(random *rand.Rand, after event.Position, n int, from event.Instant, days int) []usage.Play {
	step := event.Instant(days) * 24 * event.Hour / event.Instant(n)
	plays := make([]usage.Play, n)
	for i := range plays {
		account, video := random.IntN(200), int(5000*random.Float64()*random.Float64())
		start := random.Int64N(600_000)
		plays[i] = usage.Play{
			Position: after + int64(i) + 1, At: from + event.Instant(i)*step + event.Instant(random.IntN(600_000)),
			Account: fmt.Sprint("account-", account), Client: fmt.Sprint("client-", account, "-", random.IntN(3)),
			Person: fmt.Sprint("xpupil-", account, "-", random.IntN(100)), Video: fmt.Sprintf("%024x", video),
			Channel: fmt.Sprint("channel-", video%100), Subjects: []string{fmt.Sprint("subject-", video%40), fmt.Sprint("subject-", video%7)},
			Start: start, End: start + 1 + random.Int64N(300_000),
		}
	}
	return plays
}

// openUse returns an empty usage store on a server that flushes.
func openUse(b *testing.B) *postgres.Usage {
	b.Helper()
	server := testservers.PostgreSQL(b, testservers.Durable())
	if _, err := postgres.Migrate(context.Background(), server.URL); err != nil {
		b.Fatal(err)
	}
	return open(b, server.URL).Usage()
}

// BenchmarkApply counts plays in batches of different sizes, at 200,000 plays a day.
func BenchmarkApply(b *testing.B) {
	for _, size := range []int{1000, 20_000, 200_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			u, random := openUse(b), rand.New(rand.NewPCG(1, 1))
			var progress usage.Progress
			for b.Loop() {
				b.StopTimer()
				plays := playsOf(random, progress.Position, 200_000, noon+event.Instant(progress.Position/200_000)*24*event.Hour, 1)[:size]
				next := usage.Progress{Position: progress.Position + int64(size), AsOf: noon}
				b.StartTimer()
				must(b, u.Apply(context.Background(), progress, next, plays))
				progress = next
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "plays/s")
		})
	}
}

// BenchmarkYear queries one year of one account out of 200, among half a million plays.
func BenchmarkYear(b *testing.B) {
	u, random := openUse(b), rand.New(rand.NewPCG(1, 1))
	year := usage.Month{Year: 2025, Month: 11}.Start()
	var progress usage.Progress
	for n := range 5 {
		next := usage.Progress{Position: progress.Position + 100_000, AsOf: noon}
		must(b, u.Apply(context.Background(), progress, next, playsOf(random, progress.Position, 100_000, year+event.Instant(n)*73*24*event.Hour, 73)))
		progress = next
	}
	query := usage.Query{From: year, To: usage.Month{Year: 2026, Month: 11}.Start(), Limit: 1000}
	query.Only[usage.ByAccount] = []string{"account-7"}
	for name, change := range map[string]func(q *usage.Query){
		"total":          func(*usage.Query) {},
		"by month":       func(q *usage.Query) { q.Interval = usage.Monthly },
		"by day":         func(q *usage.Query) { q.Interval = usage.Daily },
		"by client":      func(q *usage.Query) { q.By = []usage.Dimension{usage.ByClient} },
		"top videos":     func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByVideo}, usage.MostSeconds },
		"top users":      func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByUser}, usage.MostSeconds },
		"video and user": func(q *usage.Query) { q.By = []usage.Dimension{usage.ByVideo, usage.ByUser} },
		"every account":  func(q *usage.Query) { q.Only[usage.ByAccount], q.By = nil, []usage.Dimension{usage.ByAccount} },
	} {
		b.Run(name, func(b *testing.B) {
			asked := query
			change(&asked)
			for b.Loop() {
				table, err := u.Table(context.Background(), asked)
				if err != nil || table.Total.Plays == 0 {
					b.Fatal(table.Total, err)
				}
			}
		})
	}
	b.Run("a curve", func(b *testing.B) {
		for b.Loop() {
			curve, err := u.Curve(context.Background(), usage.CurveQuery{Video: fmt.Sprintf("%024x", 7), From: query.From, To: query.To})
			if err != nil || curve.Plays == 0 {
				b.Fatal(curve.Plays, err)
			}
		}
	})
}
