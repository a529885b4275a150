package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// BenchmarkRun imports generated videos from a file into an empty catalogue, and then again. The peak of the heap must
// not grow with the number of videos.
func BenchmarkRun(b *testing.B) {
	for _, strict := range []bool{false, true} {
		for _, videos := range []int{20_000, 100_000} {
			b.Run(fmt.Sprintf("strict=%t/videos=%d", strict, videos), func(b *testing.B) {
				benchmarkRun(b, videos, strict)
			})
		}
	}
}

func benchmarkRun(b *testing.B, videos int, strict bool) {
	path := filepath.Join(b.TempDir(), "generated.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := generate.Write(file, generate.Options{Videos: videos, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		catalogue, err := sqlite.OpenCatalogue(b.Context(), filepath.Join(b.TempDir(), "catalogue.db"))
		if err != nil {
			b.Fatal(err)
		}
		for _, run := range []string{"new", "again"} {
			inputs, err := importer.Files([]string{path}, nil)
			if err != nil {
				b.Fatal(err)
			}
			var heap peak
			summary, err := importer.Run(b.Context(), catalogue, importer.Options{
				Inputs: inputs, Strict: strict, Progress: &heap,
				Report: func(fault importer.Fault) { b.Error(fault) },
			})
			if err != nil || summary.Rejected > 0 {
				b.Fatalf("%v, %d lines rejected", err, summary.Rejected)
			}
			b.ReportMetric(float64(videos)/summary.Elapsed.Seconds(), "videos/s-"+run)
			b.ReportMetric(float64(heap)/(1<<20), "MB-"+run)
		}
		if err := catalogue.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// peak is a Progress that records the largest heap size seen, in bytes.
type peak uint64

func (p *peak) Begin(string, int64) {}
func (p *peak) End()                {}

func (p *peak) Advance(int64, int) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	*p = max(*p, peak(stats.HeapInuse))
}
