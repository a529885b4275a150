package events_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestTheExportsPage runs every command of docs/exports.md, unchanged, with the program as it is released.
func TestTheExportsPage(t *testing.T) {
	program := apptest.Binary(t)
	page := string(apptest.Must(os.ReadFile(apptest.Path("docs", "exports.md")))(t))
	folder := t.TempDir()
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		shell := apptest.Bounded(t, "sh", "-e", "-c", block[1])
		shell.Dir = folder
		shell.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
		if output, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", block[1], err, output)
		}
	}
	for _, name := range []string{
		"events.jsonl", "march.parquet", "since.jsonl", "statements.jsonl", "envelopes.jsonl", "march.jsonl", "march-lines.parquet", "pupil.jsonl", "batches.jsonl",
	} {
		if made, err := os.Stat(filepath.Join(folder, name)); err != nil || made.Size() == 0 {
			t.Errorf("the page leaves no %s behind: %v", name, err)
		}
	}
}
