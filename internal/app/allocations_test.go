//go:build !race

package app

import (
	"net/http"
	"testing"
)

// ceilings are the maximum numbers of allocations for a warm response, from the first middleware to the last byte.
// A page of the feed also pays for the contexts of its fields, and a search page for the labels of its facets. Lower a
// ceiling when you save allocations.
var ceilings = []struct {
	name    string
	path    func(d *warmDemo) string
	gzip    bool
	ceiling float64
}{
	{"one video", func(d *warmDemo) string { return "/v1/videos/" + d.anyVideo() }, false, 83},
	{"one video, compressed", func(d *warmDemo) string { return "/v1/videos/" + d.anyVideo() }, true, 86},
	{"a search page of 100", func(*warmDemo) string { return "/v1/videos?size=100&include_channel_facets=true" }, false, 158},
	{"a search page of 100, compressed", func(*warmDemo) string { return "/v1/videos?size=100&include_channel_facets=true" }, true, 161},
	{"a feed page of 1,000", func(*warmDemo) string { return "/v1/feed/videos" }, false, 157},
	{"a feed page of 1,000, compressed", func(*warmDemo) string { return "/v1/feed/videos" }, true, 160},
}

// TestAllocations verifies that warm responses stay within their ceilings. It does not run with the race detector,
// which allocates memory itself.
func TestAllocations(t *testing.T) {
	d := startDemo(t)
	for _, c := range ceilings {
		t.Run(c.name, func(t *testing.T) {
			request := d.request(c.path(d))
			if c.gzip {
				request.Header.Set("Accept-Encoding", "gzip")
			}
			w := &void{header: http.Header{}}
			answer := func() {
				clear(w.header)
				d.handler.ServeHTTP(w, request)
			}
			answer()
			before := w.n
			answer()
			if w.n-before < 500 {
				t.Fatalf("an answer of %d bytes is none", w.n-before)
			}
			// The average sometimes includes other work of the process, which can only increase it.
			got := testing.AllocsPerRun(300, answer)
			for range 4 {
				if got > c.ceiling {
					got = min(got, testing.AllocsPerRun(300, answer))
				}
			}
			t.Logf("%.0f of %.0f", got, c.ceiling)
			if got > c.ceiling {
				t.Errorf("%.0f allocations, at most %.0f are allowed", got, c.ceiling)
			}
		})
	}
}
