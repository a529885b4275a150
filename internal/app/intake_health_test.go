package app

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// failingLog is a log that returns the errors of a test.
type failingLog struct{ append, check error }

func (l *failingLog) Append(context.Context, []event.Submission) ([]event.Verdict, error) {
	return nil, l.append
}

func (l *failingLog) CheckWritable(context.Context, event.Instant) error { return l.check }

// TestIntakeHealth verifies that a failed append counts at once, until another append succeeds or checks succeed for a
// minute. Without events, two failed checks count.
func TestIntakeHealth(t *testing.T) {
	full := fault.Errorf(fault.Unavailable, "the disk is full")
	log := &failingLog{}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	h := newIntakeHealth(log, slog.New(slog.NewTextHandler(io.Discard, nil)))
	h.now = func() time.Time { return now }
	steps := []struct {
		what          string
		append, check error
		appends       bool
		after         time.Duration
		want          error
	}{
		{what: "a check"},
		{what: "a failed check", check: full},
		{what: "a second failed check", check: full, want: full},
		{what: "a check that succeeds"},
		{what: "a failed append", appends: true, append: full, want: full},
		{what: "a check soon after", after: 15 * time.Second, want: full},
		{what: "a check a minute after", after: 46 * time.Second},
		{what: "an append that the log refuses", appends: true, append: fault.InvalidRequest("no")},
		{what: "a log that is damaged", appends: true, append: errDamaged, want: errDamaged},
		{what: "an append that succeeds", appends: true},
		{what: "no check so soon after an append", check: full, after: time.Second},
	}
	for _, step := range steps {
		now = now.Add(step.after)
		log.append, log.check = step.append, step.check
		if step.appends {
			_, _ = h.Append(t.Context(), nil)
		} else {
			h.check(t.Context())
		}
		if got := h.fault(); !errors.Is(got, step.want) || (got == nil) != (step.want == nil) {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
}

var errDamaged = errors.New("malformed")

// exposed returns the metrics of a service.
func exposed(s *App) string {
	recorder := httptest.NewRecorder()
	s.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	return recorder.Body.String()
}

// component returns the state of one component in /readyz, and the status of the response.
func component(t testing.TB, s *App, name string) (status int, state engineState) {
	t.Helper()
	got := send(s, "GET", "/readyz", "")
	var body struct{ Engines map[string]engineState }
	if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, got.Body)
	}
	return got.Code, body.Engines[name]
}

// wantDegraded waits until a component is degraded for a reason and with a remedy. /readyz must answer 200, and the
// metrics must agree.
func wantDegraded(t testing.TB, s *App, name, reason, remedy string) engineState {
	t.Helper()
	var state engineState
	apptest.Await(t, name+" is degraded", func() bool {
		var status int
		status, state = component(t, s, name)
		return status == http.StatusOK && state.Status == stateDegraded
	})
	if !strings.Contains(state.Detail, reason) || !strings.Contains(state.Remedy, remedy) {
		t.Errorf("%s is %+v, want the reason %q and the remedy %q", name, state, reason, remedy)
	}
	return state
}

func wantUp(t testing.TB, s *App, name string) {
	t.Helper()
	apptest.Await(t, name+" is up", func() bool {
		status, state := component(t, s, name)
		return status == http.StatusOK && state.Status == stateUp
	})
}

// TestStuckCounter verifies the health of a server that stores events but cannot count them, because the store of usage
// is read-only.
func TestStuckCounter(t *testing.T) {
	data := t.TempDir()
	s := openWith(t, "--demo", "--data", data)
	s.usage.stallAfter = 3 * time.Second // longer than the interval between two checks
	apptest.Await(t, "everything can be searched for", func() bool { return s.caughtUp(t.Context()) })
	wantUp(t, s, "usage")
	other := apptest.Must(sql.Open("sqlite", "file:"+filepath.Join(data, UsageFile)+"?_txlock=immediate"))(t)
	defer other.Close()
	tx := apptest.Must(other.BeginTx(t.Context(), nil))(t)
	apptest.Must(s.stores.Events.Append(t.Context(), []event.Submission{{Events: []event.Event{{Kind: event.Playback, At: 1, Received: 1, Account: "school", End: 1000}}}}))(t)
	wantDegraded(t, s, "usage", "1 events are not counted", "check disk space")
	apptest.Must(0, tx.Rollback())(t)
	wantUp(t, s, "usage")
}

// TestScarceDisk verifies the health of an idle server whose disk is nearly full.
func TestScarceDisk(t *testing.T) {
	s := openWith(t, "--demo", "--data", t.TempDir())
	apptest.Await(t, "everything can be searched for", func() bool { return s.caughtUp(t.Context()) })
	wantUp(t, s, "events")
	for free, says := range map[int64]string{200 << 20: "only 200 MiB are free on the disk of the event log, less than --min-free-disk (256 MiB)", 0: "only 0 MiB"} {
		disk := &freeDisk{least: 256 << 20}
		disk.free.Store(free)
		disk.isLow.Store(true)
		s.usage.disk = disk
		wantDegraded(t, s, "events", says, "free disk space")
	}
	floorless := &freeDisk{}
	floorless.free.Store(15 << 20)
	s.usage.disk = floorless
	wantDegraded(t, s, "events", "only 15 MiB are free on the disk of the event log", "free disk space")
	floorless.free.Store(16 << 20)
	wantUp(t, s, "events")
}

// TestDamagedEvent verifies on both stores that counting stops at an unreadable event, that /readyz names the event and
// the command that skips it, and that counting continues after the command ran.
func TestDamagedEvent(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 100)
			run("usage", "recount")
			run("generate", "events", "--count", "50", "--account", "school", "--append", "--force")
			damageRow(t, where, 120)
			damageRow(t, where, 131)
			s := openWith(t, append([]string{"--base-url", "http://localhost"}, where...)...)
			state := wantDegraded(t, s, "usage", "the event log cannot be read at position 120, position 131", "filmstrip usage skip-damaged --position 120,131 --reason TEXT")
			if metrics := exposed(s); !strings.Contains(metrics, `filmstrip_engine_state{engine="usage",state="degraded"} 1`) {
				t.Error("the metrics do not show the damaged event")
			}
			got := apptest.Run(t, nil, "", append([]string{"usage", "skip-damaged", "--position", "119-120", "--reason", "why"}, where...)...)
			if got.Status == 0 || !strings.Contains(got.Err, "position 119 can be read") {
				t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
			}
			_, after := component(t, s, "usage")
			if after.Status != stateDegraded || after.Detail != state.Detail {
				t.Errorf("after a refused command: %+v", after)
			}
			if got := run("usage", "skip-damaged", "--position", "120,131", "--reason", "bad sector"); got != "2 damaged events are skipped\n" {
				t.Errorf("skipping prints %q", got)
			}
			apptest.Await(t, "all is counted", func() bool { return s.usage.counter.Stats().Position == 150 })
			wantUp(t, s, "usage")
			if got := run("usage", "verify"); !strings.Contains(got, "counted again: 148 events") || !strings.Contains(got, "omitted as damaged: 2 events") {
				t.Errorf("verifying: %s", got)
			}
			before := run("usage", "export", "--account", "school", "--month", "2025-03", "--format", "csv")
			run("usage", "recount")
			run("usage", "verify")
			if after := run("usage", "export", "--account", "school", "--month", "2025-03", "--format", "csv"); after != before {
				t.Errorf("the statement was\n%s\nand is after a recount\n%s", before, after)
			}
			if entries := run("audit", "--json"); !strings.Contains(entries, "bad sector") {
				t.Errorf("the audit log contains %s", entries)
			}
		})
	}
}

// damageRow makes the row of an event undecodable.
func damageRow(t *testing.T, where []string, position event.Position) {
	t.Helper()
	for i, name := range where {
		switch name {
		case "--data":
			if file := filepath.Join(where[i+1], EventsFile); len(where) == 2 {
				handle := apptest.Must(sql.Open("sqlite", "file:"+file))(t)
				defer handle.Close()
				apptest.Must(handle.ExecContext(t.Context(), `UPDATE events SET id = x'00' WHERE position = ?`, position))(t)
			}
		case "--store":
			connection := apptest.Must(pgx.Connect(t.Context(), where[i+1]))(t)
			defer connection.Close(t.Context())
			apptest.Must(connection.Exec(t.Context(), `UPDATE events SET video = '\xff' WHERE position = $1`, position))(t)
		}
	}
}
