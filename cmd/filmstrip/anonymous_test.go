package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestAnonymousPlayback opens what a player needs, and nothing else: every address that the operator finds is
// asked for without a token.
func TestAnonymousPlayback(t *testing.T) {
	s := startServer(t, "--demo", "--anonymous", "playback")
	s.logIn(demoOperator, demoSecret)
	video, private := s.videoWithTranscript(), s.hiddenVideo()
	subjects := s.document(s.base+"/v1/subjects").at("_embedded", "subjects").([]any)
	open := map[string]bool{
		"/v1": true, "/v1/": true, "/v1/subjects": true, "/v1/subjects/" + subjects[0].(map[string]any)["id"].(string): true,
		"/v1/videos/" + video: true, "/v1/videos/" + video + "/transcript": true,
	}
	told := map[string]bool{} // where anybody may tell of events
	for _, name := range []string{"page-render", "platform-interaction", "playback", "player-interaction", "suggested-search-completions"} {
		told["/v1/events/"+name] = true
	}
	asked := maps.Clone(open)
	for _, path := range s.everyAddress(video) {
		asked[path] = asked[path] || false
	}
	if len(asked) < 25 {
		t.Fatalf("only %d addresses are known", len(asked))
	}
	s.token = ""
	for path := range asked {
		want, wantGuessed := http.StatusUnauthorized, http.StatusUnauthorized
		switch {
		case open[path]:
			want = http.StatusOK
		case strings.HasPrefix(path, "/v1/collections/"): // of a video's id there is none
			want = http.StatusNotFound
		case strings.HasSuffix(path, "/active"): // nor a user
			want = http.StatusForbidden
		case told[path]:
			want = http.StatusMethodNotAllowed
		case path == "/graphql": // a websocket says who calls in its first message
			want, wantGuessed = http.StatusUpgradeRequired, http.StatusUpgradeRequired
		}
		if got := s.status(path, ""); got != want {
			t.Errorf("GET %s is answered %d, not %d", path, got, want)
		}
		if got := s.status(path, "guessed"); got != wantGuessed {
			t.Errorf("with a token that does not count, %s is answered %d", path, got)
		}
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if told[path] && method == "POST" {
				continue
			}
			if answer, _ := s.ask(method, path, "", "{}", "Content-Type", "application/json"); answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s is answered %s", method, path, answer.Status)
			}
		}
	}
	event := `{"videoId":"` + video + `","segmentStartSeconds":1,"segmentEndSeconds":2}`
	if answer, body := s.ask("POST", "/v1/events/playback", "", event, "Content-Type", "application/json"); answer.StatusCode != http.StatusCreated {
		t.Errorf("an event of nobody is answered %s %s", answer.Status, body)
	}
	for _, path := range []string{"/graphql", "/v1/events/expired-user-access", "/v1/events/playback/batch", "/v1/videos/metadata"} {
		if answer, body := s.ask("POST", path, "", `{"query":"{__typename}"}`, "Content-Type", "application/json"); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("POST %s is answered %s %s", path, answer.Status, body)
		}
	}
	for _, path := range []string{"/v1/videos/" + private, "/v1/videos/" + private + "/transcript"} {
		if got := s.status(path, ""); got != http.StatusNotFound {
			t.Errorf("what is private is answered %d", got)
		}
	}
	rels := slices.Sorted(maps.Keys(s.index().at("_links").(map[string]any)))
	if !slices.Equal(rels, []string{
		"allSubjects", "collection", "createSearchQueryCompletionsSuggestedEvent", "isUserActive", "marketSegmentSubjects", "subjects",
		"trackPageRendered", "trackPlatformInteractedWith", "video",
	}) {
		t.Errorf("the index leads to %v", rels)
	}
	s.followWithoutToken(video)
}

// followWithoutToken wants whatever a video's document leads to on this server to be there for whoever got it.
func (s *server) followWithoutToken(video string) {
	s.Helper()
	shown := s.document(s.base + "/v1/videos/" + video)
	for rel := range shown.at("_links").(map[string]any) {
		address := shown.link(rel, nil)
		path, ours := strings.CutPrefix(address, s.base)
		if status := s.status(path, ""); ours && status != http.StatusOK && status != http.StatusMethodNotAllowed {
			s.Errorf("%s leads to %s, which is refused", rel, path)
		}
	}
	playback := document{s, shown.at("playback").(map[string]any)}
	if playback.link("hlsStream", nil) == "" {
		s.Errorf("nothing plays: %v", playback.fields)
	}
}

// videoWithTranscript names a video that everybody may see.
func (s *server) videoWithTranscript() string {
	s.Helper()
	token := s.token
	defer func() { s.token = token }()
	s.logIn(demoAccount, demoSecret)
	for _, video := range s.document(s.base + "/v1/videos?size=50").videos() {
		if id := video.at("id").(string); s.status("/v1/videos/"+id+"/transcript", s.token) == http.StatusOK {
			return id
		}
	}
	s.Fatal("no video has a transcript")
	return ""
}

// hiddenVideo names a video that the operator sees, and a customer who sees everything does not.
func (s *server) hiddenVideo() string {
	s.Helper()
	customer := s.access(demoAccount, demoSecret)
	for page := range 3 {
		for _, video := range s.document(fmt.Sprintf("%s/v1/videos?size=500&page=%d", s.base, page)).videos() {
			if id := video.at("id").(string); s.status("/v1/videos/"+id, customer) == http.StatusNotFound {
				return id
			}
		}
	}
	s.Fatal("no video is hidden")
	return ""
}

// everyAddress lists the addresses on this server that the operator finds from the index and from a video,
// and those of the doors.
func (s *server) everyAddress(video string) []string {
	s.Helper()
	paths := []string{
		"/", "/graphql", "/metrics", "/debug/pprof/", "/v1/admin", "/v1/videos", "/v1/videos/metadata", "/v1/video-types", "/v1/feed/videos",
		"/v1/suggestions", "/v1/disciplines", "/v1/channels", "/v1/education-levels", "/v1/tags", "/v1/content-warnings", "/v1/userinfo",
		"/v1/streams", "/v1/videos/" + video + "/", "/v1/events/expired-user-access", "/v1/events/playback", "/v1/subjects/", "/v1//", "/V1/",
	}
	documents := []document{s.index(), s.document(s.base + "/v1/admin"), s.document(s.base + "/v1/videos/" + video)}
	for _, of := range documents {
		for rel := range of.at("_links").(map[string]any) {
			address := of.link(rel, map[string]string{"id": "5c542aba5438cdbcb56de630"})
			if path, ours := strings.CutPrefix(address, s.base); ours && !strings.HasPrefix(path, "/v1/streams/") &&
				!strings.HasPrefix(path, "/v1/subjects") && !strings.HasPrefix(path, "/v1/videos/") && path != "/v1/" {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
