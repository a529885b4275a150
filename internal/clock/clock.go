// Package clock watches the wall clock, which determines when old data is deleted. If the clock cannot be trusted, deletions stop until
// an operator confirms it.
package clock

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// Tolerance is how far the wall clock may differ from the boot-time clock, or be behind the newest event.
	Tolerance = time.Hour
	// checkEvery is the time between two checks of Run.
	checkEvery = 20 * time.Second
	// maxBoots is the greatest number of remembered boots; the oldest are forgotten first.
	maxBoots = 100
)

// Log is the part of the event log that a Watch needs; store.Events implements it.
type Log interface {
	Head(ctx context.Context) (event.Position, error)
	Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) ([]event.Event, error)
	ClockRecord(ctx context.Context) (store.ClockRecord, error)
	EditClockRecord(ctx context.Context, edit func(record *store.ClockRecord) error) error
}

// Reading is one reading of the clocks of a machine.
type Reading struct {
	// Wall is the wall clock, without a monotonic part.
	Wall time.Time
	// SinceBoot is the boot-time clock, which cannot be set and continues while the machine is suspended.
	SinceBoot time.Duration
	// Boot identifies the boot from which SinceBoot counts; "": SinceBoot counts from the start of the process.
	Boot string
}

func (r Reading) offset() int64 { return r.Wall.UnixMilli() - r.SinceBoot.Milliseconds() }

// Options are the settings of a Watch.
type Options struct {
	Log Log
	// Read reads the clocks; nil: those of this machine.
	Read   func() Reading
	Logger *slog.Logger
}

// Watch compares the wall clock with the boot-time clock and with the event log. It may be used concurrently.
type Watch struct {
	options Options

	mu        sync.Mutex
	noted     bool
	baseline  int64     // of Reading.offset
	confirmed time.Time // the confirmation that the baseline belongs to
	hold      *store.ClockHold
}

// New returns a Watch. It reads nothing before the first Check.
func New(options Options) *Watch {
	if options.Read == nil {
		options.Read = read
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watch{options: options}
}

// Run checks every 20 seconds until the context ends.
func (w *Watch) Run(ctx context.Context) {
	for {
		if _, err := w.Check(ctx); err != nil && ctx.Err() == nil {
			w.options.Logger.WarnContext(ctx, "the clocks could not be checked", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkEvery):
		}
	}
}

// Hold returns why deletions are stopped, as of the last Check; nil if they are not.
func (w *Watch) Hold() *store.ClockHold {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hold
}

// MayDelete checks the clocks and reports whether data may be deleted by them. If the check fails, it returns false.
func (w *Watch) MayDelete(ctx context.Context) bool {
	hold, err := w.Check(ctx)
	return err == nil && hold == nil
}

// Check compares the clocks and returns why deletions are stopped, nil if they are not. It stores a fault that it finds, which stops
// deletions in all processes on the log, and after a restart, until Confirm.
func (w *Watch) Check(ctx context.Context) (*store.ClockHold, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reading := w.options.Read()
	record, err := w.options.Log.ClockRecord(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.note(ctx, reading, &record); err != nil {
		return nil, err
	}
	if record.Hold == nil {
		reason, err := w.fault(ctx, reading, &record)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			if err := w.store(ctx, &record, reading, reason); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case record.Hold != nil && w.hold == nil:
		w.options.Logger.ErrorContext(ctx, "the wall clock is not trusted: retention and key expiry stop until an operator runs filmstrip clock confirm",
			"reason", record.Hold.Reason, "since", record.Hold.Since)
	case record.Hold == nil && w.hold != nil:
		w.options.Logger.InfoContext(ctx, "the clock was confirmed: retention and key expiry go on")
	}
	w.hold = record.Hold
	return w.hold, nil
}

// note takes the offset between the clocks that was noted first after this boot and the last confirmation, by whichever
// process, and notes it where none has.
func (w *Watch) note(ctx context.Context, reading Reading, record *store.ClockRecord) error {
	if w.noted && w.confirmed.Equal(record.ConfirmedAt) {
		return nil
	}
	if known, ok := record.Boots[reading.Boot]; ok && reading.Boot != "" {
		w.noted, w.baseline, w.confirmed = true, known.Offset, record.ConfirmedAt
		return nil
	}
	if reading.Boot != "" {
		err := w.options.Log.EditClockRecord(ctx, func(stored *store.ClockRecord) error {
			noteBoot(stored, reading)
			*record = *stored
			return nil
		})
		if err != nil {
			return err
		}
		w.noted, w.baseline, w.confirmed = true, record.Boots[reading.Boot].Offset, record.ConfirmedAt
		return nil
	}
	w.noted, w.baseline, w.confirmed = true, reading.offset(), record.ConfirmedAt
	return nil
}

// noteBoot adds the boot of a reading if it is unknown.
func noteBoot(record *store.ClockRecord, reading Reading) {
	if _, known := record.Boots[reading.Boot]; known {
		return
	}
	boots := map[string]store.ClockBoot{reading.Boot: {Offset: reading.offset(), NotedAt: reading.Wall.UTC().Truncate(time.Millisecond)}}
	newestFirst := slices.SortedFunc(maps.Keys(record.Boots), func(a, b string) int {
		return record.Boots[b].NotedAt.Compare(record.Boots[a].NotedAt)
	})
	for _, boot := range newestFirst[:min(len(newestFirst), maxBoots-1)] {
		boots[boot] = record.Boots[boot]
	}
	record.Boots = boots
}

// fault returns what is wrong with the wall clock, "" if nothing is.
func (w *Watch) fault(ctx context.Context, reading Reading, record *store.ClockRecord) (string, error) {
	if moved := time.Duration(reading.offset()-w.baseline) * time.Millisecond; moved.Abs() > Tolerance {
		return fmt.Sprintf("the wall clock of %s moved by %s against its boot-time clock, to %s",
			host(), moved.Round(time.Second), reading.Wall.UTC().Format(time.RFC3339)), nil
	}
	newest, err := Newest(ctx, w.options.Log)
	if err != nil {
		return "", err
	}
	if newest > record.ConfirmedNewest && event.InstantOf(reading.Wall.Add(Tolerance)) < newest {
		return fmt.Sprintf("the wall clock of %s says %s, and the newest event was received at %s",
			host(), reading.Wall.UTC().Format(time.RFC3339), newest), nil
	}
	return "", nil
}

// store stores a hold, unless there is one or the clocks were confirmed meanwhile.
func (w *Watch) store(ctx context.Context, record *store.ClockRecord, reading Reading, reason string) error {
	return w.options.Log.EditClockRecord(ctx, func(stored *store.ClockRecord) error {
		if stored.Hold == nil && stored.ConfirmedAt.Equal(w.confirmed) {
			stored.Hold = &store.ClockHold{Since: reading.Wall.UTC().Truncate(time.Millisecond), Reason: reason}
		}
		*record = *stored
		return nil
	})
}

// Newest returns when the last event of a log was received, 0 if there is none.
func Newest(ctx context.Context, log Log) (event.Instant, error) {
	head, err := log.Head(ctx)
	if err != nil || head == 0 {
		return 0, err
	}
	last, err := log.Read(ctx, store.EventQuery{UpTo: head, Dropped: head}, head-1, 1)
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return last[0].Received, nil
}

// Confirm ends the hold, if there is one, and returns it. From now on the wall clocks of all machines count as right.
func Confirm(ctx context.Context, log Log, now time.Time) (ended *store.ClockHold, err error) {
	newest, err := Newest(ctx, log)
	if err != nil {
		return nil, err
	}
	err = log.EditClockRecord(ctx, func(record *store.ClockRecord) error {
		ended = record.Hold
		at := now.UTC().Truncate(time.Microsecond)
		if !at.After(record.ConfirmedAt) { // the clock was set back, but this must be another confirmation
			at = record.ConfirmedAt.Add(time.Microsecond)
		}
		*record = store.ClockRecord{ConfirmedAt: at, ConfirmedNewest: max(newest, record.ConfirmedNewest)}
		return nil
	})
	return ended, err
}

func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "a server"
	}
	return name
}
