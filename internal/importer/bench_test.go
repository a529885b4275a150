package importer_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// BenchmarkRun imports generated videos into an empty catalogue, and then the same again.
func BenchmarkRun(b *testing.B) {
	const videos = 20_000
	var text bytes.Buffer
	if err := generate.Write(&text, generate.Options{Videos: videos, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		catalogue, err := sqlite.OpenCatalogue(b.Context(), filepath.Join(b.TempDir(), "catalogue.db"))
		if err != nil {
			b.Fatal(err)
		}
		for _, run := range []string{"new", "again"} {
			summary, err := importer.Run(b.Context(), catalogue, importer.Options{
				Inputs: []importer.Input{textInput("generated", text.String())},
				Report: func(fault importer.Fault) { b.Error(fault) },
			})
			if err != nil || summary.Rejected > 0 {
				b.Fatalf("%v, %d lines rejected", err, summary.Rejected)
			}
			b.ReportMetric(videos/summary.Elapsed.Seconds(), "videos/s-"+run)
		}
		if err := catalogue.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(text.Len()))
}
