package typesense_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// BenchmarkSearchAccess asks one log by several content packages in turn, first by their rules, then with
// passes: the ladder and a page of 100 with all facets. It reports what a query costs by each, against none: the
// server's processor time, which neighbours disturb less than they do the clock.
func BenchmarkSearchAccess(b *testing.B) {
	videos := newLibrary(generate.Options{Videos: 20_000, Seed: 1})
	m := accessCosts{
		server: testservers.Typesense(b), packages: searchtest.Packages(videos.documents), day: videos.day,
		log: generate.Queries(2, 60, videos.options), analyzer: analysis.New(analysis.Synonyms{}),
	}
	m.index = openOn(b, m.server, "bench")
	if err := m.index.Rebuild(b.Context(), 1, videos.all()); err != nil {
		b.Fatal(err)
	}
	m.ask(b, m.packages[0]) // what is remembered of words is known to all
	b.ResetTimer()
	m.measure(b, "by rules")
	b.StopTimer()
	arrangeFor(b, m.index, m.server.PID(), m.packages)
	b.StartTimer()
	m.measure(b, "with passes")
}

// arrangeFor gives the packages their passes, and reports what that takes.
func arrangeFor(b *testing.B, index *typesense.Index, server int, packages []searchtest.Package) {
	b.Helper()
	var accesses []catalogue.Access
	for _, p := range packages {
		accesses = append(accesses, p.Access)
	}
	index.Prepare(accesses)
	began, before := time.Now(), processorTime(b, server)
	for more := true; more; {
		var err error
		if more, err = index.Arrange(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("arranged in %s, %s of the server", time.Since(began).Round(10*time.Millisecond), processorTime(b, server)-before)
	for _, p := range packages {
		b.Logf("%-30s a pass: %t", p.Name, index.GoesByPass(p.Access))
	}
}

// accessCosts measures what packages cost.
type accessCosts struct {
	server   *testservers.Server
	index    *typesense.Index
	packages []searchtest.Package
	log      []generate.Query
	analyzer *analysis.Analyzer
	day      catalogue.Date
}

func (m *accessCosts) ask(b *testing.B, p searchtest.Package) {
	b.Helper()
	for _, logged := range m.log {
		climb(b, m.index, m.analyzer, search.Query{
			Text: search.ParseText(logged.Text), Filter: logged.Filter, Access: p.Access,
			Today: m.day, Size: 100, Facets: everyFacet(),
		})
	}
}

func (m *accessCosts) measure(b *testing.B, how string) {
	b.Helper()
	const rounds = 3
	spent := make([]time.Duration, len(m.packages))
	for round := range rounds * b.N {
		for turn := range m.packages {
			i := (round + turn) % len(m.packages)
			started := processorTime(b, m.server.PID())
			m.ask(b, m.packages[i])
			spent[i] += processorTime(b, m.server.PID()) - started
		}
	}
	for i, p := range m.packages {
		b.Logf("%-12s %-30s %7s a query, %.2f of none", how, p.Name,
			(spent[i] / time.Duration(rounds*b.N*len(m.log))).Round(10*time.Microsecond), float64(spent[i])/float64(spent[0]))
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
