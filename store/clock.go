package store

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// ClockRecord is what the processes on one event log remember of their wall clocks.
type ClockRecord struct {
	// Hold stops everything that deletes by the wall clock; nil: nothing is stopped.
	Hold *ClockHold `json:"hold,omitempty"`
	// ConfirmedAt is when an operator last confirmed the clocks; zero: never.
	ConfirmedAt time.Time `json:"confirmedAt,omitzero"`
	// ConfirmedNewest is the time of receipt of the newest event when the clocks were confirmed. Events up to then
	// are no evidence of a clock that is behind.
	ConfirmedNewest event.Instant `json:"confirmedNewest,omitempty"`
	// Boots are the machines' boots on which a process has run since the last confirmation, by boot ID.
	Boots map[string]ClockBoot `json:"boots,omitempty"`
}

// ClockHold says since when and why a ClockRecord stops deletions.
type ClockHold struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

// ClockBoot is what a process noted of its machine's clocks when it first ran after a boot.
type ClockBoot struct {
	// Offset is the wall clock minus the boot-time clock, in milliseconds since 1970.
	Offset int64 `json:"offset"`
	// NotedAt is the wall clock at that moment.
	NotedAt time.Time `json:"notedAt"`
}
