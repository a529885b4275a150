package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// binaryDirectory holds the program that the end-to-end tests start.
var binaryDirectory string

// TestMain runs the tests, or serves the jq program of an import that a test runs: an import starts its own executable
// for that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveJQName {
		os.Exit(realMain(context.Background(), console{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:], os.LookupEnv))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if binaryDirectory, err = os.MkdirTemp("", "filmstrip-cmd-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaryDirectory)
	http.DefaultClient.Timeout = 2 * time.Minute // no test waits for an answer for good
	return testservers.Main(m)
}

// binary builds the program as it is released, once, and names the file.
var binary = sync.OnceValues(func() (string, error) {
	file := filepath.Join(binaryDirectory, "filmstrip")
	build := exec.Command("go", "build", "-trimpath", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, output)
	}
	return file, nil
})

// outcome is what a command has left behind.
type outcome struct {
	status   int
	out, err string
}

// command runs a command within this process.
func command(t testing.TB, environment map[string]string, input string, args ...string) outcome {
	t.Helper()
	var out, faults bytes.Buffer
	look := func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
	status := realMain(t.Context(), console{in: strings.NewReader(input), out: &out, err: &faults}, args, look)
	return outcome{status, out.String(), faults.String()}
}

// succeed is command for one that has to end well.
func succeed(t testing.TB, args ...string) string {
	t.Helper()
	got := command(t, nil, "", args...)
	if got.status != 0 || got.err != "" {
		t.Fatalf("filmstrip %s: status %d: %s", strings.Join(args, " "), got.status, got.err)
	}
	return got.out
}

func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// awaitFor waits for up to a minute until something is true. Where that never comes, the test fails with what
// everybody in the process is doing, so that whoever reads it need not guess.
func awaitFor(t testing.TB, what string, isTrue func() bool) {
	t.Helper()
	if within(time.Minute, isTrue) {
		return
	}
	stacks := make([]byte, 1<<20)
	t.Fatalf("it never comes to it that %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
}

func within(limit time.Duration, isTrue func() bool) bool {
	for deadline := time.Now().Add(limit); !isTrue(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// bounded is a program that is ended, with whatever it has started, where it takes longer than any should.
func bounded(t testing.TB, name string, arguments ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	program := exec.CommandContext(ctx, name, arguments...)
	program.WaitDelay = 5 * time.Second // for those that hold its output open
	return program
}

// writeFile writes a file of a test's own and names it.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
