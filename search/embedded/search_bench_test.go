//go:build unix

package embedded_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// The benchmarks measure whole logs of queries, not single calls. Run them with -benchtime=1x, and with GOMAXPROCS=1
// for the figures of one core. Times are CPU time of the process including the garbage collector, so that other
// processes on the machine do not count.

// scale is a catalogue to measure with.
type scale struct {
	name    string
	options generate.Options
	queries int
}

var scales = []scale{
	{"plain", generate.Options{Videos: 100_000, Seed: 1}, 20_000},
	{"transcripts", generate.Options{Videos: 100_000, Seed: 1, TranscriptWords: 800}, 20_000},
	{"million", generate.Options{Videos: 1_000_000, Seed: 1}, 2_000},
}

// built is an index with the cost of building it.
type built struct {
	index   *embedded.Index
	seconds float64 // seconds excludes making the documents.
	heap    uint64  // heap is in bytes.
}

func build(b *testing.B, s scale, dir string) built {
	b.Helper()
	before := heap()
	index, err := embedded.Open(embedded.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	generating := time.Duration(0)
	mark := cpuTime()
	started := mark
	err = index.Rebuild(b.Context(), 1, func(yield func(search.Document, error) bool) {
		mark = cpuTime()
		for document, err := range documents(s.options) {
			generating += cpuTime() - mark
			if !yield(document, err) {
				return
			}
			mark = cpuTime()
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return built{index: index, seconds: (cpuTime() - started - generating).Seconds(), heap: heap() - before}
}

// cpuTime returns the CPU time that the process has used so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func BenchmarkSearch(b *testing.B) {
	for _, s := range scales {
		b.Run(s.name, func(b *testing.B) {
			made := build(b, s, "")
			b.ResetTimer()
			for range b.N {
				measureLog(b, made.index, generate.Queries(2, s.queries, s.options))
			}
			videos := float64(s.options.Videos)
			b.ReportMetric(videos/made.seconds, "videos/s")
			b.ReportMetric(float64(made.heap)/videos, "B/video")
		})
	}
}

// measureLog searches as the domain does: first the ladder of match levels, then the page.
func measureLog(b *testing.B, index search.Index, log []generate.Query) {
	b.Helper()
	analyzer := analysis.New(analysis.Synonyms{})
	var withText, without []time.Duration
	type slow struct {
		text string
		took time.Duration
	}
	var slowest []slow
	for _, logged := range log {
		text := search.ParseText(logged.Text)
		started := cpuTime()
		if err := ask(b.Context(), index, analyzer, text, logged.Filter, catalogue.Access{}); err != nil {
			b.Fatal(err)
		}
		took := cpuTime() - started
		if text.Blank() {
			without = append(without, took)
		} else {
			withText = append(withText, took)
		}
		slowest = append(slowest, slow{fmt.Sprint(logged.Text, " ", logged.Filter), took})
	}
	slices.SortFunc(slowest, func(a, b slow) int { return int(b.took - a.took) })
	for _, s := range slowest[:5] {
		b.Logf("%v: %.300s", s.took, s.text)
	}
	report(b, "text", withText)
	report(b, "blank", without)
}

func ask(
	ctx context.Context, index search.Index, analyzer *analysis.Analyzer, text search.Text, filter search.Filter, access catalogue.Access,
) error {
	level := search.MatchLevel{}
	if !text.Blank() {
		const enough = 10
		levels := search.MatchLevels(len(analyzer.Query(text.Words)))
		counts, err := index.Matches(ctx, text, levels, access, generate.Epoch, enough)
		if err != nil {
			return err
		}
		level = levels[search.Choose(counts, enough)]
	}
	_, err := index.Search(ctx, search.Query{
		Text: text, Level: level, Filter: filter, Access: access, Today: generate.Epoch, Size: 100,
		Facets: &search.FacetRequest{
			Durations: catalogue.DefaultDurationBuckets(), Ages: catalogue.DefaultAgeBuckets(),
			Channels: true, EducationLevels: true, Topics: true, CEFR: true,
		},
	})
	return err
}

func report(b *testing.B, name string, times []time.Duration) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	for _, share := range []int{50, 99} {
		at := times[(len(times)-1)*share/100]
		b.ReportMetric(float64(at)/float64(time.Microsecond), fmt.Sprintf("%s-p%d-µs", name, share))
	}
}

// BenchmarkWrites reports the cost of batches of one size on top of 100,000 videos, including merges.
func BenchmarkWrites(b *testing.B) {
	s := scales[0]
	index := build(b, s, "").index
	var all []search.Document
	for d := range documents(generate.Options{Videos: 20_000, Seed: s.options.Seed}) {
		all = append(all, d)
	}
	position := int64(s.options.Videos)
	for _, size := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("apply-%d", size), func(b *testing.B) {
			documents := 0
			started := cpuTime()
			for range b.N {
				for from := 0; from < min(len(all), 200*size); from += size {
					position++
					batch := search.Batch{Put: slices.Clone(all[from : from+size]), Position: position}
					for i := range batch.Put {
						batch.Put[i].Version = position
					}
					if err := index.Apply(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
					documents += size
				}
			}
			index.Settle()
			b.ReportMetric(float64(documents)/(cpuTime()-started).Seconds(), "videos/s")
		})
	}
}

// BenchmarkOpen measures the time to load a snapshot.
func BenchmarkOpen(b *testing.B) {
	for _, s := range scales {
		b.Run(s.name, func(b *testing.B) {
			dir := b.TempDir()
			if _, err := build(b, s, dir).index.Save(b.Context()); err != nil {
				b.Fatal(err)
			}
			started := cpuTime()
			b.ResetTimer()
			for range b.N {
				opened, err := embedded.Open(embedded.Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				if count, err := opened.Count(b.Context()); err != nil || count < s.options.Videos {
					b.Fatal(count, err)
				}
			}
			b.ReportMetric(float64(cpuTime()-started)/float64(b.N)/float64(time.Millisecond), "cpu-ms/op")
		})
	}
}

// BenchmarkPhrases looks up suggestions for text at the start, at a word and inside a word.
func BenchmarkPhrases(b *testing.B) {
	index := build(b, scales[0], "").index
	for _, typed := range []string{"a", "ph", "ing", "tion", "photos", "ynthes", "qqq", "of the"} {
		b.Run(typed, func(b *testing.B) {
			started := cpuTime()
			for range b.N {
				if _, err := index.Phrases(b.Context(), typed, catalogue.Access{}, generate.Epoch, 10); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime()-started)/float64(b.N)/float64(time.Millisecond), "cpu-ms/op")
		})
	}
}
