package sqlite_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// The benchmarks' plays: half of them belong to one of 50 accounts, and few videos have most of them.
const (
	benchAccounts = 50
	benchUsers    = 60_000 // per account
)

// benchUsageCounted returns the number of plays to count before queries run: FILMSTRIP_TEST_BENCH_PLAYS, or 200,000.
func benchUsageCounted(b *testing.B) int {
	b.Helper()
	text := os.Getenv("FILMSTRIP_TEST_BENCH_PLAYS")
	if text == "" {
		return 200_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

var benchYear = usage.Query{
	From: usage.Month{Year: 2026, Month: 1}.Start(), To: usage.Month{Year: 2027, Month: 1}.Start(), Limit: 10,
	Only: [usage.Dimensions][]string{usage.ByAccount: {"account-0"}},
}

// withoutPlays is set by FILMSTRIP_TEST_BENCH_CELLS: counts contain no single plays, so that they can be of 100 million.
// Queries that need single plays then fail.
var withoutPlays = os.Getenv("FILMSTRIP_TEST_BENCH_CELLS") != ""

// benchPlays returns n plays after a position. A year has as many plays as year says.
func benchPlays(after event.Position, n int, year int64) []usage.Play {
	draw := rand.New(rand.NewPCG(1, uint64(after)))
	plays := make([]usage.Play, n)
	for i := range plays {
		position := after + int64(i) + 1
		account := max(0, draw.IntN(2*benchAccounts)-benchAccounts)
		video := int(draw.ExpFloat64() * 2000)
		start := draw.Int64N(600_000)
		plays[i] = usage.Play{
			Position: position, At: benchYear.From + (benchYear.To-benchYear.From)*event.Instant(position%year)/event.Instant(year),
			Account: fmt.Sprint("account-", account), Client: fmt.Sprint("client-", account, "-", draw.IntN(2)),
			Person: fmt.Sprint("x", draw.IntN(benchUsers)), Video: fmt.Sprintf("5c54da74d8eafeecae%06d", video),
			Channel: fmt.Sprint("channel-", video%200), Subjects: []string{fmt.Sprint("subject-", video%100), fmt.Sprint("subject-", video%37)},
			Start: start, End: start + 1 + draw.Int64N(60_000),
		}
	}
	return plays
}

func benchUsage(b *testing.B) *sqlite.Usage {
	b.Helper()
	return openBenchUsage(b, filepath.Join(b.TempDir(), "usage.db"))
}

func openBenchUsage(b *testing.B, file string) *sqlite.Usage {
	b.Helper()
	u, err := (*sqlite.Usage)(nil), error(nil)
	if withoutPlays {
		u, err = sqlite.OpenUsageCells(context.Background(), file)
	} else {
		u, err = sqlite.OpenUsage(context.Background(), file)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = u.Close() })
	return u
}

// benchUsageKept returns benchUsage in the file that FILMSTRIP_TEST_BENCH_USAGE names, if it is set. Plays that an earlier
// run with the same FILMSTRIP_TEST_BENCH_PLAYS counted there are not counted again.
func benchUsageKept(b *testing.B) *sqlite.Usage {
	b.Helper()
	file := os.Getenv("FILMSTRIP_TEST_BENCH_USAGE")
	if file == "" {
		return benchUsage(b)
	}
	return openBenchUsage(b, file)
}

// applyBench counts n plays after those already counted, and returns the processor time used.
func applyBench(b *testing.B, u *sqlite.Usage, n int, year int64) time.Duration {
	b.Helper()
	from, err := u.Progress(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	plays := benchPlays(from.Position, n, year)
	to := usage.Progress{Position: from.Position + int64(n), AsOf: plays[n-1].At}
	start := processor()
	b.StartTimer()
	err = u.Apply(context.Background(), from, to, plays)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	return processor() - start
}

// BenchmarkApply counts plays in batches, at 50 million plays per year.
func BenchmarkApply(b *testing.B) {
	for _, step := range []int{100, 5_000, 50_000} {
		b.Run(fmt.Sprint(step), func(b *testing.B) {
			u := benchUsage(b)
			b.StopTimer()
			b.ResetTimer()
			busy := time.Duration(0)
			for range b.N {
				busy += applyBench(b, u, step, 50_000_000)
			}
			b.ReportMetric(float64(busy)/float64(b.N*step), "cpu-ns/play")
			b.ReportMetric(float64(b.N*step)/b.Elapsed().Seconds(), "plays/s")
		})
	}
}

// BenchmarkTable queries one year of the account that has half of all plays.
func BenchmarkTable(b *testing.B) {
	u := benchUsageKept(b)
	counted := benchUsageCounted(b)
	step := min(counted, max(50_000, counted/100), usagelogic.MaxPlays)
	done, err := u.Progress(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for range (counted - int(done.Position)) / step {
		applyBench(b, u, step, int64(counted))
	}
	for _, table := range []struct {
		name   string
		change func(q *usage.Query)
	}{
		{"total", func(*usage.Query) {}},
		{"broken ends", func(q *usage.Query) { q.From, q.To = q.From+5*event.Hour, q.To-7*event.Hour }},
		{"by month", func(q *usage.Query) { q.Interval, q.Limit = usage.Monthly, usage.MaxRows }},
		{"by day", func(q *usage.Query) { q.Interval, q.Limit = usage.Daily, usage.MaxRows }},
		{"by hour", func(q *usage.Query) { q.Interval, q.Limit = usage.Hourly, usage.MaxRows }},
		{"by hour, 1,000 rows", func(q *usage.Query) {
			q.Interval, q.Limit, q.RowsFrom, q.RowsTo = usage.Hourly, usage.MaxRows, q.From+4000*event.Hour, q.From+5000*event.Hour
		}},
		{"by client", func(q *usage.Query) { q.By = []usage.Dimension{usage.ByClient} }},
		{"by channel", func(q *usage.Query) { q.By = []usage.Dimension{usage.ByChannel} }},
		{"all channels", func(q *usage.Query) { q.By, q.Limit = []usage.Dimension{usage.ByChannel}, usage.MaxRows }},
		{"all channels without users", func(q *usage.Query) {
			q.By, q.Limit, q.NoUsers, q.NoVideos = []usage.Dimension{usage.ByChannel}, usage.MaxRows, true, true
		}},
		{"channels by users", func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByChannel}, usage.MostUsers }},
		{"all subjects and months", func(q *usage.Query) {
			q.By, q.Interval, q.Limit = []usage.Dimension{usage.BySubject}, usage.Monthly, usage.MaxRows
		}},
		{"by subject and month", func(q *usage.Query) { q.By, q.Interval = []usage.Dimension{usage.BySubject}, usage.Monthly }},
		{"one video by month", func(q *usage.Query) {
			q.Only[usage.ByVideo], q.Interval = []string{"5c54da74d8eafeecae000001"}, usage.Monthly
		}},
		{"top videos", func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByVideo}, usage.MostSeconds }},
		{"top videos without users", func(q *usage.Query) {
			q.By, q.Order, q.NoUsers, q.NoVideos = []usage.Dimension{usage.ByVideo}, usage.MostSeconds, true, true
		}},
		{"videos by users", func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByVideo}, usage.MostUsers }},
		{"top users", func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByUser}, usage.MostSeconds }},
		{"top users without videos", func(q *usage.Query) {
			q.By, q.Order, q.NoVideos = []usage.Dimension{usage.ByUser}, usage.MostSeconds, true
		}},
		{"users by videos", func(q *usage.Query) { q.By, q.Order = []usage.Dimension{usage.ByUser}, usage.MostVideos }},
		{"users by month", func(q *usage.Query) {
			q.By, q.Order, q.Interval = []usage.Dimension{usage.ByUser}, usage.MostSeconds, usage.Monthly
		}},
		{"all subjects", func(q *usage.Query) { q.By, q.Limit = []usage.Dimension{usage.BySubject}, usage.MaxRows }},
		{"one user", func(q *usage.Query) { q.Only[usage.ByUser] = []string{"x77"} }},
		{"by client and video", func(q *usage.Query) { q.By = []usage.Dimension{usage.ByClient, usage.ByVideo} }},
		{"by client and video, without users", func(q *usage.Query) {
			q.By, q.NoUsers, q.NoVideos = []usage.Dimension{usage.ByClient, usage.ByVideo}, true, true
		}},
		{"videos of January without its first day", func(q *usage.Query) {
			q.By, q.From, q.To = []usage.Dimension{usage.ByVideo}, q.From+24*event.Hour, usage.Month{Year: 2026, Month: 2}.Start()
		}},
		{"the same without users", func(q *usage.Query) {
			q.By, q.From, q.To = []usage.Dimension{usage.ByVideo}, q.From+24*event.Hour, usage.Month{Year: 2026, Month: 2}.Start()
			q.NoUsers, q.NoVideos = true, true
		}},
		{"all accounts", func(q *usage.Query) { q.Only[usage.ByAccount] = nil }},
		{"by account", func(q *usage.Query) { q.Only[usage.ByAccount], q.By = nil, []usage.Dimension{usage.ByAccount} }},
	} {
		b.Run(table.name, func(b *testing.B) {
			query := benchYear
			table.change(&query)
			measure(b, func() {
				if table, err := u.Table(context.Background(), query); err != nil || table.Total.Plays == 0 {
					b.Fatal(table, err)
				}
			})
		})
	}
}

// BenchmarkLists reads all lists of videos, as a verification does, and reports the processor time of each line.
func BenchmarkLists(b *testing.B) {
	u := benchUsage(b)
	lines := map[string]bool{}
	for range 10 {
		from, err := u.Progress(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		plays := benchPlays(from.Position, 50_000, 50_000_000)
		for _, p := range plays {
			lines[p.Account+p.Video] = true // all of one month
		}
		applyBench(b, u, len(plays), 50_000_000)
	}
	busy := time.Duration(0)
	weigh := func(video string) usage.Weight {
		hash := sha256.Sum256([]byte(video))
		return usage.Weight{Play: uint64(hash[0]), Millisecond: uint64(hash[1]), Excess: uint64(hash[2])}
	}
	b.ResetTimer()
	for range b.N {
		start := processor()
		if _, err := u.Lists(b.Context(), weigh); err != nil {
			b.Fatal(err)
		}
		busy += processor() - start
	}
	b.ReportMetric(float64(busy)/float64(b.N*len(lines)), "cpu-ns/line")
	b.ReportMetric(float64(len(lines)), "lines")
}
