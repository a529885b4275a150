package testservers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestStartLineProcess checks that Talking restarts a program that ends before it is ready, and that a ready program answers.
func TestStartLineProcess(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	const script = `echo note; if [ -e "$0" ]; then echo ready; while read -r line; do echo "got $line"; done; fi; : >"$0"`
	p, line := testservers.StartLineProcess(t, func() *exec.Cmd { return exec.Command("sh", "-c", script, begun) },
		func(line string) bool { return line == "ready" })
	if _, err := os.Stat(begun); line != "ready" || err != nil {
		t.Fatalf("the ready line is %q (%v)", line, err)
	}
	if _, err := p.In.Write([]byte("this\n")); err != nil {
		t.Fatal(err)
	}
	if line, ok := p.Line(func(line string) bool { return strings.HasPrefix(line, "got") }); !ok || line != "got this" {
		t.Errorf("the program answers %q", line)
	}
}
