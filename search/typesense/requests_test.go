package typesense_test

import (
	"bytes"
	"net/http"
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
	var requests, searches atomic.Int64
	counting := proxyOf(t, server, func(_ http.ResponseWriter, _ *http.Request, body []byte) []byte {
		if n := bytes.Count(body, []byte(`"facet_by"`)); n > 0 {
			requests.Add(1)
			searches.Add(int64(n))
		}
		return body
	})
	ask(t, openedAt(t, server, namespace, counting), search.Query{
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
