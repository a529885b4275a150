package event

import "github.com/filmstrip/filmstrip/catalogue"

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
	Events   []Event
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
	return catalogue.Errorf(catalogue.Mismatch, "the Idempotency-Key %q came before with another request", key)
}
