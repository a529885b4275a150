package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// exported contains the fields of an export's line that the tests check.
type exported struct {
	Position   event.Position
	ID         string
	Kind       string
	AccountID  string
	ReceivedAt time.Time
}

func exportedBy(t testing.TB, where []string, args ...string) []exported {
	t.Helper()
	var lines []exported
	for line := range strings.Lines(succeed(t, slices.Concat([]string{"events", "export", "--format", "jsonl"}, args, where)...)) {
		var one exported
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, one)
	}
	return lines
}

// TestEventsExport verifies that an export contains all matching events of the log, in the order of the log.
func TestEventsExport(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			where := apptest.EmptyStore(t, engine)
			succeed(t, append([]string{"generate", "events", "--count", "12500", "--accounts", "3", "--append"}, where...)...)
			want := slices.Collect(generate.Events(generate.EventOptions{
				Count: 12_500, Accounts: []string{"generated-1", "generated-2", "generated-3"}, Videos: 10_000, Seed: 1,
				From: usage.Month{Year: 2025, Month: time.January}.Start(), To: usage.Month{Year: 2026, Month: time.January}.Start(),
			}))
			all := exportedBy(t, where)
			if len(all) != len(want) {
				t.Fatalf("of %d events %d are exported", len(want), len(all))
			}
			for i, got := range all {
				want[i].Position = event.Position(i + 1)
				if got.Position != want[i].Position || got.ID != want[i].ID.String() || got.AccountID != want[i].Account {
					t.Fatalf("event %d is exported as %+v", i+1, got)
				}
			}
			for _, test := range []struct {
				args string
				keep func(e *event.Event) bool
			}{
				{"--account generated-2", func(e *event.Event) bool { return e.Account == "generated-2" }},
				{"--after 12000", func(e *event.Event) bool { return e.Position > 12_000 }},
				{"--after 99999", func(e *event.Event) bool { return false }},
				{"--after 6000 --account generated-2", func(e *event.Event) bool { return e.Account == "generated-2" && e.Position > 6000 }},
				{"--kinds page_render,PLAYBACK", func(e *event.Event) bool { return true }},
				{"--kinds PAGE_RENDER", func(e *event.Event) bool { return false }},
				{"--from 2025-03-01 --to 2025-04-01", func(e *event.Event) bool {
					return usage.MonthOf(e.Received) == usage.Month{Year: 2025, Month: time.March}
				}},
				{"--from 2025-11-30T22:00:00-02:00", func(e *event.Event) bool { return e.Received.Time().Month() == time.December }},
			} {
				var kept []string
				for i := range want {
					if test.keep(&want[i]) {
						kept = append(kept, want[i].ID.String())
					}
				}
				var got []string
				for _, one := range exportedBy(t, where, strings.Fields(test.args)...) {
					got = append(got, one.ID)
				}
				if !slices.Equal(got, kept) {
					t.Errorf("%s: %d events are exported, not %d, or others", test.args, len(got), len(kept))
				}
			}
		})
	}
}

// TestEventsExportWhileEventsComeIn verifies that an export beside writes contains the log up to some event, without a
// gap.
func TestEventsExportWhileEventsComeIn(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			where := apptest.EmptyStore(t, engine)
			var writers sync.WaitGroup
			for seed := range 2 {
				writers.Go(func() {
					args := append([]string{"generate", "events", "--count", "30000", "--append", "--force", "--seed", strconv.Itoa(seed)}, where...)
					if got := command(t, nil, "", args...); got.Status != 0 {
						t.Error(got.Err)
					}
				})
			}
			ended := make(chan struct{})
			go func() { writers.Wait(); close(ended) }()
			sizes := []int{0}
			for running := true; running; {
				select {
				case <-ended:
					running = false // read the log once more
				default:
				}
				lines := exportedBy(t, where)
				for i, one := range lines {
					if one.Position != event.Position(i+1) {
						t.Fatalf("behind event %d comes %d", i, one.Position)
					}
				}
				if len(lines) < sizes[len(sizes)-1] {
					t.Fatalf("after %d events %d are exported", sizes[len(sizes)-1], len(lines))
				}
				sizes = append(sizes, len(lines))
			}
			if sizes[len(sizes)-1] != 60_000 {
				t.Errorf("the exports have %d events", sizes)
			}
		})
	}
}

// TestExportsThatCannotBe verifies that each export that cannot work states the reason and creates no file.
func TestExportsThatCannotBe(t *testing.T) {
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	empty := t.TempDir()
	for args, want := range map[string]string{
		"--format jsonl --data " + empty:                                              "there is no events.db",
		"--format jsonl --data " + filepath.Join(empty, "none"):                       "there is no events.db",
		"--format jsonl --kinds WATCHED --data " + data:                               "WATCHED",
		"--format jsonl --from 2025-02-01 --to 2025-02-01 --data " + data:             "is not after",
		"--format xapi --data " + data:                                                "base address",
		"--format caliper --base-url films --data " + data:                            "--base-url",
		"--format jsonl --output " + filepath.Join(empty, "no/x") + " --data " + data: "no such file",
		"--format jsonl --account= --data " + data:                                    "--account",
		"--format jsonl --account skool --data " + data:                               `there is no account "skool"`,
	} {
		got := command(t, nil, "", append([]string{"events", "export"}, strings.Fields(args)...)...)
		if got.Status != 1 || !strings.Contains(got.Err, want) || got.Out != "" {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	for _, args := range []string{"--format csv", "--format jsonl --from yesterday", "--format parquet extra"} {
		if got := command(t, nil, "", append([]string{"events", "export", "--data", data}, strings.Fields(args)...)...); got.Status != 2 {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	succeed(t, "accounts", "create", "school", "--name", "School", "--tier", "basic", "--data", data)
	if out := succeed(t, "events", "export", "--format", "jsonl", "--account", "school", "--data", data); out != "" {
		t.Errorf("an account without events: %s", out)
	}
	if left := apptest.Must(os.ReadDir(empty))(t); len(left) > 0 {
		t.Errorf("%s was made", left[0].Name())
	}
}

// TestOutputIsWholeOrNotThere verifies that a file gets its name only when it is complete, and that a failed export
// leaves the previous file.
func TestOutputIsWholeOrNotThere(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "events.jsonl")
	succeed(t, "migrate", "--data", data)
	succeed(t, "generate", "events", "--count", "50000", "--append", "--data", data)
	nothingElse := func(want string) {
		t.Helper()
		left := apptest.Must(os.ReadDir(folder))(t)
		if want == "" && len(left) == 0 {
			return
		}
		if len(left) != 1 || left[0].Name() != "events.jsonl" || string(apptest.Must(os.ReadFile(file))(t)) != want {
			t.Errorf("%d files are left, the first is %v", len(left), left)
		}
	}

	// The context ends as soon as the file is open, while it still has no name.
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			descriptors, _ := filepath.Glob("/proc/self/fd/*")
			for _, descriptor := range descriptors {
				if open, _ := os.Readlink(descriptor); strings.HasPrefix(open, folder+"/") {
					cancel()
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var faults bytes.Buffer
	status := realMain(ctx, console{out: io.Discard, err: &faults}, []string{"events", "export", "--format", "jsonl", "--output", file, "--data", data}, nil)
	cancel()
	if status != 1 || faults.Len() == 0 {
		t.Errorf("status %d: %s", status, faults.String())
	}
	nothingElse("")

	if out := succeed(t, "events", "export", "--format", "jsonl", "--account", "generated-1", "--output", file, "--data", data); out != "" {
		t.Errorf("it prints %s", out)
	}
	whole := succeed(t, "events", "export", "--format", "jsonl", "--account", "generated-1", "--data", data)
	nothingElse(whole)
	if mode := apptest.Must(os.Stat(file))(t).Mode(); mode.Perm() != 0o600 {
		t.Errorf("its mode is %s", mode)
	}

	full := errors.New("no room")
	if err := writeOutput(console{}, file, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	nothingElse(whole)
}

// TestOmittedEventsAreReported verifies that an export reports the events that its format cannot express.
func TestOmittedEventsAreReported(t *testing.T) {
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, app.EventsFile)))(t)
	now := event.InstantOf(time.Now())
	if _, err := log.Append(t.Context(), []event.Submission{{Received: now, Events: []event.Event{
		{ID: event.NewID(now), Kind: event.AccessExpired, At: now, Received: now, Account: "school", Client: "lms"},
		{ID: event.NewID(now), Kind: event.PlatformInteraction, At: now, Received: now, Account: "school", Client: "lms", Subtype: "OPENED"},
	}}}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"xapi", "caliper"} {
		got := command(t, nil, "", "events", "export", "--format", format, "--base-url", "https://films.example/", "--data", data)
		if got.Status != 0 || strings.Count(got.Out, "\n") != 1 || !strings.Contains(got.Err, "cannot express 1 of these events") {
			t.Errorf("%s: status %d: %s%s", format, got.Status, got.Out, got.Err)
		}
		if !strings.Contains(got.Out, `"https://films.example/clients/lms"`) {
			t.Errorf("%s names the client otherwise: %s", format, got.Out)
		}
	}
}

// TestGenerateEvents verifies that the same seed generates the same events, that invalid options are refused, and that
// --append adds the events to a log.
func TestGenerateEvents(t *testing.T) {
	first := succeed(t, "generate", "events", "--count", "1200")
	if again := succeed(t, "generate", "events", "--count", "1200", "--seed", "1"); again != first || strings.Count(first, "\n") != 3 {
		t.Error("the same seed gives other events, or they are not in three batches")
	}
	if other := succeed(t, "generate", "events", "--count", "1200", "--seed", "2"); other == first {
		t.Error("another seed gives the same events")
	}
	for _, args := range []string{"--count=-1", "--count 1 --accounts 0", "--count 1 --videos 0", "--count 1 --persons 0", "--count 1 --interactions", "--count 1 --force", "--count 1 --from 2025-01-01 --to 2025-01-01T00:30:00Z", "--count 1 --append --data " + t.TempDir()} {
		if got := command(t, nil, "", append([]string{"generate", "events"}, strings.Fields(args)...)...); got.Status == 0 || got.Err == "" {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	if output := succeed(t, "generate", "events", "--count", "10001", "--account", "school", "--append", "--data", data); !strings.HasPrefix(output, "10001 events in ") {
		t.Errorf("the output is %s", output)
	}
	more := []string{"generate", "events", "--count", "5", "--append", "--data", data}
	if got := command(t, nil, "", more...); got.Status != 1 || !strings.Contains(got.Err, "has 10001 events already") {
		t.Errorf("a log that has events: status %d: %s", got.Status, got.Err)
	}
	used := t.TempDir()
	succeed(t, "migrate", "--data", used)
	unlock := apptest.Must(app.LockData(used))(t)
	if got := command(t, nil, "", "generate", "events", "--count", "5", "--append", "--data", used); got.Status != 1 || !strings.Contains(got.Err, "a server is running") {
		t.Errorf("a directory in use: status %d: %s", got.Status, got.Err)
	}
	succeed(t, "generate", "events", "--count", "5", "--append", "--force", "--data", used)
	if err := unlock(); err != nil {
		t.Error(err)
	}
	lines := exportedBy(t, []string{"--data", data})
	if len(lines) != 10_001 || lines[10_000].AccountID != "school" {
		t.Errorf("there are %d events", len(lines))
	}
}
