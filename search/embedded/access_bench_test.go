//go:build unix

package embedded_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

// BenchmarkSearchAccess runs one log of queries with several content packages in turn, in stretches longer than the
// index's memory of texts. It reports the cost of a query with each package and without one, and the cost of compiling
// the rules: once a day for each package, and again for new documents.
func BenchmarkSearchAccess(b *testing.B) {
	const stretch = 200
	s := scales[0]
	var all []search.Document
	for d := range documents(s.options) {
		all = append(all, d)
	}
	index := indexOf(b, all)
	packages := searchtest.Packages(all)
	log := generate.Queries(2, 2000, s.options)
	analyzer := analysis.New(analysis.Synonyms{})
	spent := make([]time.Duration, len(packages))
	b.ResetTimer()
	for range b.N {
		for n := 0; n < len(log); n += stretch {
			for turn := range packages {
				i := (n/stretch + turn) % len(packages)
				started := cpuTime()
				for _, logged := range log[n : n+stretch] {
					text := search.ParseText(logged.Text)
					if err := ask(b.Context(), index, analyzer, text, logged.Filter, packages[i].Access); err != nil {
						b.Fatal(err)
					}
				}
				spent[i] += cpuTime() - started
			}
		}
	}
	for i, p := range packages {
		b.Logf("%-30s %6.0f µs a query, %.3f of none; compiled in %s; shows %d", p.Name,
			float64(spent[i])/float64(b.N*len(log))/1000, float64(spent[i])/float64(spent[0]),
			compiling(b, index, p.Access), shown(b, index, p.Access))
	}
}

func indexOf(b *testing.B, all []search.Document) *embedded.Index {
	b.Helper()
	index, err := embedded.Open(embedded.Options{})
	if err != nil {
		b.Fatal(err)
	}
	err = index.Rebuild(b.Context(), 1, func(yield func(search.Document, error) bool) {
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return index
}

// compiling returns the additional cost of the first search of a day over the second.
func compiling(b *testing.B, index *embedded.Index, access catalogue.Access) time.Duration {
	b.Helper()
	const days = 50
	var first, second time.Duration
	for day := range days {
		for _, took := range []*time.Duration{&first, &second} {
			started := cpuTime()
			query := search.Query{Access: access, Today: generate.Epoch - catalogue.Date(day+1), Filter: search.Filter{Nothing: true}}
			if _, err := index.Search(b.Context(), query); err != nil {
				b.Fatal(err)
			}
			*took += cpuTime() - started
		}
	}
	return ((first - second) / days).Round(time.Microsecond)
}

func shown(b *testing.B, index *embedded.Index, access catalogue.Access) int {
	b.Helper()
	result, err := index.Search(b.Context(), search.Query{Access: access, Today: generate.Epoch})
	if err != nil {
		b.Fatal(err)
	}
	return result.Total
}
