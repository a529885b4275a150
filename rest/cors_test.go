package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/search"
)

const schoolOrigin = "https://school.example"

// TestPagesOfAllowedOriginsMayRead proves that every answer to an allowed origin, errors included, names that origin,
// allows credentials, and exposes the headers that clients need.
func TestPagesOfAllowedOriginsMayRead(t *testing.T) {
	w := newWorld(t, options{
		index:  func(index search.Index) search.Index { return brokenIndex{index} },
		config: func(config *wiring) { config.Timeout = 5 * time.Second },
	})
	for _, origin := range []string{schoolOrigin, "http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"} {
		for _, a := range []apiRequest{
			{as: customer, path: "/v1/"},
			{as: customer, path: pathOf("floating")},
			{as: customer, path: pathOf("duplicate")},
			{as: customer, path: "/v1/videos?size=0"},
			{as: customer, path: "/v1/nothing"},
			{as: customer, path: "/v1/videos?query=" + strings.Repeat("x", 33<<10)},
			{as: customer, path: "/v1/videos?query=away"},
			{as: customer, method: "DELETE", path: "/v1/"},
			{as: viewer, path: "/v1/channels"},
			{path: "/v1/"},
			{method: "POST", path: "/v1/token", body: "x"},
		} {
			a.header = map[string]string{"Origin": origin}
			got := w.send(t, a)
			header := got.Header
			if header.Get("Access-Control-Allow-Origin") != origin || header.Get("Access-Control-Allow-Credentials") != "true" {
				t.Errorf("%s from %s: %d %v", a.path[:min(40, len(a.path))], origin, got.StatusCode, header)
			}
			for _, name := range []string{"Location", "Content-Disposition", "X-Service-Trace-Id"} {
				if !strings.Contains(strings.Join(header.Values("Access-Control-Expose-Headers"), ","), name) {
					t.Errorf("%s: %s cannot be read", a.path[:min(40, len(a.path))], name)
				}
			}
			if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Origin") {
				t.Errorf("%s does not vary by origin", a.path[:min(40, len(a.path))])
			}
		}
	}
}

// TestPagesOfOtherOriginsMayNot proves that no other origin is allowed, however similar its name.
func TestPagesOfOtherOriginsMayNot(t *testing.T) {
	w := shared()
	for _, origin := range []string{
		"https://evil.example", "https://school.example.evil.example", "http://school.example", "https://school.example:8443", "null",
		"https://localhost.evil.example", "http://127.0.0.1.evil.example", "http://evil.example/127.0.0.1", "http://localhost@evil.example", "*",
	} {
		for _, method := range []string{"GET", "OPTIONS"} {
			got := w.send(t, apiRequest{as: customer, method: method, path: "/v1/", header: map[string]string{
				"Origin": origin, "Access-Control-Request-Method": map[string]string{"OPTIONS": "GET"}[method],
			}})
			for name := range got.Header {
				if strings.HasPrefix(name, "Access-Control-Allow-") {
					t.Errorf("%s %s gets %s: %v", method, origin, name, got.Header[name])
				}
			}
			if !strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Origin") {
				t.Errorf("%s %s: the answer does not vary by origin", method, origin)
			}
		}
	}
}

// TestPreflights proves that preflights need no token and allow any header that a page requests.
func TestPreflights(t *testing.T) {
	w := shared()
	for _, path := range []string{"/v1/", pathOf("floating"), "/v1/token", "/v1/videos/metadata", "/graphql", "/v1/nothing", "/v1/events/playback"} {
		for _, headers := range []string{"authorization", "authorization, content-type", "x-anything-at-all,service-referer,service-user-id", "authorization,content-type,idempotency-key", ""} {
			got := w.send(t, apiRequest{method: "OPTIONS", path: path, header: map[string]string{
				"Origin": schoolOrigin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": headers,
			}})
			header := got.Header
			if got.StatusCode != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != schoolOrigin ||
				header.Get("Access-Control-Allow-Credentials") != "true" || header.Get("Access-Control-Allow-Methods") != "POST" ||
				header.Get("Access-Control-Allow-Headers") != headers {
				t.Errorf("%s for %q: %d %v", path, headers, got.StatusCode, header)
			}
		}
	}
}

// TestStreamsMayBeReadByAnyPage proves that pages of any origin may read streams, without credentials.
func TestStreamsMayBeReadByAnyPage(t *testing.T) {
	w := shared()
	links := w.ok(t, customer, pathOf("floating"))["playback"].(map[string]any)["_links"].(map[string]any)
	stream := strings.TrimPrefix(links["hlsStream"].(map[string]any)["href"].(string), base)
	for _, origin := range []string{"https://anywhere.example", schoolOrigin} {
		for _, path := range []string{stream, stream + "x", "/v1/media/bars/width/64/vid_slices/3/vid_slice/1"} {
			got := w.send(t, apiRequest{path: path, header: map[string]string{"Origin": origin}})
			if got.Header.Get("Access-Control-Allow-Origin") != "*" || got.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
			}
			preflight := w.send(t, apiRequest{method: "OPTIONS", path: path, header: map[string]string{
				"Origin": origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range",
			}})
			if preflight.StatusCode != http.StatusNoContent || preflight.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("preflight of %s: %d %v", path, preflight.StatusCode, preflight.Header)
			}
		}
	}
}
