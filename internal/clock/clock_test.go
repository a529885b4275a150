package clock_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/clock"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// machine is a machine that runs processes on a log. The test sets its clocks.
type machine struct {
	*testing.T
	log     *sqlite.Events
	reading clock.Reading
	text    bytes.Buffer
}

func newMachine(t *testing.T) *machine {
	log, err := sqlite.OpenEvents(t.Context(), filepath.Join(t.TempDir(), "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return &machine{T: t, log: log, reading: clock.Reading{Wall: noon, SinceBoot: time.Hour, Boot: "first"}}
}

// process starts a process on the machine.
func (m *machine) process() *clock.Watch {
	return clock.New(clock.Options{
		Log: m.log, Read: func() clock.Reading { return m.reading }, Logger: slog.New(slog.NewTextHandler(&m.text, nil)),
	})
}

// pass advances both clocks by both, and then moves the wall clock by wall.
func (m *machine) pass(both, wall time.Duration) {
	m.reading.SinceBoot += both
	m.reading.Wall = m.reading.Wall.Add(both + wall)
}

func (m *machine) want(w *clock.Watch, reason string) {
	m.Helper()
	hold, err := w.Check(m.Context())
	if err != nil {
		m.Fatal(err)
	}
	switch {
	case (hold == nil) != (reason == "") || hold != nil && !strings.Contains(hold.Reason, reason):
		m.Errorf("the hold is %+v, want %q", hold, reason)
	case w.MayDelete(m.Context()) != (reason == ""):
		m.Error("MayDelete and Check differ")
	case (w.Hold() == nil) != (hold == nil):
		m.Error("Hold and Check differ")
	}
}

func (m *machine) confirm() {
	m.Helper()
	if _, err := clock.Confirm(m.Context(), m.log, m.reading.Wall); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) receive(at time.Time) {
	m.Helper()
	received := event.InstantOf(at)
	_, err := m.log.Append(m.Context(), []event.Submission{{Received: received, Events: []event.Event{{Kind: event.PageRender, At: received, Received: received}}}})
	if err != nil {
		m.Fatal(err)
	}
}

// TestMovedClock checks that no process trusts a wall clock that has moved an hour or more against the boot-time clock,
// not even a new process, until an operator confirms it.
func TestMovedClock(t *testing.T) {
	for _, moved := range []time.Duration{59 * time.Minute, -59 * time.Minute, 61 * time.Minute, -61 * time.Minute, 10 * 365 * 24 * time.Hour} {
		t.Run(moved.String(), func(t *testing.T) {
			m := newMachine(t)
			w, reason := m.process(), "moved by"
			m.want(w, "")
			m.pass(400*24*time.Hour, 0) // The uptime does not matter.
			m.want(w, "")
			m.pass(time.Minute, moved)
			if moved.Abs() < time.Hour {
				reason = ""
			}
			m.want(w, reason)
			m.want(m.process(), reason)
			m.pass(time.Minute, -moved) // The clock is right again, but nobody knows what happened meanwhile.
			m.want(w, reason)
			m.want(m.process(), reason)
			m.confirm()
			m.want(w, "")
			m.want(m.process(), "")
			if count := strings.Count(m.text.String(), "level=ERROR"); (count > 0) != (reason != "") || count > 3 {
				t.Errorf("the log says\n%s", m.text.String())
			}
		})
	}
}

// TestClockMovesWhileNothingRuns checks that a new process compares the clock with the offset that was recorded after
// the boot.
func TestClockMovesWhileNothingRuns(t *testing.T) {
	m := newMachine(t)
	m.want(m.process(), "")
	m.pass(time.Hour, 3*time.Hour)
	m.want(m.process(), "moved by 3h0m0s")
	m.confirm() // This confirms the current time.
	m.want(m.process(), "")
	m.pass(0, -3*time.Hour)
	m.want(m.process(), "moved by -3h0m0s")
}

// TestHoldOutlivesABoot checks that a reboot does not lift a hold.
func TestHoldOutlivesABoot(t *testing.T) {
	m := newMachine(t)
	w := m.process()
	m.want(w, "")
	m.pass(0, 2*time.Hour)
	m.want(w, "moved by")
	m.reading.Boot, m.reading.SinceBoot = "second", 0
	m.want(m.process(), "moved by")
	m.confirm()
	m.want(m.process(), "")
}

// TestOtherMachines checks that a hold of one machine stops all machines, and that each machine compares its clock with
// its own boot.
func TestOtherMachines(t *testing.T) {
	m := newMachine(t)
	w := m.process()
	m.want(w, "")
	other := &machine{T: t, log: m.log, reading: clock.Reading{Wall: noon.Add(30 * time.Minute), SinceBoot: 5 * time.Hour, Boot: "other"}}
	m.want(other.process(), "")
	m.pass(0, -90*time.Minute)
	m.want(w, "moved by")
	m.want(other.process(), "moved by")
}

// TestWithoutABootID checks that a process without a boot ID compares its clocks from its own start, and records no
// boot.
func TestWithoutABootID(t *testing.T) {
	m := newMachine(t)
	m.reading.Boot = ""
	w := m.process()
	m.want(w, "")
	m.pass(time.Hour, 90*time.Minute)
	m.want(w, "moved by")
	m.confirm()
	m.want(w, "")
	if record, err := m.log.ClockRecord(t.Context()); err != nil || len(record.Boots) != 0 {
		t.Errorf("%+v is noted (%v)", record, err)
	}
}

// TestClockBehindTheLog checks that a wall clock more than an hour behind the newest event is not trusted, until an
// operator confirms that the event is wrong.
func TestClockBehindTheLog(t *testing.T) {
	m := newMachine(t)
	m.receive(noon.Add(time.Hour))
	m.want(m.process(), "")
	m.receive(noon.Add(time.Hour + time.Millisecond))
	m.want(m.process(), "the newest event was received at")
	m.confirm()
	w := m.process()
	m.want(w, "")
	m.receive(noon.Add(2 * time.Hour))
	m.want(w, "the newest event was received at")
}

// TestBootsAreBounded checks that the record contains at most 100 boots.
func TestBootsAreBounded(t *testing.T) {
	m := newMachine(t)
	for i := range 150 {
		m.reading = clock.Reading{Wall: noon.Add(time.Duration(i) * time.Minute), Boot: fmt.Sprint(i)}
		m.want(m.process(), "")
	}
	record, err := m.log.ClockRecord(t.Context())
	if _, last := record.Boots["149"]; err != nil || len(record.Boots) != 100 || !last {
		t.Errorf("%d boots are noted (%v)", len(record.Boots), err)
	}
}

// TestThisMachine checks that the real clocks of this machine agree with each other.
func TestThisMachine(t *testing.T) {
	m := newMachine(t)
	w := clock.New(clock.Options{Log: m.log})
	m.want(w, "")
	m.want(w, "")
}

// TestUnknown checks that deletions stop while the clock record cannot be read.
func TestUnknown(t *testing.T) {
	m := newMachine(t)
	w := m.process()
	if err := m.log.Close(); err != nil {
		t.Fatal(err)
	}
	if w.MayDelete(t.Context()) {
		t.Error("deletions continue without an answer")
	}
}
