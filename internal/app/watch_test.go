package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestPagesToWatchOutsideTheDemo verifies that outside demo mode there is no share page without --watch-client, and no
// embed without a valid signature.
func TestPagesToWatchOutsideTheDemo(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{{nil, http.StatusNotFound}, {[]string{"--watch-client=watch"}, http.StatusOK}} {
		s := openWith(t, append(test.args, "--data="+t.TempDir())...)
		got := send(s, "GET", "/watch/1001", "")
		if got.Code != test.want || (test.want == http.StatusOK) != strings.Contains(got.Body.String(), `data-client="watch"`) {
			t.Errorf("%v: got %d %s", test.args, got.Code, got.Body)
		}
		got = send(s, "GET", "/embed/ffffffffffffffffffffffff?client=a&issued=1&expires=2&signature=x", "", "Accept", "application/json")
		if got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), `"status":403`) {
			t.Errorf("got %d %s", got.Code, got.Body)
		}
	}
}

// TestDemoRedirectURIs verifies that the demo's redirect URIs use https or stay on this machine. With any other
// base URL, the demo starts without redirect URIs.
func TestDemoRedirectURIs(t *testing.T) {
	for base, want := range map[string][]string{
		"https://catalogue.example": {"https://catalogue.example/watch/callback"},
		"http://127.0.0.1:8080":     {"http://127.0.0.1:8080/watch/callback", "http://localhost:8080/watch/callback"},
		"http://catalogue.example":  nil,
	} {
		s := openWith(t, "--demo", "--base-url", base)
		client, _ := s.identity.tokens.Roster().Client(demo.WatchClient)
		if client == nil || !slices.Equal(client.RedirectURIs, want) {
			t.Errorf("at %s the client is %+v, want it to come back to %q", base, client, want)
		}
	}
}
