package rest_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestOptionsNeedsNoToken proves that OPTIONS works without a token, because preflights send none.
func TestOptionsNeedsNoToken(t *testing.T) {
	w := shared()
	for path, allow := range map[string]string{
		"/v1/videos":          "GET, HEAD, OPTIONS",
		"/v1/videos/metadata": "GET, HEAD, OPTIONS, POST",
	} {
		got := w.send(t, apiRequest{method: http.MethodOptions, path: path})
		if got.StatusCode != http.StatusNoContent || got.Header.Get("Allow") != allow {
			t.Errorf("OPTIONS %s: %d, Allow %q", path, got.StatusCode, got.Header.Get("Allow"))
		}
	}
	wantRejection(t, w.send(t, apiRequest{method: http.MethodOptions, path: "/v1/nothing"}), http.StatusNotFound, "nothing")
}

// TestLongHeadersAreRefusedWithABody proves that the handler refuses long headers with the error body, before net/http
// would refuse them without one.
func TestLongHeadersAreRefusedWithABody(t *testing.T) {
	got := shared().send(t, apiRequest{as: customer, path: "/v1/", header: map[string]string{"X-Long": strings.Repeat("a", 50<<10)}})
	wantRejection(t, got, http.StatusRequestHeaderFieldsTooLarge, "header")
}

// TestNullIsNoID proves that a null element of ids is refused, and that the message names its index.
func TestNullIsNoID(t *testing.T) {
	got := shared().send(t, apiRequest{
		as: customer, method: http.MethodPost, path: "/v1/videos/metadata", body: `{"ids":["x",null]}`,
		header: map[string]string{"Content-Type": "application/json"},
	})
	wantRejection(t, got, http.StatusBadRequest, "ids[1]")
}

// TestEveryTagCounts proves that If-None-Match is read as a list (RFC 9110, section 13.1.2).
func TestEveryTagCounts(t *testing.T) {
	w := shared()
	tag := w.send(t, apiRequest{as: customer, path: "/v1/video-types"}).Header.Get("Etag")
	got := w.send(t, apiRequest{as: customer, path: "/v1/video-types", header: map[string]string{"If-None-Match": `"other", ` + tag}})
	if got.StatusCode != http.StatusNotModified {
		t.Errorf("the second tag does not count: %d", got.StatusCode)
	}
}

// TestHeadPromisesNoOtherLength proves that a Content-Length in an answer to HEAD is that of the answer to GET (RFC
// 9110, section 8.6).
func TestHeadPromisesNoOtherLength(t *testing.T) {
	w := shared()
	for _, path := range []string{"/v1/subjects", "/v1/videos", "/v1/channels"} {
		header := map[string]string{"Accept-Encoding": "gzip"}
		get := w.send(t, apiRequest{as: customer, path: path, header: header})
		head := w.send(t, apiRequest{as: customer, method: http.MethodHead, path: path, header: header})
		if length := head.Header.Get("Content-Length"); length != "" && length != get.Header.Get("Content-Length") {
			t.Errorf("HEAD %s says %s, GET %q", path, length, get.Header.Get("Content-Length"))
		}
	}
}
