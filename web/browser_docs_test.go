//go:build system

package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// walkthrough runs a script in docs/test in a real browser, against the small API, and decodes the JSON that the script
// prints. It returns the base URL of the API.
func walkthrough(t *testing.T, script string, into any, arguments func(base string) []string) (base string) {
	t.Helper()
	node, browser := testservers.Node(t, "web/docs", "docs", "axe-core", "playwright-core"), testservers.Browser(t, "web/docs")
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = described(func() string { return server.URL })
	server.Start()
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, node, append([]string{filepath.Join("test", script)},
		append(arguments(server.URL), browser, os.Getenv("FILMSTRIP_TEST_SCREENSHOT"))...)...)
	command.Dir = "docs"
	var faults bytes.Buffer
	command.Stderr = &faults
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, faults.String())
	}
	if err := json.Unmarshal(output, into); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	return server.URL
}

// TestDocsInABrowser checks that the page shows the document, that a user can try operations on it, that it requests
// nothing from other origins and keeps its content security policy, and that axe-core finds no accessibility fault.
func TestDocsInABrowser(t *testing.T) {
	var seen struct {
		Requests, Console, Violations []string
		Operations                    int
		Tried, Linked                 string
		Languages                     []string
		Copied                        string
	}
	base := walkthrough(t, "docs.mjs", &seen, func(base string) []string { return []string{base + "/docs", clientID, secret} })
	staysHere(t, base, seen.Requests)
	if len(seen.Console) > 0 || len(seen.Violations) > 0 {
		t.Errorf("console %q, axe-core %q", seen.Console, seen.Violations)
	}
	if seen.Linked != "Read a video" {
		t.Errorf("at the address of an operation, %q is open", seen.Linked)
	}
	if seen.Operations != 3 || !strings.Contains(seen.Tried, "200") {
		t.Errorf("%d operations; the one that was tried shows %q", seen.Operations, seen.Tried)
	}
	if want := []string{"Python", "Python", "Python"}; !slices.Equal(seen.Languages, want) || !strings.Contains(seen.Copied, "import json, os") {
		t.Errorf("after a choice of Python, the samples are in %q, and the first one is copied as %q", seen.Languages, seen.Copied)
	}
}

// TestExplorerInABrowser checks that the page follows links, fills in templates, sends POST requests and shows all
// traffic, that it stores nothing, and that axe-core finds no accessibility fault.
func TestExplorerInABrowser(t *testing.T) {
	var seen struct {
		Requests, Console, Outcomes, Documents, Links, Violations []string
		Traffic                                                   struct {
			List  []string
			First string
		}
		Stored struct{ Cookies, Kept int }
		Form   struct {
			Help, Type string
			Valid      bool
			Choices    []string
		}
	}
	base := walkthrough(t, "explorer.mjs", &seen, func(base string) []string { return []string{base + "/explorer", clientID, secret} })
	staysHere(t, base, seen.Requests)
	// The browser itself logs the answer with status 400.
	if len(seen.Console) != 1 || !strings.Contains(seen.Console[0], "400") || len(seen.Violations) > 0 {
		t.Errorf("console %q, axe-core %q", seen.Console, seen.Violations)
	}
	if !slices.Contains(seen.Links, "searchVideos …") || !slices.Contains(seen.Links, "tags") {
		t.Errorf("the index shows %q", seen.Links)
	}
	if f := seen.Form; f.Help != "The words." || f.Type != "number" || f.Valid || !slices.Equal(f.Choices, []string{"INSTRUCTIONAL", "STOCK"}) {
		t.Errorf("the form of the template is %+v", f)
	}
	// These are parts of the document that the page shows after each step.
	for i, part := range []string{
		"searchVideos", `"asked": "query=of%20%26%20the&size=2&type=INSTRUCTIONAL&type=STOCK"`, `"title": "Boats"`, `"asked"`, `"title": "Boats"`, "videoId: is required",
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
