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
	// intakeCheckEvery is the time between two checks of an event log in which nothing is stored.
	intakeCheckEvery = 15 * time.Second
	// intakeMemory is how long a failed append shows, unless another succeeds: a check stores less than an append.
	intakeMemory = time.Minute
	// failedChecks is how many checks in a row fail before they count: one may have waited for a busy writer.
	failedChecks = 2
)

// intakeLog is what an intakeHealth asks of the event log.
type intakeLog interface {
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
	CheckWritable(ctx context.Context, at event.Instant) error
}

// intakeHealth knows whether events can be stored: from appends and, where nobody sends events, from checks. It may be
// used concurrently.
type intakeHealth struct {
	log    intakeLog
	logger *slog.Logger
	now    func() time.Time

	mu sync.Mutex
	// storedAt is when the last append succeeded, failedAt when the last one failed and appendErr its error; nil after
	// one that succeeded.
	storedAt, failedAt time.Time
	appendErr          error
	// checkErr is the error of the last of the checks that failed in a row.
	checkErr error
	failed   int
}

func newIntakeHealth(log intakeLog, logger *slog.Logger) *intakeHealth {
	return &intakeHealth{log: log, logger: logger, now: time.Now}
}

// Append implements commits.Log.
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

// isLogFault reports whether an error is the log's, not that of what it was asked to store.
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

// fault returns why events cannot be stored, nil where they can.
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

// publicReason is what /readyz says of an error: the message of a known one. Others may name hosts and files, and are
// for the server's log.
func publicReason(err error) string {
	var known *fault.Error
	if errors.As(err, &known) && known.Message != "" {
		return known.Message
	}
	return "the server's log has the error"
}
