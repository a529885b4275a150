//go:build system

package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestExplorerAgainstTheService verifies that the explorer gets a token of the demo, fills a template, follows a link,
// sends a POST and shows the traffic. The explorer's own tests verify its appearance with invented responses.
func TestExplorerAgainstTheService(t *testing.T) {
	s := apptest.Start(t, "--demo")
	s.AwaitPrinted("Read on")
	var seen struct {
		Requests, Outcomes, Links, Documents []string
		Traffic                              struct {
			List  []string
			First string
		}
	}
	apptest.RunBrowserScriptFrom(t, apptest.Path("web", "docs"), "explorer.mjs", &seen, s.Base+"/explorer", demo.Account, demo.Secret)
	wantInOrder(t, "requests", seen.Requests, "POST "+s.Base+"/v1/token", "GET "+s.Base+"/v1/", "GET "+s.Base+"/v1/videos?query=", "GET "+s.Base+"/v1/videos/")
	wantInOrder(t, "outcomes", seen.Outcomes, "GET /v1/: 200", "GET /v1/videos?query=", "GET /v1/videos/", "POST /v1/events/playback: 400")
	if !slices.Contains(seen.Links, "searchVideos …") || !slices.Contains(seen.Links, "tags") {
		t.Errorf("the index shows %q", seen.Links)
	}
	if len(seen.Documents) < 3 || !strings.Contains(seen.Documents[1], `"totalElements"`) || !strings.Contains(seen.Documents[2], `"playback"`) {
		t.Errorf("it shows %.2000q", seen.Documents)
	}
	if len(seen.Traffic.List) != 6 || !strings.Contains(seen.Traffic.First, "POST /v1/events/playback") || !strings.Contains(seen.Traffic.First, "videoId") {
		t.Errorf("the traffic is %q, the last of it %s", seen.Traffic.List, seen.Traffic.First)
	}
}

// wantInOrder verifies that texts with these prefixes occur in this order, possibly with others between them.
func wantInOrder(t *testing.T, what string, texts []string, beginnings ...string) {
	t.Helper()
	rest := texts
	for _, beginning := range beginnings {
		at := slices.IndexFunc(rest, func(text string) bool { return strings.HasPrefix(text, beginning) })
		if at < 0 {
			t.Fatalf("%s: %q is not among %q, or not in its order", what, beginning, texts)
		}
		rest = rest[at+1:]
	}
}
