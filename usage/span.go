package usage

import "github.com/filmstrip/filmstrip/event"

// Span is the record of a verified part of the event log (package usage/counting). Stores do not interpret it.
type Span struct {
	// The span contains the events after From, up to To.
	From, To event.Position
	// Counted is when the span was first counted, and Verified when it was last counted again.
	Counted, Verified event.Instant
	// Voids is the number of the next act (Voids.NextNumber) when the span was last counted. Dropped is the position up to
	// which events of the log were dropped then, and Skipped the number of skipped damaged events in the span.
	Voids   int64
	Dropped event.Position
	Skipped int64
	// Content is what the log contained; it is never empty. Changed is what the log contained when the span was last counted; nil if that
	// was the same.
	Content, Changed []byte
}

// Verification is the state of verifying usage.
type Verification struct {
	// Seed is a random secret of the store. It never changes.
	Seed []byte
	// State is the value that the last PutVerification stored; nil if there was none.
	State []byte
}
