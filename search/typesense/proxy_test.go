package typesense_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// proxyOf starts a proxy of a server until the test ends, and returns its address. intercept gets each request with its body
// and returns the body that the server gets, or nil if it has answered the request itself.
func proxyOf(t *testing.T, server *testservers.Server, intercept func(w http.ResponseWriter, r *http.Request, body []byte) []byte) (address string) {
	t.Helper()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if body = intercept(w, r, body); body == nil {
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}
