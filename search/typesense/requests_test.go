package typesense_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
)

// TestFacetsShareARequest checks that one request counts all facets, although each filtered facet needs a search of its own.
func TestFacetsShareARequest(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-requests"
	testIndex{t, openOn(t, server, namespace)}.apply(search.Batch{Put: videos(1, 3), Position: 1})
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var requests, searches atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n := bytes.Count(body, []byte(`"facet_by"`)); n > 0 {
			requests.Add(1)
			searches.Add(int64(n))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	ask(t, openedAt(t, server, namespace, counting.URL), search.Query{
		Filter: search.Filter{
			Subjects: []catalogue.ID{"5"}, Tags: []catalogue.ID{"a"}, Channels: []catalogue.ID{"c"}, Types: catalogue.VideoTypes()[:1],
			Languages: []catalogue.Language{"eng"}, EducationLevels: []string{"4C"}, Topics: []catalogue.ID{"7"},
		},
		Facets: everyFacet(),
	})
	if requests.Load() != 1 || searches.Load() < 7 {
		t.Errorf("%d requests with %d searches count the facets, want one request with a search for each filter", requests.Load(), searches.Load())
	}
}
