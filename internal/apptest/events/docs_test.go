package events_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

var moment = regexp.MustCompile(`"timestamp":"[^"]*"`)

// TestTheEventsPage runs the commands of docs/events.md, unchanged except for the server's address. It verifies that
// the responses and the counts are those of the page.
func TestTheEventsPage(t *testing.T) {
	s := apptest.Start(t, "--demo")
	command := apptest.Bounded(t, "bash", "-c", apptest.WalkThrough(t, "events.md", s.Base))
	var faults bytes.Buffer
	command.Stderr = &faults
	reported, err := command.Output()
	if err != nil {
		t.Fatalf("%v:\n%s%s", err, reported, &faults)
	}
	refusal := strings.TrimSpace(apptest.BlocksOf(t, "events.md", "json")[0])
	want := strings.Repeat("201\n", 8) + refusal + "\n201\n201\n422\n"
	got := moment.ReplaceAllString(string(reported), `"timestamp":"…"`)
	got = strings.Replace(got, "}201", "}\n201", 1) // the body of the refusal has no trailing newline
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-the page +the program):\n", diff)
	}

	s.LogIn(demo.Account, demo.Secret)
	const all = `{ usage(from: "2026-01-01T00:00:00Z", to: "2035-01-01T00:00:00Z") { total { plays milliseconds users videos } } }`
	const counted = `"plays":5,"milliseconds":84895,"users":2,"videos":0` // no videos have these IDs
	for begun := time.Now(); !strings.Contains(s.QueryGraphQL(all), counted); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("what the page reports is counted as %s, want %s", s.QueryGraphQL(all), counted)
		}
	}
}

// TestTheFrontPage runs the commands of README.md that call the demo, unchanged, and verifies that the last one shows a
// bill. Their playback events name a video of the demo.
func TestTheFrontPage(t *testing.T) {
	for _, name := range []string{"bash", "curl"} {
		testservers.Program(t, "README.md", name)
	}
	s := apptest.Start(t, "--demo")
	script := "set -euo pipefail\n"
	for _, block := range apptest.BlocksOf(t, "../README.md", "sh") {
		if strings.Contains(block, "http://127.0.0.1:8080") {
			script += strings.ReplaceAll(block, "http://127.0.0.1:8080", s.Base)
		}
	}
	script += "\ncurl -s -o /dev/null -w '\\n%{http_code}' " + s.Base + `/v1/videos/$VIDEO "${JSON[@]}"`
	billed := regexp.MustCompile(`201\n\{"data":\{"statement":\{"seconds":[1-9][0-9]*,"lines":\[\{"client":"demo".*\n+200$`)
	for begun := time.Now(); ; { // a busy machine may not have counted the events yet
		reported, err := apptest.Bounded(t, "bash", "-c", script).Output()
		switch {
		case err == nil && billed.Match(reported):
			return
		case err != nil || time.Since(begun) > 20*time.Second:
			t.Fatalf("%v:\n%s", err, reported)
		}
	}
}

// TestTheUsagePage runs the examples of docs/usage.md: the query, as a customer and as an operator, and the commands
// that compute a checksum.
func TestTheUsagePage(t *testing.T) {
	program := apptest.Binary(t)
	for _, name := range []string{"sh", "jq", "sha256sum"} {
		testservers.Program(t, "docs/usage.md", name)
	}
	folder := t.TempDir()
	data := filepath.Join(folder, "data")
	run := func(args ...string) { t.Helper(); apptest.Succeed(t, append(args, "--data", data)...) }
	run("migrate")
	run("accounts", "create", "school", "--name", "School", "--tier", "basic")
	run("generate", "events", "--count", "2000", "--account", "school", "--append", "--from", "2026-10-01", "--to", "2026-10-31")
	run("usage", "seal", "--month", "2026-10", "--force")

	shell := apptest.Bounded(t, "sh", "-e", "-c", apptest.BlocksOf(t, "usage.md", "sh")[0])
	shell.Dir, shell.Stderr = folder, os.Stderr
	shell.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	sums := strings.Fields(string(apptest.Must(shell.Output())(t)))
	if len(sums) != 3 || len(sums[0]) != 64 || sums[0] != sums[1] {
		t.Errorf("the statement has one checksum, and the commands compute another: %q", sums)
	}

	s := apptest.Start(t, "--demo", "--data", data)
	for client, plays := range map[string]bool{demo.Account: false, demo.OperatorAccount: true} {
		s.LogIn(client, demo.Secret)
		answer := s.QueryGraphQL(apptest.BlocksOf(t, "usage.md", "graphql")[0])
		if rows := strings.Count(answer, `"video":`); (rows > 0) != plays || !strings.Contains(answer, `"asOf":"2026-`) {
			t.Errorf("%s is reported %s", client, answer)
		}
	}
}
