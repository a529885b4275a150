package typesense_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

// BenchmarkSearchAccess asks one log by several content packages in turn: the ladder and a page of 100 with all
// facets. It reports what a query costs by each, against none: the server's processor time, which neighbours
// disturb less than they do the clock.
func BenchmarkSearchAccess(b *testing.B) {
	const rounds = 3
	catalogue := newLibrary(generate.Options{Videos: 20_000, Seed: 1})
	server := testservers.Typesense(b)
	index := openOn(b, server, "bench")
	if err := index.Rebuild(b.Context(), 1, catalogue.all()); err != nil {
		b.Fatal(err)
	}
	packages := searchtest.Packages(catalogue.documents)
	log := generate.Queries(2, 60, catalogue.options)
	analyzer := analysis.New(analysis.Synonyms{})
	ask := func(p searchtest.Package) {
		for _, logged := range log {
			climb(b, index, analyzer, search.Query{
				Text: search.ParseText(logged.Text), Filter: logged.Filter, Access: p.Access,
				Today: catalogue.day, Size: 100, Facets: everyFacet(),
			})
		}
	}
	ask(packages[0]) // what is remembered of words is known to all
	spent := make([]time.Duration, len(packages))
	b.ResetTimer()
	for round := range rounds * b.N {
		for turn := range packages {
			i := (round + turn) % len(packages)
			started := processorTime(b, server.PID())
			ask(packages[i])
			spent[i] += processorTime(b, server.PID()) - started
		}
	}
	for i, p := range packages {
		b.Logf("%-30s %7s a query, %.2f of none", p.Name,
			(spent[i] / time.Duration(rounds*b.N*len(log))).Round(10*time.Microsecond), float64(spent[i])/float64(spent[0]))
	}
}

// processorTime is what a process has used so far, to a hundredth of a second.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("there is no /proc")
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// climb asks as the domain does: the ladder first, then the page.
func climb(b *testing.B, index search.Index, analyzer *analysis.Analyzer, query search.Query) {
	b.Helper()
	if !query.Text.Blank() {
		const enough = 10
		steps := search.Steps(len(analyzer.Query(query.Text.Words)))
		counts, err := index.Matches(b.Context(), query.Text, steps, query.Access, query.Today, enough)
		if err != nil {
			b.Fatal(err)
		}
		query.Step = steps[search.Choose(counts, enough)]
	}
	if _, err := index.Search(b.Context(), query); err != nil {
		b.Fatal(err)
	}
}
