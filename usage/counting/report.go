package counting

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// maxDifferences is the greatest number of differences in a Report.
const maxDifferences = 100

// Report is the result of Verify.
type Report struct {
	// At is when it began, Took how long it took.
	At   time.Time
	Took time.Duration
	// From and UpTo are the positions of the events that were counted again: those behind From, up to UpTo.
	From, UpTo event.Position
	// Events is their number, Plays the number of plays among them.
	Events, Plays int64
	// Skipped is the number of damaged events between From and UpTo that an operator has skipped: no reader counts them.
	Skipped int64
	// Sums is the number of sums of the ledger that were compared with the log, Statements the number of statements that
	// were composed again.
	Sums, Statements int
	// Unchecked lists the months of play, in order, of whose sums some could not be compared with raw events because these
	// were dropped.
	Unchecked []usage.Month
	// Published is the number of published digests that were compared, and Unpublished the months of the seals behind the
	// last of them (VerifyAgainst).
	Published   int
	Unpublished []usage.Month
	// Differences are the first hundred differences; Different is their number.
	Differences []usage.Difference
	Different   int
}

// Agrees reports whether nothing differs.
func (r *Report) Agrees() bool { return r.Different == 0 }

func (r *Report) add(differences ...usage.Difference) {
	r.Different += len(differences)
	r.Differences = append(r.Differences, differences[:min(len(differences), maxDifferences-len(r.Differences))]...)
}
