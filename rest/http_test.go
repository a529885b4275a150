package rest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest"
)

// getRoutes returns a path of every GET route, with valid values.
func getRoutes(t testing.TB) []string {
	t.Helper()
	ids := map[string]string{
		"videos": string(idOf("floating")), "subjects": string(idOf("physics")), "disciplines": string(idOf("sciences")),
		"channels": string(idOf("lab")), "tags": string(idOf("hook")), "content-warnings": string(idOf("flashes")),
		"alignments/providers": string(idOf("openscience")), "alignments/openscience/themes": string(idOf("mechanics")),
		"users": pupilID, "countries": "USA", "collections": string(collectionOf("tides")),
	}
	var paths []string
	for _, route := range rest.Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		path := otherVariables.Replace(route.Path)
		if before, after, ok := strings.Cut(path, "{id}"); ok {
			id := ids[strings.Trim(strings.TrimPrefix(before, "/v1/"), "/")]
			if id == "" {
				t.Fatalf("no test knows an id for %s", route.Path)
			}
			path = before + id + after
		}
		switch path {
		case "/v1/suggestions", "/v1/highlights":
			path += "?query=water"
		case "/v1/schools", "/v1/districts":
			path += "?countryCode=USA&state=CA&query=water"
		}
		paths = append(paths, path)
	}
	return paths
}

// otherVariables fills the path variables that are not called {id}.
var otherVariables = strings.NewReplacer(
	"{provider}", "openscience", "{videoId}", string(idOf("floating")), "{highlightId}", string(idOf("paddles")),
	"{providerId}", string(idOf("openscience")),
)

// TestEveryRouteOverHTTP proves for every route that HEAD answers like GET without a body, that a known entity tag is
// answered with 304, that OPTIONS lists the methods, and that a token is required.
func TestEveryRouteOverHTTP(t *testing.T) {
	w := shared()
	for _, path := range getRoutes(t) {
		if strings.HasSuffix(path, "/active") {
			continue // has no body, and so no entity tag
		}
		t.Run(path, func(t *testing.T) {
			got := w.get(t, pupil, path)
			head := w.send(t, apiRequest{as: pupil, method: "HEAD", path: path})
			tag := got.Header.Get("Etag")
			if got.StatusCode != http.StatusOK || len(got.body) == 0 || tag == "" {
				t.Fatalf("got %d %q %s", got.StatusCode, tag, got.body)
			}
			if head.StatusCode != http.StatusOK || len(head.body) != 0 || head.Header.Get("Etag") != tag ||
				head.Header.Get("Content-Type") != got.Header.Get("Content-Type") || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
				t.Errorf("HEAD: %d %v %q", head.StatusCode, head.Header, head.body)
			}
			if cached := got.Header.Get("Cache-Control"); !strings.HasPrefix(cached, "private") {
				t.Errorf("it may be shared: %q", cached)
			}
			if vary := strings.Join(got.Header.Values("Vary"), ", "); !strings.Contains(vary, "Authorization") || !strings.Contains(vary, "Origin") {
				t.Errorf("it varies by %q", vary)
			}
			for _, method := range []string{"GET", "HEAD"} {
				for match, want := range map[string]int{
					tag: 304, "*": 304, `"x", ` + tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"x"`: 200, "": 200,
				} {
					again := w.send(t, apiRequest{as: pupil, method: method, path: path, header: map[string]string{"If-None-Match": match}})
					if again.StatusCode != want || want == 304 && (len(again.body) > 0 || again.Header.Get("Etag") != tag) {
						t.Errorf("%s with If-None-Match %s: %d", method, match, again.StatusCode)
					}
				}
			}
			options := w.send(t, apiRequest{as: pupil, method: "OPTIONS", path: path})
			allow := strings.Split(options.Header.Get("Allow"), ", ")
			for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
				if options.StatusCode != http.StatusNoContent || !slices.Contains(allow, method) {
					t.Errorf("OPTIONS: %d %q", options.StatusCode, allow)
				}
			}
			wrong := w.send(t, apiRequest{as: customer, method: "BREW", path: path})
			if wantRejection(t, wrong, http.StatusMethodNotAllowed, "BREW"); wrong.Header.Get("Allow") != options.Header.Get("Allow") {
				t.Errorf("405 allows %q", wrong.Header.Get("Allow"))
			}
			wantRejection(t, w.get(t, nobody, path), http.StatusUnauthorized)
		})
	}
}

// TestEntityTagsChangeWithContent proves that the entity tag changes with the video, with the caller's permissions and
// with the hour of the signatures, and with nothing else.
func TestEntityTagsChangeWithContent(t *testing.T) {
	w := newWorld(t, options{})
	for _, path := range []string{pathOf("floating"), "/v1/videos", "/v1/feed/videos"} {
		t.Run(path, func(t *testing.T) {
			w.clock.set(begin)
			w.awaitSearch(t)
			tag := func(as string) string { return w.get(t, as, path).Header.Get("Etag") }
			first := tag(customer)
			if tag(customer) != first {
				t.Error("it changes by itself")
			}
			if tag(teacher) != first && path == pathOf("floating") {
				t.Error("it differs between callers who see the same")
			}
			if tag(viewer) == first || tag(operator) == first {
				t.Error("callers of other rights have the same")
			}
			w.clock.set(begin.Add(10 * time.Minute))
			if tag(customer) != first {
				t.Error("it changes within the hour")
			}
			w.clock.set(begin.Add(time.Hour))
			later := tag(customer)
			if later == first {
				t.Error("it stays when the signatures change")
			}
			changed := floating()
			changed.Title += " " + path
			w.put(changed)
			if path != "/v1/videos" { // searches follow within a second
				if tag(customer) == later {
					t.Error("it stays when the video changes")
				}
			}
			stale := w.send(t, apiRequest{as: customer, path: path, header: map[string]string{"If-None-Match": first}})
			if stale.StatusCode != http.StatusOK {
				t.Errorf("an old tag still holds: %d", stale.StatusCode)
			}
		})
	}
}

// TestConditionalPost proves that a POST is never answered with 304.
func TestConditionalPost(t *testing.T) {
	got := shared().send(t, apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: `{"ids":[]}`, header: map[string]string{
		"Content-Type": "application/json", "If-None-Match": "*",
	}})
	if got.StatusCode == http.StatusNotModified {
		t.Errorf("a POST is answered %d", got.StatusCode)
	}
}

func TestCompression(t *testing.T) {
	w := shared()
	for _, path := range []string{"/v1/videos", "/v1/feed/videos", pathOf("floating"), "/v1/", "/v1/channels"} {
		plain := w.get(t, customer, path)
		for range 2 { // rendered first, then cached
			for accept, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "identity": "", "": ""} {
				got := w.send(t, apiRequest{as: customer, path: path, header: map[string]string{"Accept-Encoding": accept}})
				if got.Header.Get("Content-Encoding") != want || !strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Accept-Encoding") {
					t.Errorf("%s for %q: %v", path, accept, got.Header)
					continue
				}
				body := got.body
				if want == "gzip" {
					body = must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(body)))))
					if len(got.body) >= len(body) {
						t.Errorf("%s grows from %d to %d bytes", path, len(body), len(got.body))
					}
				}
				if !bytes.Equal(body, plain.body) {
					t.Errorf("%s for %q differs from the plain answer", path, accept)
				}
			}
		}
		head := w.send(t, apiRequest{as: customer, method: "HEAD", path: path, header: map[string]string{"Accept-Encoding": "gzip"}})
		if len(head.body) > 0 {
			t.Errorf("HEAD %s, compressed, has a body of %d bytes", path, len(head.body))
		}
	}
	bad := w.send(t, apiRequest{as: customer, path: "/v1/videos?size=0", header: map[string]string{"Accept-Encoding": "gzip"}})
	wantRejection(t, bad, http.StatusBadRequest, "size")
	plain := newWorld(t, options{config: func(c *wiring) { c.NoCompression = true }})
	if got := plain.send(t, apiRequest{as: customer, path: "/v1/videos", header: map[string]string{"Accept-Encoding": "gzip"}}); got.Header.Get("Content-Encoding") != "" {
		t.Errorf("it compresses although it is not to: %v", got.Header)
	}
}

// TestTracesGoOn proves that the server continues a trusted proxy's trace, on errors too, and replaces an invalid one.
// The server does not continue a caller's own trace.
func TestTracesGoOn(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	w := newWorld(t, options{config: func(c *wiring) {
		c.Base = &httpserver.Base{Fixed: "http://default.example", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	}})
	seen := map[string]bool{id: true}
	for _, flags := range []string{"00", "01"} {
		for _, path := range []string{"/v1/", "/v1/nothing", "/v1/videos?size=0", pathOf("expired")} {
			header := map[string]string{"Traceparent": "00-" + id + "-00f067aa0ba902b7-" + flags}
			got := w.send(t, apiRequest{as: customer, path: path, address: "10.1.2.3:4711", header: header})
			if trace := got.Header.Get("X-Service-Trace-ID"); trace != id {
				t.Errorf("%s: the proxy's trace is called %s", path, trace)
			}
			header["X-Forwarded-For"] = "10.1.2.3"
			trace := w.send(t, apiRequest{as: customer, path: path, address: "192.0.2.1:4711", header: header}).Header.Get("X-Service-Trace-ID")
			if seen[trace] || len(trace) != 32 {
				t.Errorf("%s: a caller's trace is called %s", path, trace)
			}
			seen[trace] = true
		}
	}
	for _, broken := range []string{"", "x", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "00-" + id + "-00-01", "ff-" + id + "-00f067aa0ba902b7-01"} {
		trace := w.send(t, apiRequest{as: customer, path: "/v1/", address: "10.1.2.3:4711", header: map[string]string{"Traceparent": broken}}).Header.Get("X-Service-Trace-ID")
		if seen[trace] {
			t.Errorf("%q: %s comes again", broken, trace)
		}
		seen[trace] = true
	}
}

// TestBaseAddress proves that the base address is the configured one, otherwise the one that a
// trusted proxy forwards, and never a host of the caller's choice.
func TestBaseAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	open := newWorld(t, options{config: func(c *wiring) {
		c.Base = &httpserver.Base{Default: "http://default.example", Hosts: []string{"api.example", "127.0.0.1:8080"}, Proxies: proxies}
	}})
	forwarded := map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example"}
	for _, test := range []struct {
		name string
		ask  apiRequest
		want string
	}{
		{"an allowed host", apiRequest{host: "127.0.0.1:8080"}, "http://127.0.0.1:8080"},
		{"a foreign host", apiRequest{host: "evil.example"}, "http://default.example"},
		{"an allowed host with another port", apiRequest{host: "api.example:81"}, "http://default.example"},
		{"a proxy", apiRequest{address: "10.1.2.3:4", host: "inner", header: forwarded}, "https://api.example"},
		{"a proxy by its IPv6 form", apiRequest{address: "[::ffff:10.1.2.3]:4", host: "inner", header: forwarded}, "https://api.example"},
		{"somebody else", apiRequest{address: "11.1.2.3:4", host: "inner", header: forwarded}, "http://default.example"},
		{"a chain of proxies", apiRequest{address: "10.1.2.3:4", header: map[string]string{
			"X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "api.example, inner",
		}}, "https://api.example"},
		{"a forwarded foreign host", apiRequest{address: "10.1.2.3:4", header: map[string]string{"X-Forwarded-Host": "evil.example"}}, "http://default.example"},
		{"a strange scheme", apiRequest{address: "10.1.2.3:4", header: map[string]string{
			"X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "api.example",
		}}, "http://api.example"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.ask.as = customer
			for _, path := range []string{"/v1/", "/v1/videos?size=2", "/v1/feed/videos?size=2", pathOf("floating"), "/v1/subjects", "/v1/channels"} {
				test.ask.path = path
				got := open.send(t, test.ask)
				for _, link := range linksOf(t, path, got.json(t)) {
					if !strings.HasPrefix(link.href, test.want+"/v1/") && !strings.HasPrefix(link.href, "https://") {
						t.Errorf("%s: %s leads to %s", path, link.rel, link.href)
					}
					if test.want != "https://api.example" && strings.HasPrefix(link.href, "https://api.example") {
						t.Errorf("%s: %s leads to %s", path, link.rel, link.href)
					}
				}
			}
			test.ask.path = pathOf("duplicate")
			if location := open.send(t, test.ask).Header.Get("Location"); location != test.want+pathOf("floating") {
				t.Errorf("the twin lies at %s", location)
			}
		})
	}
}

// TestPathsAreNotCleaned proves that the server does not clean paths, and that an escaped character equals the
// plain one.
func TestPathsAreNotCleaned(t *testing.T) {
	w := shared()
	for path, want := range map[string]int{
		"/v1/videos/": 404, "/v1//videos": 404, "/v1/videos/../videos": 404, "/": 404, "/V1/": 404, "/v1/videos/%2e%2e": 404,
		"/v1/videos/%FF": 404, "/v1/videos/%00": 404, "/v1/videos/a%2Fb": 404, "/v1/videos/%31001": 200,
		"/v1/tags/" + strings.Repeat("x", 5000): 404, "/v1/channels/%3Cscript%3E": 404,
		"/v1/videos/metadata/": 404, pathOf("floating") + "/": 404,
	} {
		if got := w.get(t, customer, path); got.StatusCode != want {
			t.Errorf("%s: got %d %.200s, want %d", path, got.StatusCode, got.body, want)
		}
	}
}

// TestExpiryAtTheEndOfADay proves that a video disappears everywhere when its last day has ended.
func TestExpiryAtTheEndOfADay(t *testing.T) {
	w := newWorld(t, options{})
	visibleIn := func() (in []string) {
		if w.get(t, customer, pathOf("ending")).StatusCode == http.StatusOK {
			in = append(in, "itself")
		}
		for _, path := range []string{"/v1/videos", "/v1/feed/videos"} {
			if slices.Contains(referencesOf(t, w.ok(t, customer, path)), "ending") {
				in = append(in, path)
			}
		}
		return in
	}
	w.clock.set(day("2026-03-05").Start().Add(-time.Microsecond))
	if in := visibleIn(); len(in) != 3 {
		t.Errorf("in the last moment it is visible in %v", in)
	}
	w.clock.set(day("2026-03-05").Start())
	if in := visibleIn(); len(in) != 0 {
		t.Errorf("the day after it is visible in %v", in)
	}
}

// TestStreamsNeedNoTokenAndEndInTime proves that an hlsStream address works without a token until it expires, and not
// with any character changed.
func TestStreamsNeedNoTokenAndEndInTime(t *testing.T) {
	w := newWorld(t, options{})
	links := w.ok(t, customer, pathOf("floating"))["playback"].(map[string]any)["_links"].(map[string]any)
	stream := strings.TrimPrefix(links["hlsStream"].(map[string]any)["href"].(string), base)
	status := func(path string) int {
		return w.send(t, apiRequest{path: path, header: map[string]string{"Origin": "https://anywhere.example"}}).StatusCode
	}
	for range 2 {
		if got := status(stream); got != http.StatusOK {
			t.Fatalf("%s: %d", stream, got)
		}
	}
	for i := len("/v1/streams/"); i < len(stream); i++ {
		for _, by := range []string{"A", "b", "0", "%41"} {
			changed := stream[:i] + by + stream[i+1:]
			if changed == stream || by == "%41" && stream[i] == 'A' { // the same address, escaped
				continue
			}
			if got := status(changed); got < 400 {
				t.Errorf("%s: %d", changed, got)
			}
		}
	}
	w.clock.set(begin.Truncate(time.Hour).Add(49 * time.Hour))
	if got := status(stream); got != http.StatusOK {
		t.Errorf("after 48 hours: %d", got)
	}
	w.clock.set(begin.Truncate(time.Hour).Add(49*time.Hour + time.Second))
	if got := status(stream); got != http.StatusForbidden {
		t.Errorf("after its end: %d", got)
	}
}

// TestReplacementsMustBeVisible proves that nobody is redirected to a replacement that they may not see.
func TestReplacementsMustBeVisible(t *testing.T) {
	w := newWorld(t, options{})
	duplicate := videoOf("duplicate", "Again", "lab")
	duplicate.Retired, duplicate.RetiredInto = true, new(idOf("secretVideo"))
	w.put(duplicate)
	wantRejection(t, w.get(t, customer, pathOf("duplicate")), http.StatusNotFound)
	got := w.get(t, operator, pathOf("duplicate"))
	if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != base+pathOf("secretVideo") {
		t.Errorf("the operator gets %d %v", got.StatusCode, got.Header)
	}
}
