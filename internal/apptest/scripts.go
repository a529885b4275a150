package apptest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// WalkThrough returns the shell commands of a page of docs as a script for a server.
func WalkThrough(t *testing.T, page, base string) string {
	t.Helper()
	for _, program := range []string{"bash", "curl", "openssl"} {
		testservers.Program(t, "docs/"+page, program)
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, block := range shellBlock.FindAllSubmatch(Must(os.ReadFile(Path("docs", page)))(t), -1) {
		script.Write(bytes.Replace(block[1], []byte("BASE=http://127.0.0.1:8080"), []byte("BASE="+base), 1))
	}
	return script.String()
}

// BlocksOf returns the code blocks of a page of docs in a language, in order.
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

// playerFolder contains the scripts that drive the player in a browser.
var playerFolder = Path("web", "player")

// RunBrowserScript runs a script of the player and decodes its output. The last argument of the script is the browser.
func RunBrowserScript(t *testing.T, script string, into any, arguments ...string) {
	t.Helper()
	RunBrowserScriptFrom(t, playerFolder, script, into, arguments...)
}

// RunBrowserScriptFrom is RunBrowserScript for the scripts of another folder.
func RunBrowserScriptFrom(t *testing.T, folder, script string, into any, arguments ...string) {
	t.Helper()
	node, browser := testservers.Node(t, folder, folder, "playwright-core"), testservers.Browser(t, folder)
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
