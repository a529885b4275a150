//go:build system

package embeds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestSharePageAndEmbeds verifies the share page and embeds. The page that the landing page recommends plays its video to a user who
// signs in as printed, and reports playback as that user. A page of an allowed origin embeds a video and plays it, and its
// events name no user. A page of any other origin is refused, and an expired URL shows a message.
func TestSharePageAndEmbeds(t *testing.T) {
	if testing.Short() {
		t.Skip("the test plays videos in a browser")
	}
	data := t.TempDir()
	s := apptest.Start(t, append([]string{"--data", data}, apptest.Unlimited...)...)
	recommended := demo.View(true).Catalogue.Play
	video := path.Base(recommended)

	runEmbedLines(s, t)
	school, other := startSite(t), startSite(t)
	s.LogIn(demo.OperatorAccount, demo.Secret)
	s.QueryGraphQL(fmt.Sprintf(`mutation { updateAccount(id: %q, input: {allowedOrigins: [%q]}) { id } }`, demo.Account, school.URL))
	s.LogIn(demo.Account, demo.Secret)
	made := s.CreateEmbed(video)
	school.show("/", made.HTML)
	other.show("/", made.HTML)
	school.show("/expired", embed.Snippet(s.Base+expiredAddress(t, data, video), "A video"))

	var seen struct {
		Violations                           map[string][]string
		Console, School, Refusals, Elsewhere []string
		Address, Title, Heading, Kept, Again string
		LoginAgain, Framed, Expired          string
		Renewed                              bool
	}
	arguments := apptest.Must(json.Marshal(map[string]string{
		"address": s.Base + "/" + recommended, "username": demo.Teacher, "password": demo.Secret, "missing": s.Base + "/watch/ffffffffffffffffffffffff",
		"allowed": school.URL + "/", "expired": school.URL + "/expired", "other": other.URL + "/", "embed": made.URL,
	}))(t)
	apptest.RunBrowserScript(t, "watch.mjs", &seen, string(arguments))

	if seen.Address != s.Base+"/"+recommended || seen.Again != s.Base+"/"+recommended || seen.Heading == "" || seen.Title != seen.Heading+" - Filmstrip" {
		t.Errorf("at %s, then at %s, it shows %q as %q", seen.Address, seen.Again, seen.Heading, seen.Title)
	}
	if strings.Contains(seen.Kept, "eyJ") || strings.Contains(seen.Kept, "verifier") {
		t.Errorf("the page keeps %s", seen.Kept)
	}
	if !strings.Contains(seen.LoginAgain, "/v1/authorize") || seen.Framed != made.URL || !seen.Renewed {
		t.Errorf("signed out at %s, framed is %s, renewed %v", seen.LoginAgain, seen.Framed, seen.Renewed)
	}
	if !strings.Contains(seen.Expired, "needs a new address") {
		t.Errorf("an expired address shows %q", seen.Expired)
	}
	if len(seen.Elsewhere) != 1 || strings.HasPrefix(seen.Elsewhere[0], s.Base) || !strings.Contains(strings.Join(seen.Refusals, "\n"), "frame-ancestors") {
		t.Errorf("the page on another site shows the frames %q, and the browser logged %q", seen.Elsewhere, seen.Refusals)
	}
	for page, found := range seen.Violations {
		for _, violation := range found {
			if !strings.Contains(violation, ` part="`) { // the player's own tests cover its parts
				t.Errorf("%s: axe-core finds %s", page, violation)
			}
		}
	}
	// The browser itself logs the response 410.
	if len(seen.Console) > 0 || len(seen.School) != 1 || !strings.Contains(seen.School[0], "410") {
		t.Errorf("the pages complain: %q, %q", seen.Console, seen.School)
	}
	s.Stop(os.Interrupt)
	wantReported(t, data, video)
}

// runEmbedLines runs the lines of docs/player.md that create an embed URL, unchanged except for the demo's URL.
func runEmbedLines(s *apptest.Server, t *testing.T) {
	t.Helper()
	page := string(apptest.Must(os.ReadFile(apptest.Path("docs", "player.md")))(t))
	_, lines, found := strings.Cut(page, "```sh\nBASE=")
	lines, _, ended := strings.Cut(lines, "```")
	if !found || !ended {
		t.Fatal("docs/player.md creates no address")
	}
	output, err := apptest.Bounded(t, "sh", "-e", "-c", strings.ReplaceAll("BASE="+lines, "http://127.0.0.1:8080", s.Base)).CombinedOutput()
	if err != nil || !strings.Contains(string(output), `"html":"<iframe src=\"`+s.Base+"/embed/") {
		t.Errorf("%v: %s", err, output)
	}
}

// site is a foreign site that embeds a given URL.
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

// expiredAddress returns the path of an embed URL that a server on these files signed, and that has expired.
func expiredAddress(t *testing.T, data, video string) string {
	t.Helper()
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(data, "accounts.db")))(t)
	defer accounts.Close()
	keys := apptest.Must(accounts.Keys(t.Context(), "embed"))(t)
	now := time.Now()
	return embed.NewSigner(func() []account.Key { return keys }).Sign(embed.Grant{
		Video: catalogue.ID(video), Client: demo.Account, Issued: now.Add(-2 * time.Hour), Expires: now.Add(-time.Hour),
	})
}

// wantReported verifies that the log contains the playback of a video on the share page and in the embed.
func wantReported(t *testing.T, data, video string) {
	t.Helper()
	reported := map[string]int{}
	for line := range strings.Lines(apptest.Succeed(t, "events", "export", "--format", "jsonl", "--kinds", "PLAYBACK", "--data", data)) {
		var event struct{ VideoID, AccountID, ClientID, TokenUserID, UserID string }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.VideoID != video {
			t.Fatalf("%v in %s", err, line)
		}
		reported[strings.Join([]string{event.AccountID, event.ClientID, event.TokenUserID + event.UserID}, " ")]++
	}
	watched, framed := strings.Join([]string{demo.Account, demo.WatchClient, demo.TeacherID}, " "), demo.Account+" "+demo.Account+" "
	if reported[watched] == 0 || reported[framed] == 0 || len(reported) != 2 {
		t.Errorf("the reported events are %v", reported)
	}
}
