package store

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// ClockRecord contains the observations of the processes that share an event log about their wall clocks.
type ClockRecord struct {
	// Hold stops all deletions that depend on the wall clock; nil: deletions run.
	Hold *ClockHold `json:"hold,omitempty"`
	// ConfirmedAt is when an operator last confirmed the clocks; zero: never.
	ConfirmedAt time.Time `json:"confirmedAt,omitzero"`
	// ConfirmedNewest is the time of receipt of the newest event when an operator confirmed the clocks. Events up to
	// this time are no evidence that a clock is behind.
	ConfirmedNewest event.Instant `json:"confirmedNewest,omitempty"`
	// Boots are the machine boots on which a process has run since the last confirmation, by boot ID.
	Boots map[string]ClockBoot `json:"boots,omitempty"`
}

// Check returns an error with the code Conflict while a wall clock is not trusted. refused says what is refused, such as
// "2026-10 cannot be sealed".
func (r *ClockRecord) Check(refused string) error {
	if r.Hold == nil {
		return nil
	}
	return fault.Errorf(fault.Conflict, "%s while a wall clock is not trusted (%s): correct the clock and run filmstrip clock confirm", refused, r.Hold.Reason)
}

// ClockHold states since when and why deletions are stopped.
type ClockHold struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

// ClockBoot contains the clock readings of a process when it first ran after a boot.
type ClockBoot struct {
	// Offset is the wall clock, in milliseconds since 1970, minus the boot-time clock in milliseconds.
	Offset int64 `json:"offset"`
	// NotedAt is the wall clock at that moment.
	NotedAt time.Time `json:"notedAt"`
}
