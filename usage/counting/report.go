package counting

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// maxDifferences is how many differences a Report names.
const maxDifferences = 100

// Report is what Verify found.
type Report struct {
	// At is when it began, Took how long it went on.
	At   time.Time
	Took time.Duration
	// From and UpTo are the positions of the events that were counted again: those behind From, up to UpTo.
	From, UpTo event.Position
	// Events is how many there were, Plays how many of them are plays.
	Events, Plays int64
	// Skipped is how many damaged events between From and UpTo an operator has skipped: no reader counts them.
	Skipped int64
	// Sums is how many sums of the ledger were compared with the log, Statements how many statements were
	// composed again.
	Sums, Statements int
	// Unchecked lists the months of play, the earliest first, of whose sums some could not be compared with
	// raw events, because these were dropped.
	Unchecked []usage.Month
	// Published is how many published digests were compared with, and Unpublished the months of seals behind the last
	// of them (VerifyAgainst).
	Published   int
	Unpublished []usage.Month
	// Differences are what does not agree, the first hundred of them; Different is how many there are.
	Differences []usage.Difference
	Different   int
}

// Agrees reports whether nothing differs.
func (r *Report) Agrees() bool { return r.Different == 0 }

func (r *Report) add(differences ...usage.Difference) {
	r.Different += len(differences)
	r.Differences = append(r.Differences, differences[:min(len(differences), maxDifferences-len(r.Differences))]...)
}
