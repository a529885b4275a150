package signin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestAccountsAreApart verifies on one server that each of several customers reaches only its own data.
func TestAccountsAreApart(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("school", "--origins", "https://school.example")
	h.Account("library", "--origins", "https://library.example", "--requests-per-minute", "50")
	h.Account("ended", "--access-expires-on", time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly))
	secrets := map[string]string{}
	for _, name := range []string{"school", "library", "ended"} {
		secrets[name] = h.Client(name, name)
	}
	s := h.Serve()
	for name, test := range map[string]func(*testing.T, apptest.Installation, *apptest.Server, map[string]string){
		"secrets": changeSecrets, "user ids": sendUserIDs, "expired": expireAccount, "origins": requestFromPages,
	} {
		t.Run(name, func(t *testing.T) { test(t, h.In(t), s.In(t), secrets) })
	}
}

// changeSecrets verifies that a customer can change its secret without an interruption.
func changeSecrets(t *testing.T, h apptest.Installation, s *apptest.Server, secrets map[string]string) {
	first := secrets["school"]
	before := s.Access("school", first)
	second := h.Secret("clients", "add-secret", "school")
	awaitLogIn(s, "school", second)
	s.Access("school", first)
	var client struct{ Secrets []struct{ ID string } }
	h.Read(&client, "clients", "show", "school")
	if len(client.Secrets) != 2 {
		t.Fatalf("there are %v", client.Secrets)
	}
	h.Filmstrip("clients", "remove-secret", "school", client.Secrets[0].ID)
	form := map[string][]string{"grant_type": {"client_credentials"}, "client_id": {"school"}, "client_secret": {first}}
	s.Await(http.StatusUnauthorized, func() int { response, _ := s.Post("/v1/token", form); return response.StatusCode })
	if response, answer := s.Post("/v1/token", form); answer["error"] != "invalid_client" {
		t.Errorf("the old secret is answered %s %v", response.Status, answer)
	}
	for _, token := range []string{before, s.Access("school", second)} {
		if got := s.Status("/v1/", token); got != http.StatusOK {
			t.Errorf("a token is answered %d", got)
		}
	}
	secrets["school"] = second
}

// sendUserIDs verifies that user IDs may have at most 64 characters, not bytes, on any request.
func sendUserIDs(t *testing.T, _ apptest.Installation, s *apptest.Server, secrets map[string]string) {
	longest, tooLong := strings.Repeat("ü", 64), strings.Repeat("u", 65)
	token := s.Access("library", secrets["library"], "Service-User-Id", longest)
	if again := s.Access("library", secrets["library"], "Service-User-Id", longest); apptest.Subject(t, again) != apptest.Subject(t, token) {
		t.Error("one id is two users")
	}
	for _, ask := range []struct{ method, path string }{
		{"POST", "/v1/token"}, {"GET", "/v1/"}, {"GET", "/v1/videos"}, {"GET", "/v1/videos/x"}, {"POST", "/graphql"}, {"GET", "/v1/nothing"},
		{"POST", "/v1/events/expired-user-access"}, {"GET", "/v1/authorize"}, {"GET", "/v1/logout"}, {"GET", "/healthz"},
		{"GET", "/.well-known/openid-configuration"}, {"POST", "/v1/revoke"}, {"POST", "/v1/introspect"}, {"GET", "/v1/userinfo"},
	} {
		body, mediaType := `{"query":"{__typename}"}`, "application/json"
		switch ask.path {
		case "/v1/token", "/v1/revoke", "/v1/introspect":
			body, mediaType = "grant_type=client_credentials&client_id=library&client_secret="+secrets["library"], "application/x-www-form-urlencoded"
		}
		for id, refused := range map[string]bool{tooLong: true, longest: false} {
			answer, text := s.Send(ask.method, ask.path, token, body, "Service-User-Id", id, "Content-Type", mediaType)
			if (answer.StatusCode == http.StatusBadRequest && strings.Contains(string(text), "Service-User-Id")) != refused {
				t.Errorf("%s %s with %d characters: %s %s", ask.method, ask.path, len([]rune(id)), answer.Status, text)
			}
		}
	}
}

// expireAccount verifies that an account whose access has expired can report the expired access, and
// nothing else.
func expireAccount(t *testing.T, h apptest.Installation, s *apptest.Server, secrets map[string]string) {
	client := s.Access("ended", secrets["ended"])
	user := s.Access("ended", secrets["ended"], "Service-User-Id", "pupil")
	for _, token := range []string{client, user} {
		s.Token = token
		links := s.Index().At("_links").(map[string]any)
		if rels := slices.Sorted(maps.Keys(links)); !slices.Equal(rels, []string{"reportAccessExpired"}) {
			t.Errorf("its index leads to %v", rels)
		}
		for _, path := range []string{
			"/v1/videos", "/v1/videos/5c542aba5438cdbcb56de630", "/v1/videos/5c542aba5438cdbcb56de630/transcript", "/v1/videos/metadata", "/v1/feed/videos",
			"/v1/suggestions?query=x", "/v1/subjects", "/v1/disciplines", "/v1/channels", "/v1/tags", "/v1/education-levels", "/v1/video-types",
		} {
			if got := s.Status(path, token); got != http.StatusForbidden {
				t.Errorf("%s is answered %d", path, got)
			}
		}
		_, body := s.Send("POST", "/graphql", token, `{"query":"{videoFeed(first: 1) {__typename}}"}`, "Content-Type", "application/json")
		if !strings.Contains(string(body), "FORBIDDEN") {
			t.Errorf("GraphQL answers %s", body)
		}
		for range 3 {
			if answer, body := s.Send("POST", strings.TrimPrefix(s.Index().Link("reportAccessExpired", nil), s.Base), token, ""); answer.StatusCode != http.StatusCreated {
				t.Errorf("the report is answered %s %s", answer.Status, body)
			}
		}
	}
	var log struct {
		Nodes []struct {
			Client, User string
			After        json.RawMessage
		}
	}
	h.Read(&log, "audit", "--kind", "account", "--id", "ended")
	day := time.Now().UTC().Format(time.DateOnly)
	notes := map[string]int{}
	for _, entry := range log.Nodes {
		if strings.Contains(string(entry.After), "accessExpiredReported") {
			notes[fmt.Sprint(entry.Client, " ", entry.User, " ", strings.Contains(string(entry.After), day))]++
		}
	}
	want := map[string]int{"ended  true": 1, "ended " + apptest.Subject(t, user) + " true": 1}
	if !maps.Equal(notes, want) {
		t.Errorf("the audit log shows %v, not %v", notes, want)
	}

	h.Filmstrip("accounts", "update", "ended", "--access-expires-on", day)
	s.Await(http.StatusOK, func() int { return s.Status("/v1/videos", client) })
	if answer, _ := s.Send("POST", "/v1/events/expired-user-access", client, ""); answer.StatusCode != http.StatusForbidden {
		t.Errorf("on its last day the report is answered %s", answer.Status)
	}
}

// requestFromPages verifies that pages of an account's origins can read all responses to its own clients.
func requestFromPages(t *testing.T, _ apptest.Installation, s *apptest.Server, secrets map[string]string) {
	const own, foreign = "https://library.example", "https://school.example"
	token := s.Access("library", secrets["library"])
	mayRead := func(answer *http.Response) bool { return answer.Header.Get("Access-Control-Allow-Origin") != "" }
	ask := func(origin, method, path, body string) *http.Response {
		t.Helper()
		answer, _ := s.Send(method, path, token, body, "Origin", origin, "Content-Type", "application/json")
		return answer
	}
	for _, request := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/", "", 200},
		{"GET", "/v1/videos?size=1", "", 200},
		{"GET", "/v1/videos?size=x", "", 400},
		{"GET", "/v1/videos/5c542aba5438cdbcb56de630", "", 404},
		{"GET", "/v1/channels", "", 403},
		{"GET", "/v1/nothing", "", 404},
		{"DELETE", "/v1/videos", "", 405},
		{"POST", "/graphql", `{"query":"{__typename}"}`, 200},
	} {
		for origin, may := range map[string]bool{own: true, foreign: false} {
			answer := ask(origin, request.method, request.path, request.body)
			if answer.StatusCode != request.status || mayRead(answer) != may {
				t.Errorf("%s %s from %s: %s %v", request.method, request.path, origin, answer.Status, answer.Header)
			}
		}
	}
	for range 60 { // more than the rate limit allows
		if ask(own, "GET", "/v1/", "").StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	for origin, may := range map[string]bool{own: true, foreign: false} {
		answer := ask(origin, "GET", "/v1/", "")
		if answer.StatusCode != http.StatusTooManyRequests || mayRead(answer) != may {
			t.Errorf("beyond its rate, from %s: %s %v", origin, answer.Status, answer.Header)
		}
		for _, name := range []string{"Retry-After", "Ratelimit", "Ratelimit-Policy"} {
			if strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), name) != may {
				t.Errorf("from %s, %s is shown: %v", origin, name, !may)
			}
		}
	}
}
