package main

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestMain runs the tests. For an import that a test runs, it serves the jq program instead, because an import starts
// its own executable for that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveJQName {
		os.Exit(realMain(context.Background(), console{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:], os.Environ()))
	}
	os.Exit(apptest.Main(m, app.Release))
}

// command runs a command within this process.
func command(t testing.TB, environment map[string]string, input string, args ...string) apptest.Outcome {
	t.Helper()
	var out, faults bytes.Buffer
	variables := make([]string, 0, len(environment))
	for name, value := range environment {
		variables = append(variables, name+"="+value)
	}
	status := realMain(t.Context(), console{in: strings.NewReader(input), out: &out, err: &faults}, args, variables)
	return apptest.Outcome{Status: status, Out: out.String(), Err: faults.String()}
}

// succeed runs a command that must succeed, and returns its output.
func succeed(t testing.TB, args ...string) string {
	t.Helper()
	got := command(t, nil, "", args...)
	if got.Status != 0 || got.Err != "" {
		t.Fatalf("filmstrip %s: status %d: %s", strings.Join(args, " "), got.Status, got.Err)
	}
	return got.Out
}

// TestSignals verifies which signals stop a command, and that SIGHUP does not if the process ignores it (nohup).
func TestSignals(t *testing.T) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGHUP) // a test under nohup would ignore it
	defer signal.Stop(received)
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := untilSignal(t.Context())
		if err := syscall.Kill(os.Getpid(), sent); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
			t.Errorf("%v does not stop a command", sent)
		}
		stop()
	}
	signal.Ignore(syscall.SIGHUP)
	_, stop := untilSignal(t.Context())
	defer stop()
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("a process that ignored SIGHUP no longer does")
	}
}
