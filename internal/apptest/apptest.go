// Package apptest starts the program for tests: servers and commands in processes of their own, on stores with accounts
// of a test's own. The folders below it test the running program, each one subject.
package apptest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Run runs a command of the program, with no FILMSTRIP_ variables but the given ones.
func Run(t testing.TB, environment map[string]string, input string, args ...string) Outcome {
	t.Helper()
	process := exec.CommandContext(t.Context(), Binary(t), args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "FILMSTRIP_") {
			process.Env = append(process.Env, variable)
		}
	}
	for name, value := range environment {
		process.Env = append(process.Env, name+"="+value)
	}
	var out, faults bytes.Buffer
	process.Stdin, process.Stdout, process.Stderr = strings.NewReader(input), &out, &faults
	if err := process.Run(); process.ProcessState == nil {
		t.Fatal(err)
	}
	return Outcome{process.ProcessState.ExitCode(), out.String(), faults.String()}
}

// Succeed runs a command that must exit with status 0 and print nothing to standard error, and returns its output.
func Succeed(t testing.TB, args ...string) string {
	t.Helper()
	got := Run(t, nil, "", args...)
	if got.Status != 0 || got.Err != "" {
		t.Fatalf("filmstrip %s: status %d: %s", strings.Join(args, " "), got.Status, got.Err)
	}
	return got.Out
}

// Outcome is the result of a command.
type Outcome struct {
	Status   int
	Out, Err string
}

// Must returns the value of a call, or fails the test with the call's error: Must(call())(t).
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Await waits up to a minute for a condition. If the condition stays false, the test fails with the stacks of all
// goroutines.
func Await(t testing.TB, what string, isTrue func() bool) {
	t.Helper()
	if Within(time.Minute, isTrue) {
		return
	}
	stacks := make([]byte, 1<<20)
	t.Fatalf("timeout waiting for: %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
}

// Within waits for a condition and reports whether it became true within the limit.
func Within(limit time.Duration, isTrue func() bool) bool {
	for deadline := time.Now().Add(limit); !isTrue(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// bound ends programs that hang. The walk through the console takes 100 s on two slow processors without other work.
const bound = 5 * time.Minute

// Bounded returns a command that is killed after five minutes.
func Bounded(t testing.TB, name string, arguments ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	t.Cleanup(cancel)
	program := exec.CommandContext(ctx, name, arguments...)
	program.WaitDelay = 5 * time.Second // for children that hold its output open
	return program
}

// WriteFile writes a temporary file and returns its path.
func WriteFile(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
