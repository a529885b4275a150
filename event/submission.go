package event

import (
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// KeyLength is the longest Idempotency-Key, in bytes.
const KeyLength = 255

// KeyMemory is for how long an Idempotency-Key is remembered at least.
const KeyMemory = 48 * Hour

// Hour is an hour in milliseconds.
const Hour Instant = 3_600_000

// Submission is what one request brings: its events are stored all, or none is.
type Submission struct {
	// Client is whose Key this is; keys of different clients have nothing to do with one another.
	Client string
	// Key is the Idempotency-Key, "": there is none, and the submission is never a repetition.
	Key string
	// Fingerprint tells requests with one key apart: it is the same where they ask for the same.
	Fingerprint [32]byte
	// Received is when the request arrived.
	Received Instant
	// Viewing is the opened page of an embed that sends the events; nil: it is no page of an embed.
	Viewing *Viewing
	Events  []Event
}

// Viewing is one opened page of an embed: all tokens that the page is given belong to it.
type Viewing struct {
	// ID is unique.
	ID string
	// Opened is when the page was opened.
	Opened Instant
}

// ViewingSpeed is how many milliseconds at most count in a viewing for each millisecond since the page was opened:
// players play at up to four times the speed.
const ViewingSpeed = 4

// ViewingLife is for how long at most events of a viewing come in: for as long as an embed lives, and a day more for
// clocks that differ. What is known of an older viewing is of no use.
const ViewingLife = 32 * 24 * Hour

// Bound returns the events of a submission with Counted no more than the viewing allows: together with counted, what
// has counted in the viewing so far, at most ViewingSpeed times the time from Opened to Received. The first events are
// served first. now is what counts in the viewing with these events. The list that is given does not change.
func (v *Viewing) Bound(events []Event, counted int64) (bounded []Event, now int64) {
	bounded = slices.Clone(events)
	for i := range bounded {
		e := &bounded[i]
		left := max(0, int64(e.Received-v.Opened)*ViewingSpeed-counted)
		e.Counted = min(e.Counted, left)
		counted += e.Counted
	}
	return bounded, counted
}

// Verdict is what became of a submission that Append took.
type Verdict uint8

// The verdicts.
const (
	// Stored: its events are in the log.
	Stored Verdict = iota + 1
	// Repeated: the key came before with the same fingerprint; the events of then are in the log, these
	// are not.
	Repeated
	// Mismatched: the key came before with another fingerprint; nothing was stored.
	Mismatched
)

// ErrMismatched is what a caller is told whose submission is Mismatched.
func ErrMismatched(key string) error {
	return fault.Errorf(fault.Mismatch, "the Idempotency-Key %q came before with another request", key)
}
