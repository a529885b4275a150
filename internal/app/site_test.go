package app

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/demo"
)

// browserAccepts is the Accept header of a browser that opens a page.
const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// TestLandingPageLeadsEverywhere verifies that everything to which the landing page of a demo refers exists, its
// pictures and pages of videos included.
func TestLandingPageLeadsEverywhere(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	if err := demo.FillCatalogue(t.Context(), s.catalogue); err != nil {
		t.Fatal(err)
	}
	page := send(s, "GET", "/", "", "Accept", browserAccepts)
	if page.Code != http.StatusOK {
		t.Fatalf("got %d: %s", page.Code, page.Body)
	}
	references := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1)
	pictures, watched := 0, 0
	for _, reference := range references {
		path := "/" + strings.TrimPrefix(reference[1], "./")
		answer := send(s, "GET", path, "", "Accept", browserAccepts)
		if answer.Code != http.StatusOK {
			t.Errorf("%s is answered %d", path, answer.Code)
		}
		if answer.Header().Get("Content-Type") == "image/jpeg" {
			pictures++
		}
		if strings.HasPrefix(path, "/watch/") {
			watched++
		}
	}
	if pictures < 6 || watched <= pictures {
		t.Errorf("the page shows %d pictures, and leads to %d videos", pictures, watched)
	}
}

// TestUnroutedRequests verifies that browsers get pages, and that clients of the API without a token get 401, whether a
// path exists or not.
func TestUnroutedRequests(t *testing.T) {
	s := openWith(t, "--demo")
	for _, test := range []struct {
		method, path, accept string
		status               int
		contentType          string
	}{
		{"GET", "/", browserAccepts, 200, "text/html; charset=utf-8"},
		{"HEAD", "/", browserAccepts, 200, "text/html; charset=utf-8"},
		{"GET", "/nothing/here", browserAccepts, 404, "text/html; charset=utf-8"},
		{"GET", "/", "application/hal+json", 401, "application/json"},
		{"GET", "/", "*/*", 401, "application/json"},
		{"GET", "/nothing/here", "", 401, "application/json"},
		{"POST", "/", browserAccepts, 401, "application/json"},
		{"GET", "/v1/", browserAccepts, 401, "application/json"},
	} {
		got := send(s, test.method, test.path, "", "Accept", test.accept)
		if got.Code != test.status || got.Header().Get("Content-Type") != test.contentType {
			t.Errorf("%s %s for %q: got %d %s", test.method, test.path, test.accept, got.Code, got.Header().Get("Content-Type"))
		}
		if !strings.HasPrefix(test.path, "/v1/") && !strings.Contains(strings.Join(got.Header().Values("Vary"), ","), "Accept") {
			t.Errorf("%s %s: caches may confuse pages and errors: Vary is %q", test.method, test.path, got.Header().Values("Vary"))
		}
	}
}
