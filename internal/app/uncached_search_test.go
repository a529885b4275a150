package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search"
)

// forgetful is a cache that contains nothing.
type forgetful struct{ cache.Cache }

func (forgetful) Get(_ context.Context, _ []cache.Ask, into []cache.Entry) error {
	clear(into)
	return nil
}

func (forgetful) Put(context.Context, []cache.Item) error { return nil }

// free is an index whose responses cost nothing. It queries the real index once for each page and then returns new
// copies, so that no layer above it can recognize a known response.
type free struct {
	search.Index
	pages map[int]search.Result
}

func (f *free) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	page, ok := f.pages[query.Offset]
	if !ok {
		query.Text = search.Text{}
		result, err := f.Index.Search(ctx, query)
		if err != nil {
			return nil, err
		}
		page = *result
		f.pages[query.Offset] = page
	}
	return &page, nil
}

func (f *free) Matches(_ context.Context, _ search.Text, steps []search.MatchLevel, _ catalogue.Access, _ catalogue.Date, enough int) ([]int, error) {
	counts := make([]int, len(steps))
	for i := range counts {
		counts[i] = enough
	}
	return counts, nil
}

// serveCold puts the production handler on an index that costs nothing, with the given cache of documents and without a
// cache of pages.
func (d *warmDemo) serveCold(documents cache.Cache) http.Handler {
	d.Helper()
	ctx := context.Background()
	settings := &Settings{
		Demo: true, Addr: "127.0.0.1:8080", RequestTimeout: time.Minute,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: 2 * time.Hour, LogLevel: "error",
	}
	keys, err := d.service.keys(ctx, "stream")
	if err != nil {
		d.Fatal(err)
	}
	signer, err := media.NewSigner(keys, 0)
	if err != nil {
		d.Fatal(err)
	}
	base, err := settings.baseFinder()
	if err != nil {
		d.Fatal(err)
	}
	logger := settings.logger(io.Discard)
	mounts, err := rest.New(rest.Config{
		Schema: resolvers.NewSchema(resolvers.Config{
			Catalogue: d.service.catalogue, Analyzer: d.service.analyzer, CursorKeys: secrets(keys),
			Index: cache.NewSearches(&free{Index: d.service.indexes.index, pages: map[int]search.Result{}}, cache.SearchOptions{}),
		}),
		Documents: documents, Pages: forgetful{}, Streams: signer, Base: base, Logger: logger,
	})
	if err != nil {
		d.Fatal(err)
	}
	return httpserver.New(httpserver.Config{
		Mounts: mounts, Base: base, Authenticate: d.service.identity.tokens.Verifier().Require, Timeout: settings.RequestTimeout, Logger: logger,
	})
}

// BenchmarkUncachedSearch measures a search page of 100 videos with all facets, without the cost of the index. No query
// repeats, and no page is cached. In cold, every document is rendered anew; in warm, documents come from the cache.
// cpu-ms/op is the processor time, including garbage collection, which other work on the machine hardly changes.
func BenchmarkUncachedSearch(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(GCPercent))
	const fullPages = 3 // of 100 videos of the demo
	d := startDemo(b)
	for name, documents := range map[string]cache.Cache{
		"cold": forgetful{}, "warm": memory.New(memory.Options{}),
	} {
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // here, because Run sets it
			handler := d.serveCold(documents)
			serve := func(n int) {
				w := &void{header: http.Header{}}
				handler.ServeHTTP(w, d.request(fmt.Sprintf("/v1/videos?%s&page=%d&query=question%d", allFacets, n%fullPages, n)))
				if w.n < 100_000 {
					b.Fatalf("page %d has %d bytes", n%fullPages, w.n)
				}
			}
			n := 0
			for ; n < fullPages; n++ {
				serve(n)
			}
			runtime.GC()
			b.ReportAllocs()
			before, first := processorTime(b), n
			for b.Loop() {
				serve(n)
				n++
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(n-first), "cpu-ms/op")
		})
	}
}

var allFacets = url.Values{
	"size": {"100"}, "include_channel_facets": {"true"}, "include_education_level_facets": {"true"},
	"include_topic_facets": {"true"}, "include_cefr_level_facets": {"true"},
}.Encode()

// processorTime returns the processor time that this process has used so far.
func processorTime(t testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
