package web_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestPagesAreBuiltFromTheirSources checks that the committed files are those that the sources build, and that the types of
// the pages in TypeScript are right.
func TestPagesAreBuiltFromTheirSources(t *testing.T) {
	for folder, checks := range map[string][]string{"app": {"node_modules/typescript/bin/tsc"}, "docs": nil, "graphiql": nil, "player": nil} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			node := testservers.Node(t, "web/"+folder, folder)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			run := func(script string, args ...string) {
				command := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
				command.Dir = folder
				if output, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", script, err, output)
				}
			}
			for _, check := range checks {
				run(check)
			}
			made := t.TempDir()
			run("build.mjs", made)
			sameFiles(t, os.DirFS(filepath.Join(folder, "dist")), os.DirFS(made))
		})
	}
}

// sameFiles checks that two folders contain the same files.
func sameFiles(t *testing.T, committed, made fs.FS) {
	t.Helper()
	left, right := contentsOf(t, committed), contentsOf(t, made)
	for name, content := range right {
		if !bytes.Equal(left[name], content) {
			t.Errorf("%s is not what the sources make (make pages)", name)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("the sources do not make %s", name)
	}
	if len(right) == 0 {
		t.Error("the sources make nothing")
	}
}

func contentsOf(t *testing.T, folder fs.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(folder, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
