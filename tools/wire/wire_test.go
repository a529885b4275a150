// Package wire measures the cost of engines across the network: the service over Typesense next to Typesense alone,
// which receives the same multi-search; the service with responses and documents that another process left in Redis;
// and the embedded engines. It is one run over one generated catalogue, on servers that it starts and ends:
//
//	go test -C tools -run '^$' -bench . -benchtime 1x ./wire
//	go test -C tools -run '^$' -bench . -benchtime 1x ./wire -videos 2000 -questions 30 -rounds 1
//
// One client asks one question after the other, and each process every question once, so that no local cache answers;
// the process that is asked first changes with each question. One more process, which serves no questions, holds the
// index's lease and has nothing to write.
package wire_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

var (
	videos = flag.Int("videos", 20_000, "the size of the catalogue")
	asked  = flag.Int("questions", 120, "how many questions are asked")
	rounds = flag.Int("rounds", 3, "how often each is asked, of new processes")
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// BenchmarkWire prints the tables. Its own metrics are the targets: shares of the median that Typesense alone takes.
func BenchmarkWire(b *testing.B) {
	list, warming := drawQuestions(b, *asked)
	w := newWorld(b, warming)
	w.record(list)
	r := &report{}
	for round := range *rounds {
		w.searchUncached(r, round, list)
		w.searchWithDocuments(r, round, list)
		w.searchFromRedis(r, round, list)
		w.searchEmbedded(r, round, list)
	}
	trips := w.countRoundTrips(list)
	fmt.Printf("\n%d videos, %d questions, %d rounds\n", *videos, len(list), *rounds)
	r.print(os.Stdout)
	describe(os.Stdout, list)
	trips.print(os.Stdout)
	b.ReportMetric(0, "ns/op")
	for phase, name := range map[phase]string{uncached: "uncached/alone", withDocuments: "documents-near/alone", fromRedis: "redis/alone"} {
		b.ReportMetric(r.share(r.row(phase, service), allTimes), name)
	}
	b.ReportMetric(r.share(r.row(withDocuments, service), timesOf(kinds[0])), "one-level/alone")
	b.ReportMetric(float64(trips.feed), "trips/page")
}
