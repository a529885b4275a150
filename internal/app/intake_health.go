package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

const (
	// intakeCheckEvery is the interval between checks of an event log that receives no events.
	intakeCheckEvery = 15 * time.Second
	// intakeMemory is how long a failed append counts unless another one succeeds: a check stores less than an append.
	intakeMemory = time.Minute
	// failedChecks is the number of consecutive failed checks that count: a single one may have waited for a busy
	// writer.
	failedChecks = 2
)

// intakeLog is the part of the event log that intakeHealth uses.
type intakeLog interface {
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
	CheckWritable(ctx context.Context, at event.Instant) error
}

// intakeHealth determines whether events can be stored: from appends and, without events, from periodic checks. It is
// safe for concurrent use.
type intakeHealth struct {
	log    intakeLog
	logger *slog.Logger
	now    func() time.Time

	mu sync.Mutex
	// storedAt is the time of the last successful append, failedAt that of the last failed one. appendErr is its error,
	// and nil after a successful one.
	storedAt, failedAt time.Time
	appendErr          error
	// checkErr is the error of the last of the consecutive failed checks.
	checkErr error
	failed   int
}

func newIntakeHealth(log intakeLog, logger *slog.Logger) *intakeHealth {
	return &intakeHealth{log: log, logger: logger, now: time.Now}
}

// Append implements intake.Log.
func (h *intakeHealth) Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error) {
	verdicts, err := h.log.Append(ctx, submissions)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.storedAt, h.appendErr, h.checkErr, h.failed = h.now(), nil, nil, 0
	case isLogFault(err):
		h.failedAt, h.appendErr = h.now(), err
	}
	return verdicts, err
}

// isLogFault reports whether an error lies in the log and not in the submitted events.
func isLogFault(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.Unavailable || code == fault.Internal
}

// run checks the log until the context ends.
func (h *intakeHealth) run(ctx context.Context) {
	every(ctx, intakeCheckEvery, func() { h.check(ctx) })
}

// check writes to the log, unless events were stored a moment ago.
func (h *intakeHealth) check(ctx context.Context) {
	now := h.now()
	h.mu.Lock()
	isFresh := now.Sub(h.storedAt) < intakeCheckEvery
	h.mu.Unlock()
	if isFresh {
		return
	}
	limited, cancel := context.WithTimeout(ctx, intakeCheckEvery)
	defer cancel()
	err := h.log.CheckWritable(limited, event.InstantOf(now))
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		if h.failed++; h.failed == failedChecks {
			h.logger.ErrorContext(ctx, "events cannot be stored", "error", err)
		}
		h.checkErr = err
		return
	}
	if h.failed >= failedChecks {
		h.logger.InfoContext(ctx, "events can be stored again")
	}
	h.failed, h.checkErr = 0, nil
	if now.Sub(h.failedAt) >= intakeMemory {
		h.appendErr = nil
	}
}

// fault returns the reason why events cannot be stored, or nil if they can.
func (h *intakeHealth) fault() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.appendErr != nil:
		return h.appendErr
	case h.failed >= failedChecks:
		return h.checkErr
	}
	return nil
}

// publicReason returns the message of a known error for /readyz. Others may name hosts and files, which only the
// server's log shows.
func publicReason(err error) string {
	var known *fault.Error
	if errors.As(err, &known) && known.Message != "" {
		return known.Message
	}
	return "the server's log has the error"
}
