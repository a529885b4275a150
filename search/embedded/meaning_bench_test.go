//go:build unix

package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// meanings draws vectors of 384 dimensions around the centers of 500 subjects, as those of texts are.
type meanings struct {
	rng     *rand.Rand
	centers [500][384]float32
}

func newMeanings() *meanings {
	m := &meanings{rng: rand.New(rand.NewPCG(1, 1))}
	for i := range m.centers {
		for d := range m.centers[i] {
			m.centers[i][d] = float32(m.rng.NormFloat64())
		}
	}
	return m
}

func (m *meanings) vector() search.Vector {
	center := m.centers[m.rng.IntN(len(m.centers))]
	for d := range center {
		center[d] += float32(m.rng.NormFloat64()) * 1.3
	}
	return search.Quantize(center[:])
}

// BenchmarkMeaning measures searches by words and by meaning in 100,000 videos, with an increasing number of passages. Each
// meaning is new to the index.
func BenchmarkMeaning(b *testing.B) {
	for _, passages := range []int{1, 2, 8} {
		b.Run(fmt.Sprint(passages, " passages"), func(b *testing.B) {
			options := generate.Options{Videos: 100_000, Seed: 1}
			index, err := embedded.Open(embedded.Options{Model: "synthetic"})
			if err != nil {
				b.Fatal(err)
			}
			m := newMeanings()
			before := heap()
			err = index.Rebuild(b.Context(), 1, func(yield func(search.Document, error) bool) {
				for document, err := range documents(options) {
					for range passages {
						document.Vectors = append(document.Vectors, m.vector())
					}
					if !yield(document, err) {
						return
					}
				}
			})
			if err != nil {
				b.Fatal(err)
			}
			grown := heap() - before
			b.ResetTimer()
			for range b.N {
				var byWords, byBoth []time.Duration
				for _, logged := range generate.Queries(2, 3000, options) {
					text := search.ParseText(logged.Text)
					if text.Blank() || len(text.Phrases) > 0 {
						continue
					}
					query := search.Query{Text: text, Filter: logged.Filter, Size: 10, Facets: &search.FacetRequest{Channels: true}, Today: 20_000}
					byWords = append(byWords, searched(b, index, query))
					query.Meaning = &search.Meaning{Vector: m.vector(), Least: 0.25}
					byBoth = append(byBoth, searched(b, index, query))
				}
				report(b, "words", byWords)
				report(b, "both", byBoth)
			}
			b.ReportMetric(float64(grown)/100_000, "B/video")
		})
	}
}

// searched searches as the domain does, and returns the elapsed time.
func searched(b *testing.B, index search.Index, query search.Query) time.Duration {
	b.Helper()
	started := time.Now()
	if err := find(b.Context(), index, query); err != nil {
		b.Fatal(err)
	}
	return time.Since(started)
}

var plain = analysis.New(analysis.Synonyms{})

func find(ctx context.Context, index search.Index, query search.Query) error {
	levels := search.MatchLevels(len(plain.Query(query.Text.Words)))
	counts, err := index.Matches(ctx, query.Text, levels, catalogue.Access{}, query.Today, 10)
	if err != nil {
		return err
	}
	query.Level = levels[search.Choose(counts, 10)]
	_, err = index.Search(ctx, query)
	return err
}
