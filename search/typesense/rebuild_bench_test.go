package typesense_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
)

// BenchmarkRebuild fills an index with a generated catalogue. It also reports the memory of the server.
func BenchmarkRebuild(b *testing.B) {
	const size = 20_000
	server := testservers.Typesense(b)
	index := openOn(b, server, "bench")
	var spent time.Duration
	for n := range b.N {
		start := time.Now()
		if err := index.Rebuild(b.Context(), int64(n+1), generated(generate.Options{Videos: size, Seed: 1})); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(start)
	}
	b.ReportMetric(float64(size*b.N)/spent.Seconds(), "documents/s")
	b.ReportMetric(memoryOf(b, server.PID()), "MB-server")
}

// generated yields the documents of a generated catalogue as the follower makes them.
func generated(options generate.Options) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		var small []catalogue.Item
		var directory *catalogue.Directory
		sequence := int64(0)
		for item := range generate.Items(options) {
			video, isVideo := item.(*catalogue.Video)
			if !isVideo {
				small = append(small, item)
				continue
			}
			if directory == nil {
				directory = catalogue.NewDirectory(1, small)
			}
			sequence++
			video.Sequence, video.Version = sequence, sequence
			transcript := ""
			if video.Transcript != nil {
				transcript = *video.Transcript
			}
			if !yield(projection.Document(video, transcript, nil, directory), nil) {
				return
			}
		}
	}
}

// memoryOf returns the resident memory of a process and its children in megabytes.
func memoryOf(b *testing.B, pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	var kilobytes float64
	for line := range bytes.Lines(status) {
		if _, err := fmt.Sscanf(string(line), "VmRSS: %f kB", &kilobytes); err == nil {
			break
		}
	}
	return kilobytes / 1024
}
