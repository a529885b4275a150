package typesense_test

import (
	"fmt"
	"os"
	"slices"
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

// BenchmarkSearchAccess runs one log of queries with several content packages in turn: the ladder of match levels and a
// page of 100 with all facets. It reports the cost of a query with each package and without one, in processor time of
// the server, which other processes disturb less than elapsed time.
func BenchmarkSearchAccess(b *testing.B) {
	videos := newLibrary(generate.Options{Videos: 20_000, Seed: 1})
	m := accessCosts{
		server: testservers.Typesense(b), packages: benchmarkPackages(b, videos.documents), day: videos.day,
		log: generate.Queries(2, 60, videos.options), analyzer: analysis.New(analysis.Synonyms{}),
	}
	m.index = openOn(b, m.server, "bench")
	if err := m.index.Rebuild(b.Context(), 1, videos.all()); err != nil {
		b.Fatal(err)
	}
	m.ask(b, m.packages[0]) // All packages share the cache of words.
	b.ResetTimer()
	m.measure(b)
}

// benchmarkPackages returns the packages of searchtest.Packages, and packages with 1,000 videos and with 100 to 5,000
// channels. The catalogue does not contain most of these channels.
func benchmarkPackages(b *testing.B, documents []search.Document) []searchtest.Package {
	b.Helper()
	var videos, channels []string
	for i := range documents {
		videos = append(videos, string(documents[i].ID))
		channels = append(channels, string(documents[i].Channel))
	}
	slices.Sort(channels)
	channels = slices.Compact(channels)
	for n := 0; len(channels) < catalogue.MaxRuleValues; n++ {
		channels = append(channels, fmt.Sprintf("%024x", n))
	}
	packages := searchtest.Packages(documents)
	add := func(kind catalogue.RuleType, values []string) {
		access, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: kind, Values: values}})
		if err != nil {
			b.Fatal(err)
		}
		packages = append(packages, searchtest.Package{Name: fmt.Sprintf("%s of %d", kind, len(values)), Access: access})
	}
	add(catalogue.IncludedVideos, videos[:1_000])
	add(catalogue.ExcludedVideos, videos[:1_000])
	for _, n := range []int{100, 1_000, catalogue.MaxRuleValues} {
		add(catalogue.IncludedChannels, channels[:n])
		add(catalogue.ExcludedChannels, channels[:n])
	}
	return packages
}

// accessCosts measures the cost of packages.
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

func (m *accessCosts) measure(b *testing.B) {
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
		b.Logf("%-30s %7s a query, %.2f of none", p.Name,
			(spent[i] / time.Duration(rounds*b.N*len(m.log))).Round(10*time.Microsecond), float64(spent[i])/float64(spent[0]))
	}
}

// processorTime returns the CPU time that a process has used so far, to a hundredth of a second.
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

// climb searches as the domain does: first the ladder of match levels, then the page.
func climb(b *testing.B, index search.Index, analyzer *analysis.Analyzer, query search.Query) {
	b.Helper()
	if !query.Text.Blank() {
		const enough = 10
		levels := search.MatchLevels(len(analyzer.Query(query.Text.Words)))
		counts, err := index.Matches(b.Context(), query.Text, levels, query.Access, query.Today, enough)
		if err != nil {
			b.Fatal(err)
		}
		query.Level = levels[search.Choose(counts, enough)]
	}
	if _, err := index.Search(b.Context(), query); err != nil {
		b.Fatal(err)
	}
}
