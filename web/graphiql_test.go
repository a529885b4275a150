package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/web"
)

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	web.GraphiQL().ServeHTTP(w, r)
	return w
}

var references = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// filesOf returns the paths of the page's own files that it refers to.
func filesOf(t *testing.T) (paths []string) {
	t.Helper()
	for _, match := range references.FindAllStringSubmatch(get(t, "/graphiql").Body.String(), -1) {
		if strings.HasPrefix(match[1], "graphiql/") {
			paths = append(paths, "/"+match[1])
		}
	}
	if len(paths) != 2 {
		t.Fatalf("the page names %v, want one script and one style sheet", paths)
	}
	return paths
}

func TestPage(t *testing.T) {
	w := get(t, "/graphiql")
	header := w.Header()
	if w.Code != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" || header.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d %v", w.Code, header)
	}
	policy := header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	for _, part := range []string{`<html lang="en">`, "<title>GraphiQL - Filmstrip</title>"} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if cookies := header.Values("Set-Cookie"); cookies != nil {
		t.Errorf("got cookies %v", cookies)
	}
}

func TestFiles(t *testing.T) {
	types := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
	for _, path := range filesOf(t) {
		plain := get(t, path)
		header := plain.Header()
		if plain.Code != http.StatusOK || header.Get("Content-Type") != types[path[strings.LastIndex(path, ".")+1:]] ||
			header.Get("Cache-Control") != "public, max-age=31536000, immutable" || header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got %d %v", path, plain.Code, header)
		}
		for _, coding := range []string{"gzip", "br, gzip;q=0.8"} {
			w := get(t, path, "Accept-Encoding", coding)
			reader, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatalf("%s with %s: %v", path, coding, err)
			}
			if unpacked, err := io.ReadAll(reader); err != nil || !bytes.Equal(unpacked, plain.Body.Bytes()) {
				t.Errorf("%s: the compressed file is another one (%v)", path, err)
			}
		}
		if w := get(t, path, "Accept-Encoding", "gzip;q=0, br"); w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed for a client that refuses it", path)
		}
		w := get(t, path, "If-None-Match", header.Get("Etag"))
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("%s: got %d for a file that the client has", path, w.Code)
		}
	}
}

func TestLicences(t *testing.T) {
	text := get(t, "/graphiql/LICENSES").Body.String()
	for _, name := range []string{"\ngraphiql 3.9.0: MIT\n", "\nreact 18.3.1: MIT\n", "\ncodemirror "} {
		if !strings.Contains(text, name) {
			t.Errorf("the licences lack %q", name)
		}
	}
}

func TestOtherAddresses(t *testing.T) {
	for _, path := range []string{"/graphiql/nothing.js", "/graphiql/index.html", "/graphiql/../web.go", "/graphiql/dist/LICENSES", "/graphiqlx"} {
		w := get(t, path)
		var body struct{ Status int }
		if err := json.Unmarshal(w.Body.Bytes(), &body); w.Code != http.StatusNotFound || err != nil || body.Status != http.StatusNotFound {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
	if w := get(t, "/graphiql/"); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != "../graphiql" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

func TestHead(t *testing.T) {
	w := httptest.NewRecorder()
	web.GraphiQL().ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/graphiql", nil))
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}
