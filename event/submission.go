package event

import (
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// KeyLength is the maximum length of an Idempotency-Key, in bytes.
const KeyLength = 255

// KeyMemory is the minimum time for which the log remembers an Idempotency-Key, and the key of a play.
const KeyMemory = 48 * Hour

// Hour is an hour in milliseconds.
const Hour Instant = 3_600_000

// Submission holds the events of one request: the log stores all of them or none.
type Submission struct {
	// Client is the owner of Key. Keys of different clients are independent.
	Client string
	// Key is the Idempotency-Key; "" means none, so the submission is never a repetition.
	Key string
	// Fingerprint distinguishes requests with the same key: it is equal for equal requests.
	Fingerprint [32]byte
	// Received is the time at which the request arrived.
	Received Instant
	// Viewing is the opened page of an embed that sends the events, or nil.
	Viewing *Viewing
	Events  []Event
}

// Viewing is one opened page of an embed. All tokens that the page receives belong to it.
type Viewing struct {
	// ID is unique.
	ID string
	// Opened is the time at which the page was opened.
	Opened Instant
}

// ViewingSpeed limits how many milliseconds count in a viewing for each millisecond since it was opened, because players
// play at up to four times the speed.
const ViewingSpeed = 4

// ViewingLife is the maximum age of a viewing that still sends events: the lifetime of an embed and a day for clocks that
// differ. Data on older viewings is useless.
const ViewingLife = 32 * 24 * Hour

// Bound returns the events of a submission with Counted limited by the viewing: together with counted, the milliseconds that
// have counted in the viewing so far, at most ViewingSpeed times the time from Opened to Received. Earlier events take
// precedence. now is the new total of the viewing. Bound does not change the given list.
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

// Verdict is the result of appending a submission.
type Verdict uint8

// The verdicts.
const (
	// Stored: the events are in the log.
	Stored Verdict = iota + 1
	// Repeated: the log knows the key with the same fingerprint. It holds the events of the earlier submission, and did not
	// store these.
	Repeated
	// Mismatched: the log knows the key with another fingerprint. It stored nothing.
	Mismatched
)

// ErrMismatched is the error that callers receive for Mismatched.
func ErrMismatched(key string) error {
	return fault.Errorf(fault.Mismatch, "the Idempotency-Key %q came before with another request", key)
}
