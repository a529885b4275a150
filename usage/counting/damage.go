package counting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// DamagedError reports rows of the event log that cannot be read. Every reader of the log stops at the first of them.
type DamagedError struct {
	found []positions
	// note is appended by the reader, for example to say what it left unchanged.
	note  string
	cause error
}

// Error implements error. It names the positions and a remedy.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s%s: %v. %s", e.Where(), e.note, e.cause, e.Remedy())
}

// Unwrap returns the error of the log.
func (e *DamagedError) Unwrap() error { return e.cause }

// Where names the first twenty ranges of positions that cannot be read.
func (e *DamagedError) Where() string { return "the event log cannot be read at " + named(e.found) }

// maxNamedRanges is the greatest number of ranges in a remedy; the next ones are named once these are skipped.
const maxNamedRanges = 100

// Remedy returns what an operator can do, with the command that skips exactly these events.
func (e *DamagedError) Remedy() string {
	var ranges []string
	for _, p := range e.found[:min(len(e.found), maxNamedRanges)] {
		text := fmt.Sprint(p.from)
		if p.to > p.from {
			text = fmt.Sprintf("%d-%d", p.from, p.to)
		}
		ranges = append(ranges, text)
	}
	return "Restore the event log from a backup, or skip exactly these events, so that they are on no bill: " +
		"filmstrip usage skip-damaged --position " + strings.Join(ranges, ",") + " --reason TEXT"
}

// Damage explains an error of a reader of the log. If rows behind a position, up to another, cannot be read, it returns a
// *DamagedError that wraps the error, otherwise the error itself. It searches only if the error is of code Internal, as for a
// damaged row.
func Damage(ctx context.Context, log store.Events, after, upTo event.Position, err error) error {
	var known *DamagedError
	if err == nil || fault.CodeOf(err) != fault.Internal || ctx.Err() != nil || errors.As(err, &known) {
		return err
	}
	if found := damaged(ctx, log, after, upTo); len(found) > 0 {
		return &DamagedError{found: found, cause: err}
	}
	return err
}

// positions is a range, both ends included.
type positions struct{ from, to event.Position }

// maxProbes is the greatest number of reads that search for damaged events.
const maxProbes = 20_000

// damaged finds the positions behind one, up to another, that cannot be read.
func damaged(ctx context.Context, log store.Events, after, upTo event.Position) (found []positions) {
	probes := 0
	readable := func(from, to event.Position) bool {
		probes++
		_, err := log.Read(ctx, store.EventQuery{UpTo: to, Dropped: to}, from-1, int(to-from+1))
		return fault.CodeOf(err) != fault.Internal
	}
	var search func(from, to event.Position)
	search = func(from, to event.Position) {
		switch {
		case ctx.Err() != nil || readable(from, to):
		case from == to || probes > maxProbes:
			if last := len(found) - 1; last >= 0 && found[last].to == from-1 {
				found[last].to = to
			} else {
				found = append(found, positions{from, to})
			}
		default:
			middle := from + (to-from)/2
			search(from, middle)
			search(middle+1, to)
		}
	}
	for from := max(0, after) + 1; from <= upTo; from += maxRead {
		search(from, min(upTo, from+maxRead-1))
	}
	return found
}

// namedDamages is the number of ranges that an error names.
const namedDamages = 20

func named(damaged []positions) string {
	var texts []string
	for _, p := range damaged[:min(len(damaged), namedDamages)] {
		text := fmt.Sprintf("position %d", p.from)
		if p.to > p.from {
			text = fmt.Sprintf("positions %d to %d", p.from, p.to)
		}
		texts = append(texts, text)
	}
	if more := len(damaged) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more places", more))
	}
	return strings.Join(texts, ", ")
}

// explained is the last result of explain.
type explained struct {
	position event.Position
	at       time.Time
	found    []positions
}

const (
	// explainEvery is the time between two searches for damaged rows at one position.
	explainEvery = time.Minute
	// maxExplained is how many positions behind the counts are searched.
	maxExplained = 1_000_000
)

// explain is Damage for the position at which counting stopped. As long as it fails there, it searches once a minute.
// minute.
func (c *Counter) explain(ctx context.Context, err error) error {
	if err == nil || fault.CodeOf(err) != fault.Internal || ctx.Err() != nil {
		return err
	}
	position := c.position.Load()
	if last := c.explained.Load(); last != nil && last.position == position && time.Since(last.at) < explainEvery {
		return cmp.Or[error](errorOf(last.found, err), err)
	}
	// The event at the position itself is read, too, to recognize the log.
	found := damaged(ctx, c.Log, position-1, min(c.head.Load(), position+maxExplained))
	if ctx.Err() == nil {
		c.explained.Store(&explained{position, time.Now(), found})
	}
	return cmp.Or[error](errorOf(found, err), err)
}

func errorOf(found []positions, cause error) error {
	if len(found) == 0 {
		return nil
	}
	return &DamagedError{found: found, cause: cause}
}

// needsRepair reports whether counting fails until an operator repairs something.
func needsRepair(err error) bool {
	var damaged *DamagedError
	return fault.CodeOf(err) == fault.Conflict || errors.As(err, &damaged)
}
