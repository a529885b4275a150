package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// asking is a service with accounts that search.
type asking struct {
	*testing.T
	apptest.Installation
	*App
	tokens map[string]string
	// text is a search text that finds videos but is neither a title nor a keyword. video is one of the results.
	text, video string
}

func newAsking(t *testing.T, settings ...string) *asking {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Filmstrip("import", apptest.WriteFile(t, "lines.jsonl", apptest.Succeed(t, "generate", "--videos", "30")))
	secrets := map[string]string{}
	for _, id := range []string{"one", "two", "three"} {
		h.Filmstrip("accounts", "create", id, "--name", id, "--tier", "plus")
		secrets[id] = h.Client(id, id)
	}
	h.Filmstrip("accounts", "create", "us", "--name", "us", "--operator")
	secrets["us"] = h.Client("us", "us")
	a := &asking{T: t, Installation: h, App: openWith(t, append(settings, h.Where...)...), tokens: map[string]string{}}
	for id, secret := range secrets {
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
		got := send(a.App, "POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		var answer struct {
			Token string `json:"access_token"`
		}
		if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || answer.Token == "" {
			t.Fatalf("%s gets no token: %d %s", id, got.Code, got.Body)
		}
		a.tokens[id] = answer.Token
	}
	apptest.Await(t, "the videos are found", func() bool { return len(a.found("us", "")) == 30 })
	a.video, a.text = a.twoWords()
	return a
}

// twoWords returns a video and two words of its title in reverse order.
func (a *asking) twoWords() (video, text string) {
	for id, title := range a.found("us", "") {
		if words := strings.Fields(title); len(words) > 1 {
			return id, words[1] + " " + words[0]
		}
	}
	a.T.Fatal("no title has two words")
	return "", ""
}

// found returns the titles of the videos that an account finds, by ID.
func (a *asking) found(by, text string, more ...string) map[string]string {
	a.T.Helper()
	var page struct {
		Embedded struct {
			Videos []struct{ ID, Title string }
		} `json:"_embedded"`
	}
	a.get(by, "/v1/videos?"+strings.Join(append(more, "size=100", "query="+url.QueryEscape(text)), "&"), &page)
	titles := map[string]string{}
	for _, video := range page.Embedded.Videos {
		titles[video.ID] = video.Title
	}
	return titles
}

func (a *asking) get(by, path string, into any) {
	a.T.Helper()
	got := send(a.App, "GET", path, "", "Authorization", "Bearer "+a.tokens[by])
	if err := json.Unmarshal(got.Body.Bytes(), into); err != nil || got.Code != http.StatusOK {
		a.T.Fatalf("%s: %d %s", path, got.Code, got.Body)
	}
}

func (a *asking) post(by, path, body string) string {
	a.T.Helper()
	got := send(a.App, "POST", path, body, "Authorization", "Bearer "+a.tokens[by], "Content-Type", "application/json")
	if got.Code/100 != 2 {
		a.T.Fatalf("%s: %d %s", path, got.Code, got.Body)
	}
	return got.Body.String()
}

func (a *asking) graph(by, operation string) string {
	a.T.Helper()
	body := apptest.Must(json.Marshal(map[string]any{"query": operation}))(a.T)
	return a.post(by, "/graphql", string(body))
}

// written writes the recorded searches and updates the shared ones.
func (a *asking) written() {
	a.T.Helper()
	if err := a.searches.Write(a.T.Context()); err != nil {
		a.T.Fatal(err)
	}
	if err := a.searches.ReadShared(a.T.Context()); err != nil {
		a.T.Fatal(err)
	}
}

// phrases returns the suggestions for the beginning of the text.
func (a *asking) phrases() []string {
	a.T.Helper()
	var answer struct{ Phrases []string }
	a.get("one", "/v1/suggestions?query="+url.QueryEscape(string([]rune(a.text)[:3])), &answer)
	return answer.Phrases
}

// TestSearchReport verifies that the search report contains the searches of both APIs and the clicks on their
// results. Operators see all accounts, and customers only their own. Searches become suggestions once three accounts
// share them.
func TestSearchReport(t *testing.T) {
	a := newAsking(t)
	for range 20 {
		a.found("one", a.text)
		a.found("two", a.text)
	}
	a.found("one", a.text, "page=1")
	a.found("us", a.text)
	a.found("three", a.text, "promoted=true")
	a.graph("two", `{ searchVideos(query: "Zwergflusspferd") { total } }`)
	a.post("one", "/v1/events/playback", `{"videoId":"`+a.video+`","segmentStartSeconds":0,"segmentEndSeconds":3,"query":"`+a.text+`"}`)
	a.written()
	if got := a.phrases(); slices.Contains(got, a.text) {
		t.Errorf("a search of two accounts is suggested: %q", got)
	}
	today := catalogue.DateOf(time.Now())
	operation := fmt.Sprintf(`{ searchReport(from: %q, to: %q) { text searches accounts results withoutResults clicks videos { id clicks } } }`, today-1, today)
	results := len(a.found("us", a.text))
	shared := fmt.Sprintf(`{"text":%q,"searches":41,"accounts":3,"results":%d,"withoutResults":0,"clicks":1,"videos":[{"id":%q,"clicks":1}]}`, a.text, results, a.video)
	if got := a.graph("us", operation); !strings.Contains(got, shared) || !strings.Contains(got, `{"text":"Zwergflusspferd","searches":1,"accounts":1,"results":0,"withoutResults":1,"clicks":0,"videos":[]}`) {
		t.Errorf("the operator's report is %s, want %s", got, shared)
	}
	if got := a.graph("three", operation); !strings.Contains(got, `[{"text":"`+a.text+`","searches":1,"accounts":1,"results":null,"withoutResults":0,"clicks":0,"videos":[]}]`) {
		t.Errorf("the report of an account that searched once, with a filter, is %s", got)
	}

	others := strings.Replace(operation, "searchReport(", `searchReport(filter: {accounts: ["one"]}, `, 1)
	if got := a.graph("three", others); !strings.Contains(got, "not the caller's") || strings.Contains(got, a.text) {
		t.Errorf("another account's report is %s", got)
	}
	if got := a.graph("us", others); !strings.Contains(got, `"searches":20,"accounts":1`) {
		t.Errorf("one account's report is %s", got)
	}

	days := []string{"--from", (today - 1).String(), "--to", today.String()}
	if got := a.Filmstrip(append([]string{"searches", "--few", "0"}, days...)...); !strings.Contains(got, "Zwergflusspferd") || strings.Contains(got, a.text) || strings.Count(got, "\n") != 2 {
		t.Errorf("searches without results are printed as\n%s", got)
	}
	if got := a.Filmstrip(append([]string{"searches", "--order", "clicks", "--format", "jsonl", "--account", "one"}, days...)...); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"videos":[{"id":"`+a.video+`","clicks":1}]`) {
		t.Errorf("clicks are printed as\n%s", got)
	}

	a.found("three", a.text)
	a.written()
	if got := a.phrases(); !slices.Contains(got, a.text) {
		t.Errorf("a search of three accounts is not suggested: %q", got)
	}
	a.Filmstrip("clients", "delete", "three")
	a.Filmstrip("accounts", "delete", "three")
	a.written()
	if got := a.phrases(); slices.Contains(got, a.text) {
		t.Errorf("a deleted account counts: %q", got)
	}
}

// TestSearchesAreForgotten verifies that searches older than the retention are deleted. With a retention of 0, the
// server deletes all searches and records no more.
func TestSearchesAreForgotten(t *testing.T) {
	today := catalogue.DateOf(time.Now())
	h := apptest.NewInstallation(t, apptest.Engines{})
	queries := apptest.Must(sqlite.OpenSearchLog(t.Context(), filepath.Join(h.Where[1], searchLogFile)))(t)
	t.Cleanup(func() { _ = queries.Close() })
	for age, text := range map[catalogue.Date]string{0: "today", 89: "kept", 90: "old"} {
		one := store.Searched{SearchLogKey: store.SearchLogKey{Day: today - age, Account: "one", Text: text}, Spelling: text, Times: 1}
		if err := queries.Add(t.Context(), store.SearchLogBatch{Searches: []store.Searched{one}}); err != nil {
			t.Fatal(err)
		}
	}
	left := func(settings ...string) string {
		t.Helper()
		s := openWith(t, append(settings, h.Where...)...)
		if err := s.forget(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if (s.searches == nil) != (len(settings) > 0) {
			t.Errorf("with %q searches are noted by %v", settings, s.searches)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		return h.Filmstrip("searches", "--from", "2000-01-01", "--to", today.String())
	}
	if got := left(); !strings.Contains(got, "today") || !strings.Contains(got, "kept") || strings.Contains(got, "old") {
		t.Errorf("after ninety days, the report is\n%s", got)
	}
	if got := left("--keep-queries", "0"); strings.Contains(got, "today") || strings.Contains(got, "kept") {
		t.Errorf("with --keep-queries 0, the report is\n%s", got)
	}
}

// TestInvalidSearchLogSettings verifies which arguments and settings of the search log are refused.
func TestInvalidSearchLogSettings(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	for says, args := range map[string][]string{
		"none":            append([]string{"searches", "--from", "2026-10-02", "--to", "2026-10-01"}, h.Where...),
		"500":             append([]string{"searches", "--from", "2026-10-01", "--to", "2026-10-01", "--first", "501"}, h.Where...),
		"below 0":         {"serve", "--keep-queries=-1", "--data", t.TempDir(), "--addr", "127.0.0.1:0"},
		"YYYY-MM-DD":      {"searches", "--from", "october", "--to", "2026-10-01"},
		"no searchlog.db": {"searches", "--from", "2026-10-01", "--to", "2026-10-01", "--data", filepath.Join(t.TempDir(), "none")},
		"--few":           append([]string{"searches", "--from", "2026-10-01", "--to", "2026-10-01", "--few=x"}, h.Where...),
		"results are be":  append([]string{"searches", "--from", "2026-10-01", "--to", "2026-10-01", "--few=-1"}, h.Where...),
	} {
		got := apptest.Run(t, nil, "", args...)
		if got.Status == 0 || !strings.Contains(got.Err, says) {
			t.Errorf("%q: status %d: %s", args, got.Status, got.Err)
		}
	}
}
