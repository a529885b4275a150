package apptest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// WalkThrough is the script of a page of docs for a server.
func WalkThrough(t *testing.T, page, base string) string {
	t.Helper()
	for _, program := range []string{"bash", "curl", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			testservers.Missing(t, "docs/"+page, "there is no "+program)
		}
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, block := range shellBlock.FindAllSubmatch(Must(os.ReadFile(Path("docs", page)))(t), -1) {
		script.Write(bytes.Replace(block[1], []byte("BASE=http://127.0.0.1:8080"), []byte("BASE="+base), 1))
	}
	return script.String()
}

// BlocksOf are the blocks of a page of docs in a language, in their order.
func BlocksOf(t *testing.T, page, language string) (blocks []string) {
	t.Helper()
	text := Must(os.ReadFile(Path("docs", page)))(t)
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(block[1]))
	}
	if len(blocks) == 0 {
		t.Fatalf("docs/%s has no block of %s", page, language)
	}
	return blocks
}

// playerFolder holds the scripts that walk through the player in a browser.
var playerFolder = Path("web", "player")

// InABrowser runs one of those scripts, and reads what it writes. The browser is its last argument.
func InABrowser(t *testing.T, script string, into any, arguments ...string) {
	t.Helper()
	InABrowserFrom(t, playerFolder, script, into, arguments...)
}

// InABrowserFrom is inABrowser for the scripts of a folder.
func InABrowserFrom(t *testing.T, folder, script string, into any, arguments ...string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		testservers.Missing(t, folder, "there is no node")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if browser == "" {
			browser, _ = exec.LookPath(name)
		}
	}
	if browser == "" {
		testservers.Missing(t, folder, "there is no Chromium")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "playwright-core")); err != nil {
		testservers.Missing(t, folder, "it has no playwright-core: run npm ci there")
	}
	command := Bounded(t, node, slices.Concat([]string{filepath.Join("test", script)}, arguments, []string{browser})...)
	command.Dir = folder
	var faults bytes.Buffer
	command.Stderr = &faults
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, faults.String())
	}
	if err := json.Unmarshal(output, into); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
}
