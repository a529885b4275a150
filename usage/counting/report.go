package counting

import (
	"fmt"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// maxDifferences is the greatest number of differences in a Report.
const maxDifferences = 100

// Report is the result of Verify or VerifyNext.
type Report struct {
	// At is when it began, Took how long it took.
	At   time.Time
	Took time.Duration
	// From and UpTo are the positions of the compared events: those behind From, up to UpTo.
	From, UpTo event.Position
	// Incremental reports that the result is of VerifyNext. Recounted is the number of events that it read, and Since the time
	// since which every compared event was counted again.
	Incremental bool
	Recounted   int64
	Since       time.Time
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

// Lines returns the report as lines of text.
func (r *Report) Lines() []string {
	lines := []string{
		fmt.Sprintf("counted again: %d events after %d, up to %d, of which %d are plays", r.Events, r.From, r.UpTo, r.Plays),
		fmt.Sprintf("compared: %d sums, %d statements", r.Sums, r.Statements),
	}
	if r.Incremental {
		lines[0] = fmt.Sprintf("counted again since %s: %d events after %d, up to %d, of which %d are plays; %d of the events in this run",
			r.Since.UTC().Format(time.RFC3339), r.Events, r.From, r.UpTo, r.Plays, r.Recounted)
	}
	add := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	if r.Skipped > 0 {
		add("omitted as damaged: %d events (usage skip-damaged)", r.Skipped)
	}
	if len(r.Unchecked) > 0 {
		add("not fully compared, because raw events were dropped: %s", monthNames(r.Unchecked))
	}
	if r.Published > 0 {
		add("compared with published digests: %d", r.Published)
	}
	if len(r.Unpublished) > 0 {
		add("sealed and not published: %s", monthNames(r.Unpublished))
	}
	if r.Agrees() {
		return append(lines, "nothing differs")
	}
	add("differences: %d", r.Different)
	for _, difference := range r.Differences {
		add("  %s", difference)
	}
	if named := len(r.Differences); named < r.Different {
		add("  and %d more", r.Different-named)
	}
	return lines
}

func monthNames(months []usage.Month) string {
	names := make([]string, len(months))
	for i, month := range months {
		names[i] = month.String()
	}
	return strings.Join(names, ", ")
}
