package signin_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestAnonymousPlayback verifies that --anonymous opens only the paths that a player needs. It requests every URL that
// the operator finds without a token.
func TestAnonymousPlayback(t *testing.T) {
	s := apptest.Start(t, "--demo", "--anonymous", "playback")
	s.LogIn(demo.OperatorAccount, demo.Secret)
	video, private := s.VideoWithTranscript(), hiddenVideo(s)
	subjects := s.Document(s.Base+"/v1/subjects").At("_embedded", "subjects").([]any)
	open := map[string]bool{
		"/v1": true, "/v1/": true, "/v1/subjects": true, "/v1/subjects/" + subjects[0].(map[string]any)["id"].(string): true,
		"/v1/videos/" + video: true, "/v1/videos/" + video + "/transcript": true,
	}
	reported := map[string]bool{} // where callers without a token may report events
	for _, name := range []string{"page-render", "platform-interaction", "playback", "player-interaction", "suggested-search-completions"} {
		reported["/v1/events/"+name] = true
	}
	asked := maps.Clone(open)
	for _, path := range everyAddress(s, video) {
		asked[path] = asked[path] || false
	}
	if len(asked) < 25 {
		t.Fatalf("only %d addresses are known", len(asked))
	}
	s.Token = ""
	for path := range asked {
		want, wantGuessed := http.StatusUnauthorized, http.StatusUnauthorized
		switch {
		case open[path]:
			want = http.StatusOK
		case strings.HasPrefix(path, "/v1/collections/"): // the ID of a video names no collection
			want = http.StatusNotFound
		case strings.HasSuffix(path, "/active"): // nor a user
			want = http.StatusForbidden
		case reported[path]:
			want = http.StatusMethodNotAllowed
		case path == "/graphql": // a WebSocket sends its credentials in the first message
			want, wantGuessed = http.StatusUpgradeRequired, http.StatusUpgradeRequired
		}
		if got := s.Status(path, ""); got != want {
			t.Errorf("GET %s is answered %d, not %d", path, got, want)
		}
		if got := s.Status(path, "guessed"); got != wantGuessed {
			t.Errorf("with an invalid token, %s is answered %d", path, got)
		}
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if reported[path] && method == "POST" {
				continue
			}
			if answer, _ := s.Send(method, path, "", "{}", "Content-Type", "application/json"); answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s is answered %s", method, path, answer.Status)
			}
		}
	}
	event := `{"videoId":"` + video + `","segmentStartSeconds":1,"segmentEndSeconds":2}`
	if answer, body := s.Send("POST", "/v1/events/playback", "", event, "Content-Type", "application/json"); answer.StatusCode != http.StatusCreated {
		t.Errorf("an anonymous event is answered %s %s", answer.Status, body)
	}
	for _, path := range []string{"/graphql", "/v1/events/expired-user-access", "/v1/events/playback/batch", "/v1/videos/metadata"} {
		if answer, body := s.Send("POST", path, "", `{"query":"{__typename}"}`, "Content-Type", "application/json"); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("POST %s is answered %s %s", path, answer.Status, body)
		}
	}
	for _, path := range []string{"/v1/videos/" + private, "/v1/videos/" + private + "/transcript"} {
		if got := s.Status(path, ""); got != http.StatusNotFound {
			t.Errorf("a private video is answered %d", got)
		}
	}
	rels := slices.Sorted(maps.Keys(s.Index().At("_links").(map[string]any)))
	if !slices.Equal(rels, []string{
		"allSubjects", "collection", "createSearchQueryCompletionsSuggestedEvent", "isUserActive", "marketSegmentSubjects", "subjects",
		"trackPageRendered", "trackPlatformInteractedWith", "video",
	}) {
		t.Errorf("the index leads to %v", rels)
	}
	followWithoutToken(s, video)
}

// followWithoutToken verifies that all links of a video's document to this server work without a token.
func followWithoutToken(s *apptest.Server, video string) {
	s.Helper()
	shown := s.Document(s.Base + "/v1/videos/" + video)
	for rel := range shown.At("_links").(map[string]any) {
		address := shown.Link(rel, nil)
		path, ours := strings.CutPrefix(address, s.Base)
		if status := s.Status(path, ""); ours && status != http.StatusOK && status != http.StatusMethodNotAllowed {
			s.Errorf("%s leads to %s, which is refused", rel, path)
		}
	}
	playback := apptest.Document{Server: s, Fields: shown.At("playback").(map[string]any)}
	if playback.Link("hlsStream", nil) == "" {
		s.Errorf("nothing plays: %v", playback.Fields)
	}
}

// hiddenVideo returns the ID of a video that the operator sees, but a customer without restrictions does not.
func hiddenVideo(s *apptest.Server) string {
	s.Helper()
	customer := s.Access(demo.Account, demo.Secret)
	for page := range 3 {
		for _, video := range s.Document(fmt.Sprintf("%s/v1/videos?size=500&page=%d", s.Base, page)).Videos() {
			if id := video.At("id").(string); s.Status("/v1/videos/"+id, customer) == http.StatusNotFound {
				return id
			}
		}
	}
	s.Fatal("no video is hidden")
	return ""
}

// everyAddress returns the URLs on this server that the operator finds from the index and from a video, and the paths
// of the public endpoints.
func everyAddress(s *apptest.Server, video string) []string {
	s.Helper()
	paths := []string{
		"/", "/graphql", "/metrics", "/debug/pprof/", "/v1/admin", "/v1/videos", "/v1/videos/metadata", "/v1/video-types", "/v1/feed/videos",
		"/v1/suggestions", "/v1/disciplines", "/v1/channels", "/v1/education-levels", "/v1/tags", "/v1/content-warnings", "/v1/userinfo",
		"/v1/streams", "/v1/videos/" + video + "/", "/v1/events/expired-user-access", "/v1/events/playback", "/v1/subjects/", "/v1//", "/V1/",
	}
	documents := []apptest.Document{s.Index(), s.Document(s.Base + "/v1/admin"), s.Document(s.Base + "/v1/videos/" + video)}
	for _, of := range documents {
		for rel := range of.At("_links").(map[string]any) {
			address := of.Link(rel, map[string]string{"id": "5c542aba5438cdbcb56de630"})
			if path, ours := strings.CutPrefix(address, s.Base); ours && !strings.HasPrefix(path, "/v1/streams/") &&
				!strings.HasPrefix(path, "/v1/subjects") && !strings.HasPrefix(path, "/v1/videos/") && path != "/v1/" {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
