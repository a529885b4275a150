//go:build system

package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m, app.Release)) }

// TestShop builds the shop from its lock file and walks through it in a browser: search with facets and pages, playback
// by a visitor and by a teacher, sign-in and sign-out. The bill contains exactly what the shop reports.
func TestShop(t *testing.T) {
	s := apptest.Start(t, "--demo", "--picture-rate=0", "--data", t.TempDir()) // the walk shows every poster within seconds
	s.LogIn(demo.OperatorAccount, demo.Secret)
	folder := copyOfShop(t)
	npm(t, folder, s.Base, "ci", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")

	types := filepath.Join(folder, "src", "api.d.ts")
	committed := apptest.Must(os.ReadFile(types))(t)
	npm(t, folder, s.Base, "run", "types")
	if generated := apptest.Must(os.ReadFile(types))(t); !bytes.Equal(generated, committed) {
		t.Error("examples/shop/src/api.d.ts does not match the OpenAPI document: run `npm run types` in examples/shop while `make run` serves")
	}

	npm(t, folder, s.Base, "run", "build")
	shop := startShop(t, s, folder)
	var seen struct {
		Console, Violations, First, Second, Errors []string
		Found, Promised, Filtered, All, Poster     int
		Teacher                                    string
		Reports                                    []struct {
			Key   string
			Batch []struct {
				VideoID                                string
				SegmentStartSeconds, SegmentEndSeconds float64
			}
		}
	}
	apptest.RunBrowserScriptFrom(t, folder, "walk.mjs", &seen, shop, demo.Teacher, demo.Secret)

	if len(seen.Console) > 0 || len(seen.Violations) > 0 {
		t.Errorf("console %q, axe-core %q", seen.Console, seen.Violations)
	}
	if seen.Found <= 12 || len(seen.First) != 12 || len(seen.Second) == 0 || slices.ContainsFunc(seen.Second, func(title string) bool { return slices.Contains(seen.First, title) }) {
		t.Errorf("of %d videos, the first page shows %q, the second %q", seen.Found, seen.First, seen.Second)
	}
	if seen.Filtered != seen.Promised || seen.Filtered >= seen.Found {
		t.Errorf("a facet promises %d of %d videos, and its filter finds %d", seen.Promised, seen.Found, seen.Filtered)
	}
	s.LogIn(demo.Account, demo.Secret)
	if all := s.Document(s.Base + "/v1/videos?size=1").Total(); seen.All != all {
		t.Errorf("the pages of all videos show %d of %d", seen.All, all)
	}
	if seen.Poster == 0 || seen.Teacher != "Signed in as Ada Teacher" {
		t.Errorf("a poster of %d pixels, %q", seen.Poster, seen.Teacher)
	}
	wantErrors(t, seen.Errors)

	var reported float64
	for _, report := range seen.Reports {
		for _, event := range report.Batch {
			reported += event.SegmentEndSeconds - event.SegmentStartSeconds
		}
	}
	if reported < 2 {
		t.Fatalf("the shop reports %v seconds in %+v", reported, seen.Reports)
	}
	users, counted := map[string]bool{}, 0.0
	for line := range strings.Lines(s.RunBeside(0, "events", "export", "--format", "jsonl", "--kinds", "PLAYBACK", "--data", dataOf(s))) {
		var event struct {
			TokenUserID    string
			CountedSeconds float64
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		users[event.TokenUserID] = true
		counted += event.CountedSeconds
	}
	if counted < reported-0.01 { // the browser also reports while it leaves a page, which the walk does not see
		t.Errorf("the log counts %v seconds, the shop reported at least %v", counted, reported)
	}
	s.LogIn(demo.OperatorAccount, demo.Secret)
	var billed float64
	if !apptest.Within(20*time.Second, func() bool {
		billed = secondsBilled(t, s)
		return math.Abs(billed-counted) < 1
	}) {
		t.Errorf("the bill has %v seconds, the log counts %v", billed, counted)
	}
	if !users[""] || !users[demo.TeacherID] {
		t.Errorf("the events belong to the users %v, not to a visitor and the teacher", users)
	}
}

// wantErrors checks the pages that the shop shows for errors of the API and of the visitor.
func wantErrors(t *testing.T, got []string) {
	t.Helper()
	for i, want := range []string{"404 ", "400 page", "400 this answer belongs to no sign-in of this browser", "404 The shop has no such page."} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("error %d in %q is not %q", i, got, want)
		}
	}
}

// copyOfShop copies the files of the shop that the repository contains, so that nothing installed or built earlier helps.
func copyOfShop(t *testing.T) string {
	t.Helper()
	source, folder := apptest.Path("examples", "shop"), t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "types.mjs", "src", "public/style.css", "test"} {
		from, to := filepath.Join(source, name), filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if info := apptest.Must(os.Stat(from))(t); info.IsDir() {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(to, apptest.Must(os.ReadFile(from))(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// npm runs npm in the folder of a shop.
func npm(t *testing.T, folder, base string, arguments ...string) {
	t.Helper()
	command := apptest.Bounded(t, testservers.Program(t, "examples/shop", "npm"), arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "FILMSTRIP_URL="+base)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm %s: %v: %s", strings.Join(arguments, " "), err, output)
	}
}

// startShop starts the built shop on a free port, with a client of its own for sign-in, and returns its URL.
func startShop(t *testing.T, s *apptest.Server, folder string) string {
	t.Helper()
	shop := "http://" + testservers.FreeAddress(t)
	s.RunBeside(0, "clients", "create", "shop-web", "--public", "--require-pkce", "--account", demo.Account, "--data", dataOf(s),
		"--redirect-uri", shop+"/callback", "--post-logout-redirect-uri", shop+"/")
	command := exec.Command("node", "dist/main.js")
	command.Dir = folder
	command.Env = append(os.Environ(), "FILMSTRIP_URL="+s.Base, "SHOP_URL="+shop, "FILMSTRIP_WEB_CLIENT_ID=shop-web")
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("the shop printed %s", printed.String())
		}
	})
	apptest.Await(t, "the shop answers", func() bool {
		answer, err := http.Get(shop + "/nowhere")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil
	})
	return shop
}

// secondsBilled returns the seconds on this month's statement of the demo's account.
func secondsBilled(t *testing.T, s *apptest.Server) float64 {
	t.Helper()
	query := fmt.Sprintf(`{"query": "{ statement(account: \"%s\", month: \"%s\") { seconds } }"}`, demo.Account, time.Now().UTC().Format("2006-01"))
	_, body := s.Request(http.MethodPost, s.Base+"/graphql", "application/json", query)
	var answer struct {
		Data struct{ Statement struct{ Seconds float64 } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return answer.Data.Statement.Seconds
}

// dataOf returns the directory of a server's data.
func dataOf(s *apptest.Server) string {
	arguments := s.Process.Args
	return arguments[slices.Index(arguments, "--data")+1]
}
