package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestAllowedMethodsAreAnswered verifies that OPTIONS and 405 list the same methods for every path, that the server
// answers exactly these methods, and that HEAD gets the same response as GET.
func TestAllowedMethodsAreAnswered(t *testing.T) {
	s := apptest.Start(t, "--demo")
	s.LogIn(demo.OperatorAccount, demo.Secret)
	video := s.VideoWithTranscript()
	paths := []string{
		"/v1/", "/v1", "/v1/admin", "/v1/videos", "/v1/videos/" + video, "/v1/videos/" + video + "/transcript", "/v1/videos/metadata", "/v1/feed/videos",
		"/v1/collections", "/v1/collections/000000000000000000000000", "/v1/users/_self", "/v1/users/0/active", "/v1/events/playback", "/v1/events/playback/batch", "/v1/subjects",
		"/v1/token", "/v1/revoke", "/v1/introspect", "/v1/userinfo", "/v1/authorize", "/v1/authorize/login", "/v1/logout",
		"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json", "/v1/.well-known/openid-configuration",
		"/graphql", "/graphiql", "/graphiql/", "/docs", "/explorer", "/openapi.json", "/healthz", "/readyz",
		"/player/v1/player.js", "/watch/" + video, "/embed/x", "/v1/streams/x", "/v1/media/x",
	}
	status := func(method, path string) (int, http.Header) {
		answer, _ := s.Request(method, s.Base+path, "", "")
		return answer.StatusCode, answer.Header
	}
	for _, path := range paths {
		options, header := status(http.MethodOptions, path)
		if options == http.StatusNotFound {
			t.Errorf("%s: there is nothing", path)
			continue
		}
		listed := header.Get("Allow")
		allowed := strings.Split(listed, ", ")
		if options != http.StatusNoContent || !slices.IsSorted(allowed) || len(slices.Compact(slices.Clone(allowed))) != len(allowed) {
			t.Errorf("OPTIONS %s: %d, Allow %q", path, options, listed)
		}
		if slices.Contains(allowed, http.MethodGet) != slices.Contains(allowed, http.MethodHead) {
			t.Errorf("%s allows %q", path, listed)
		}
		answers := map[string]int{}
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, "BREW"} {
			code, header := status(method, path)
			answers[method] = code
			if (code == http.StatusMethodNotAllowed) == slices.Contains(allowed, method) {
				t.Errorf("%s %s: got %d, Allow of OPTIONS is %q", method, path, code, listed)
			}
			if code == http.StatusMethodNotAllowed && header.Get("Allow") != listed {
				t.Errorf("%s %s: 405 allows %q, OPTIONS %q", method, path, header.Get("Allow"), listed)
			}
		}
		if answers[http.MethodHead] != answers[http.MethodGet] {
			t.Errorf("%s: HEAD answers %d, GET %d", path, answers[http.MethodHead], answers[http.MethodGet])
		}
	}
}
