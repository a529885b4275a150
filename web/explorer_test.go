package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/web"
)

func TestExplorerPage(t *testing.T) {
	checkPage(t, web.Explorer(), "/explorer", "<title>Explorer - Filmstrip</title>")
}

// Links are followed, templates filled in, things posted, and all of the traffic is shown; nothing is kept, and the
// page can be used by everybody.
func TestExplorerInABrowser(t *testing.T) {
	var seen struct {
		Requests, Console, Outcomes, Documents, Links, Violations []string
		Traffic                                                   struct {
			List  []string
			First string
		}
		Stored struct{ Cookies, Kept int }
	}
	base := walkthrough(t, "explorer.mjs", &seen, func(base string) []string { return []string{base + "/explorer", clientID, secret} })
	staysHere(t, base, seen.Requests)
	// The browser itself says that something was answered 400.
	if len(seen.Console) != 1 || !strings.Contains(seen.Console[0], "400") || len(seen.Violations) > 0 {
		t.Errorf("console %q, axe-core %q", seen.Console, seen.Violations)
	}
	if !slices.Contains(seen.Links, "searchVideos …") || !slices.Contains(seen.Links, "tags") {
		t.Errorf("the index shows %q", seen.Links)
	}
	// The parts of what is shown after each step.
	for i, part := range []string{
		"searchVideos", `"asked": "query=of%20%26%20the&size=2"`, `"title": "Boats"`, `"asked"`, `"title": "Boats"`, "videoId: is required",
	} {
		if i >= len(seen.Documents) || !strings.Contains(seen.Documents[i], part) {
			t.Errorf("step %d: %q is not shown in %q", i, part, seen.Documents)
		}
	}
	if len(seen.Traffic.List) != 6 || !strings.Contains(seen.Traffic.List[0], "POST /v1/events/playback – 400 Bad Request") {
		t.Errorf("the traffic is %q", seen.Traffic.List)
	}
	for _, part := range []string{"Authorization: Bearer …", "Content-Type: application/json", "{}", "400 Bad Request", "content-type: application/hal+json", "videoId"} {
		if !strings.Contains(seen.Traffic.First, part) {
			t.Errorf("the exchange lacks %q: %s", part, seen.Traffic.First)
		}
	}
	if strings.Contains(seen.Traffic.First, token) || seen.Stored.Cookies+seen.Stored.Kept > 0 {
		t.Errorf("the page keeps, or shows, what is secret: %+v in %s", seen.Stored, seen.Traffic.First)
	}
}
