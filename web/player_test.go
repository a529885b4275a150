package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/web"
)

// mostPlayerBytes is the maximum compressed size of the player without hls.js, in bytes.
const mostPlayerBytes = 30 << 10

func askPlayer(method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	web.Player().ServeHTTP(w, r)
	return w
}

// TestPlayerFiles checks that the player is cached for a short time under its own name and forever under its hash, and
// that pages of any origin can load it and the library that it imports.
func TestPlayerFiles(t *testing.T) {
	own := askPlayer("GET", "/player/filmstrip-player.js")
	library := regexp.MustCompile(`import\("\./(hls-\w+\.js)"\)`).FindStringSubmatch(own.Body.String())
	if library == nil {
		t.Fatal("the player names no library")
	}
	const forever = "public, max-age=31536000, immutable"
	for path, caching := range map[string]string{
		"/player/filmstrip-player.js": "public, max-age=300", web.PlayerPath(): forever, "/player/" + library[1]: forever,
	} {
		w := askPlayer("GET", path)
		header := w.Header()
		if w.Code != http.StatusOK || header.Get("Content-Type") != "text/javascript; charset=utf-8" || header.Get("Cache-Control") != caching ||
			header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %d %v", path, w.Code, header)
		}
		if again := askPlayer("GET", path, "If-None-Match", header.Get("Etag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: %d for a file that the browser has", path, again.Code)
		}
		if preflight := askPlayer("OPTIONS", path); preflight.Code != http.StatusNoContent || preflight.Header().Get("Access-Control-Allow-Methods") == "" {
			t.Errorf("%s: a preflight gets %d %v", path, preflight.Code, preflight.Header())
		}
	}
	if named := askPlayer("GET", web.PlayerPath()); !bytes.Equal(named.Body.Bytes(), own.Body.Bytes()) {
		t.Error("under its hash is another player")
	}
}

// TestPlayersOfOtherReleases checks that URLs of the player's files in other releases redirect to those of this
// release.
func TestPlayersOfOtherReleases(t *testing.T) {
	for path, prefix := range map[string]string{
		"/player/filmstrip-player.0123456789abcdef.js": "/player/filmstrip-player.js", "/player/hls-ABCDEFGH.js": "/player/hls-",
	} {
		w := askPlayer("GET", path)
		to := w.Header().Get("Location")
		if w.Code != http.StatusTemporaryRedirect || !strings.HasPrefix(to, prefix) || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
			askPlayer("GET", to).Code != http.StatusOK {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/player/", "/player/other.js", "/player/filmstrip-player..js", "/player/filmstrip-player.a/b.js", "/player/filmstrip-player.d.ts"} {
		if w := askPlayer("GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestPlayerIsSmall checks that the player is small and uses nothing that content security policies of pages forbid.
func TestPlayerIsSmall(t *testing.T) {
	w := askPlayer("GET", "/player/filmstrip-player.js", "Accept-Encoding", "gzip")
	size := w.Body.Len()
	if w.Header().Get("Content-Encoding") != "gzip" || size >= mostPlayerBytes {
		t.Errorf("the player takes %d bytes, %q", size, w.Header().Get("Content-Encoding"))
	}
	reader, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`\beval\(|new Function|<style|javascript:`).Find(script); found != nil {
		t.Errorf("the player holds %s", found)
	}
}

// TestPlayerParts runs the tests of the player's parts that need no browser.
func TestPlayerParts(t *testing.T) {
	node := testservers.Node(t, "the player", "player", "esbuild")
	files, err := filepath.Glob(filepath.Join("player", "test", "*.test.mjs"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: there are no tests", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, node, "--test")
	for _, file := range files {
		command.Args = append(command.Args, filepath.Join("test", filepath.Base(file)))
	}
	command.Dir = "player"
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestPlayerIsDocumented checks that the documentation of the player contains its custom properties, attributes and
// parts, and no other custom properties.
func TestPlayerIsDocumented(t *testing.T) {
	read := func(path ...string) string {
		content, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	documented := read("..", "docs", "player.md")
	style, element, controls := read("player", "src", "style.ts"), read("player", "src", "element.ts"), read("player", "src", "controls.ts")
	_, attributes, _ := strings.Cut(element, "observedAttributes = [")
	attributes, _, _ = strings.Cut(attributes, "]")
	for what, names := range map[string][]string{
		"custom property": regexp.MustCompile(`--filmstrip-[a-z-]+`).FindAllString(style, -1),
		"attribute":       strings.Split(strings.ReplaceAll(attributes, `"`, ""), ", "),
		"part":            slices.Collect(partsOf(controls)),
	} {
		if len(names) < 5 {
			t.Errorf("the sources have each %s of %q", what, names)
		}
		for _, name := range names {
			if !strings.Contains(documented, "`"+name+"`") {
				t.Errorf("%s %s is not documented", what, name)
			}
		}
	}
	for _, name := range regexp.MustCompile("`--filmstrip-[a-z-]+`").FindAllString(documented, -1) {
		if !strings.Contains(style, "var("+strings.Trim(name, "`")+",") {
			t.Errorf("%s is documented, and nothing", name)
		}
	}
}

// partsOf returns the part names in a source, including those of its buttons and menus.
func partsOf(source string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, found := range regexp.MustCompile(`part: "([a-z-]+)"|new (?:Button|Menu)\("([a-z-]+)"`).FindAllStringSubmatch(source, -1) {
			if !yield(found[1] + found[2]) {
				return
			}
		}
	}
}
