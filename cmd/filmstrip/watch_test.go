//go:build system

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var printedVideo = regexp.MustCompile(`a video +(http://\S+/watch/([0-9a-f]{24}))`)

// TestPeopleWatch: the address that the demo prints plays its video to who signs in as it says, and tells of it as of
// that user; a page of an allowed origin frames a video and plays it, and what is told is told of nobody; a page of any
// other origin gets nothing, and an address that is over says so.
func TestPeopleWatch(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays in a browser")
	}
	data := t.TempDir()
	s := startServer(t, append([]string{"--data", data}, unlimited...)...)
	s.awaitPrinted("a video")
	printed := printedVideo.FindStringSubmatch(s.printed())
	if printed == nil {
		t.Fatalf("printed is %s", s.printed())
	}
	video := printed[2]

	s.runEmbedLines(t)
	school, other := startSite(t), startSite(t)
	s.logIn(demoOperator, demoSecret)
	s.asks(fmt.Sprintf(`mutation { updateAccount(id: %q, input: {allowedOrigins: [%q]}) { id } }`, demoAccount, school.URL))
	s.logIn(demoAccount, demoSecret)
	made := s.embedded(video)
	school.show("/", made.HTML)
	other.show("/", made.HTML)
	school.show("/expired", embed.Snippet(s.base+expiredAddress(t, data, video), "A video"))

	var seen struct {
		Violations                           map[string][]string
		Console, School, Refusals, Elsewhere []string
		Address, Title, Heading, Kept, Again string
		LoginAgain, Framed, Expired          string
		Renewed                              bool
	}
	arguments := must(json.Marshal(map[string]string{
		"address": printed[1], "username": demoTeacher, "password": demoSecret, "missing": s.base + "/watch/ffffffffffffffffffffffff",
		"allowed": school.URL + "/", "expired": school.URL + "/expired", "other": other.URL + "/", "embed": made.URL,
	}))(t)
	inABrowser(t, "watch.mjs", &seen, string(arguments))

	if seen.Address != printed[1] || seen.Again != printed[1] || seen.Heading == "" || seen.Title != seen.Heading+" - Filmstrip" {
		t.Errorf("at %s, then at %s, it shows %q as %q", seen.Address, seen.Again, seen.Heading, seen.Title)
	}
	if strings.Contains(seen.Kept, "eyJ") || strings.Contains(seen.Kept, "verifier") {
		t.Errorf("the page keeps %s", seen.Kept)
	}
	if !strings.Contains(seen.LoginAgain, "/v1/authorize") || seen.Framed != made.URL || !seen.Renewed {
		t.Errorf("signed out at %s, framed is %s, renewed %v", seen.LoginAgain, seen.Framed, seen.Renewed)
	}
	if !strings.Contains(seen.Expired, "needs a new address") {
		t.Errorf("an address that is over says %q", seen.Expired)
	}
	if len(seen.Elsewhere) != 1 || strings.HasPrefix(seen.Elsewhere[0], s.base) || !strings.Contains(strings.Join(seen.Refusals, "\n"), "frame-ancestors") {
		t.Errorf("elsewhere there is %q, and the browser says %q", seen.Elsewhere, seen.Refusals)
	}
	for page, found := range seen.Violations {
		for _, violation := range found {
			if !strings.Contains(violation, ` part="`) { // what the player is made of is its own tests' business
				t.Errorf("%s: axe-core finds %s", page, violation)
			}
		}
	}
	// The browser itself says that something was answered 410.
	if len(seen.Console) > 0 || len(seen.School) != 1 || !strings.Contains(seen.School[0], "410") {
		t.Errorf("the pages complain: %q, %q", seen.Console, seen.School)
	}
	s.stop(os.Interrupt)
	wantTold(t, data, video)
}

// runEmbedLines runs the lines of docs/player.md that make an address, as they stand but for the demo's own.
func (s *server) runEmbedLines(t *testing.T) {
	t.Helper()
	page := string(must(os.ReadFile(filepath.Join("..", "..", "docs", "player.md")))(t))
	_, lines, found := strings.Cut(page, "```sh\nBASE=")
	lines, _, ended := strings.Cut(lines, "```")
	if !found || !ended {
		t.Fatal("docs/player.md makes no address")
	}
	output, err := bounded(t, "sh", "-e", "-c", strings.ReplaceAll("BASE="+lines, "http://127.0.0.1:8080", s.base)).CombinedOutput()
	if err != nil || !strings.Contains(string(output), `"html":"<iframe src=\"`+s.base+"/embed/") {
		t.Errorf("%v: %s", err, output)
	}
}

// TestPagesToWatchOutsideTheDemo: there is no share page unless a client is named, and no embed without a signature.
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

// site is a site of somebody else, which frames what it is told to.
type site struct {
	*httptest.Server
	mutex    sync.Mutex
	snippets map[string]string
}

func startSite(t *testing.T) *site {
	one := &site{snippets: map[string]string{}}
	one.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.mutex.Lock()
		defer one.mutex.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>A lesson</title><link rel="icon" href="data:,"><h1>A lesson</h1>%s</html>`, one.snippets[r.URL.Path])
	}))
	t.Cleanup(one.Close)
	return one
}

func (s *site) show(path, snippet string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.snippets[path] = snippet
}

// expiredAddress is the path of an address that a server on these files has signed, and whose time is over.
func expiredAddress(t *testing.T, data, video string) string {
	t.Helper()
	accounts := must(sqlite.OpenAccounts(t.Context(), filepath.Join(data, "accounts.db")))(t)
	defer accounts.Close()
	keys := must(accounts.Keys(t.Context(), "embed"))(t)
	now := time.Now()
	return embed.NewSigner(func() []account.Key { return keys }).Sign(embed.Grant{
		Video: catalogue.ID(video), Client: demoAccount, Issued: now.Add(-2 * time.Hour), Expires: now.Add(-time.Hour),
	})
}

// wantTold wants that the log tells of a video as the share page and the frame played it.
func wantTold(t *testing.T, data, video string) {
	t.Helper()
	told := map[string]int{}
	for line := range strings.Lines(succeed(t, "events", "export", "--format", "jsonl", "--kinds", "PLAYBACK", "--data", data)) {
		var event struct{ VideoID, AccountID, ClientID, TokenUserID, UserID string }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.VideoID != video {
			t.Fatalf("%v in %s", err, line)
		}
		told[strings.Join([]string{event.AccountID, event.ClientID, event.TokenUserID + event.UserID}, " ")]++
	}
	watched, framed := strings.Join([]string{demoAccount, demoWatch, teacherID}, " "), demoAccount+" "+demoAccount+" "
	if told[watched] == 0 || told[framed] == 0 || len(told) != 2 {
		t.Errorf("told was %v", told)
	}
}

// TestWhereTheDemoComesBackTo: a code is sent over https or within this machine alone; elsewhere the demo starts
// all the same.
func TestWhereTheDemoComesBackTo(t *testing.T) {
	for base, want := range map[string][]string{
		"https://catalogue.example": {"https://catalogue.example/watch/callback"},
		"http://127.0.0.1:8080":     {"http://127.0.0.1:8080/watch/callback", "http://localhost:8080/watch/callback"},
		"http://catalogue.example":  nil,
	} {
		s := openWith(t, "--demo", "--base-url", base)
		client, _ := s.identity.tokens.Roster().Client(demoWatch)
		if client == nil || !slices.Equal(client.RedirectURIs, want) {
			t.Errorf("at %s the client is %+v, want it to come back to %q", base, client, want)
		}
	}
}
