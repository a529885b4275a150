//go:build system

package signin_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestQuickstart runs the samples of docs/quickstart.md in each language as the page says: as one program, with a user
// who signs in where the program prints an address.
func TestQuickstart(t *testing.T) {
	s := apptest.Start(t, "--demo")
	for language, program := range map[string]struct {
		file    string
		command []string
		needs   []string
	}{
		"bash":   {"quickstart.sh", []string{"bash", "-euo", "pipefail"}, []string{"curl", "jq", "openssl"}},
		"js":     {"quickstart.mjs", []string{"node"}, nil},
		"python": {"quickstart.py", []string{"python3"}, nil},
		"go":     {"quickstart.go", []string{"go", "run"}, nil},
	} {
		t.Run(language, func(t *testing.T) {
			for _, name := range append(program.needs, program.command[0]) {
				testservers.Program(t, "the quickstart in "+language, name)
			}
			file := filepath.Join(t.TempDir(), program.file)
			samples := strings.Join(apptest.BlocksOf(t, "quickstart.md", language), "\n")
			if err := os.WriteFile(file, []byte(samples), 0o600); err != nil {
				t.Fatal(err)
			}
			printed := followQuickstart(t, s, append(program.command, file))
			want := `^[1-9]\d* videos\n(.+\n){4}#EXTM3U\n(201|reported)\n` + regexp.QuoteMeta(s.Base) + `/v1/authorize\?.+\nAda Teacher\n$`
			if !regexp.MustCompile(want).MatchString(printed) {
				t.Errorf("the program printed\n%s", printed)
			}
		})
	}
}

// followQuickstart runs a program of the quickstart, signs the teacher in at the address that it prints, and returns
// everything that it printed.
func followQuickstart(t *testing.T, s *apptest.Server, command []string) string {
	t.Helper()
	run := apptest.Bounded(t, command[0], command[1:]...)
	run.Env = append(os.Environ(), "BASE="+s.Base)
	var faults bytes.Buffer
	run.Stderr = &faults
	input := apptest.Must(run.StdinPipe())(t)
	output := apptest.Must(run.StdoutPipe())(t)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(output); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "/v1/authorize?") {
			returned := apptest.NewBrowser(t).SignIn(lines.Text(), demo.Teacher, demo.Secret)
			if _, err := fmt.Fprintln(input, demo.RedirectURI+"?"+returned.Encode()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s\n%s", err, &faults, &printed)
	}
	return printed.String()
}
