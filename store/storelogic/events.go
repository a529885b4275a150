package storelogic

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

const (
	// MaxAppended is the maximum number of events in one call of Events.Append.
	MaxAppended = 100_000
	// MaxRead is the maximum number of events that one call of Events.Read returns.
	MaxRead = 10_000
)

// CheckSubmissions returns an error of code Invalid if the submissions contain more than MaxAppended events.
func CheckSubmissions(submissions []event.Submission) error {
	events := 0
	for i := range submissions {
		events += len(submissions[i].Events)
	}
	if events > MaxAppended {
		return fault.InvalidRequest("%d events are more than the %d that are stored at once", events, MaxAppended)
	}
	return nil
}

// Decide returns the verdict on a submission whose key is stored with the fingerprint before: Repeated if the
// fingerprints are equal, and otherwise Mismatched.
func Decide(submission *event.Submission, before []byte) event.Verdict {
	if string(before) == string(submission.Fingerprint[:]) {
		return event.Repeated
	}
	return event.Mismatched
}

// PersonColumns splits event.Event.Person: one of the results is the name and the other is "". Both are "" for an
// unknown person.
func PersonColumns(person string) (externalUser, user string) {
	switch {
	case person == "":
		return "", ""
	case person[0] == 'x':
		return person[1:], ""
	}
	return "", person[1:]
}

// CheckDropped returns an error of code Conflict if events after a position were dropped and the query does not accept
// that. dropped is the result of Events.Dropped.
func CheckDropped(query store.EventQuery, after, dropped event.Position) error {
	if max(after, query.Dropped) >= dropped {
		return nil
	}
	return fault.Errorf(fault.Conflict,
		"events behind position %d cannot be read in full: retention has dropped events up to position %d", after, dropped)
}

// CheckMoved returns an error of code Conflict if last, the position of the last event that was received before a month, is
// after the events that were moved.
func CheckMoved(before usage.Month, last, upTo event.Position) error {
	if last <= upTo {
		return nil
	}
	return fault.Errorf(fault.Conflict, "the event at position %d was received before %s and is not among the events up to %d that were moved", last, before, upTo)
}

// EventRange is an EventQuery in the form that statements compare with. Every bound is set.
type EventRange struct {
	Account, ExternalUser, User string
	// ExternalUsers and Users are the Names, if IsNamed is set: then the account must be equal, also if it is "".
	ExternalUsers, Users []string
	IsNamed              bool
	// Kinds has the bit 1<<kind for each kind to keep.
	Kinds int64
	// From and To bound the time of receipt. To is exclusive.
	From, To event.Instant
	UpTo     event.Position
}

// RangeOf returns the EventRange of a query for a log with a head.
func RangeOf(query store.EventQuery, head event.Position) EventRange {
	r := EventRange{Account: query.Account, From: query.From, To: query.To, UpTo: head}
	r.ExternalUser, r.User = PersonColumns(query.Person)
	r.IsNamed = len(query.Names) > 0
	for _, name := range query.Names {
		if name[0] == 'x' {
			r.ExternalUsers = append(r.ExternalUsers, name[1:])
		} else {
			r.Users = append(r.Users, name[1:])
		}
	}
	for _, kind := range query.Kinds {
		r.Kinds |= 1 << kind
	}
	if len(query.Kinds) == 0 {
		r.Kinds = math.MaxInt64
	}
	if r.From == 0 {
		r.From = math.MinInt64
	}
	if r.To == 0 {
		r.To = math.MaxInt64
	}
	if query.UpTo > 0 {
		r.UpTo = min(r.UpTo, query.UpTo)
	}
	return r
}

// CheckStored returns an error of code Internal if a text of an event from a row is not UTF-8, because then the row is
// damaged.
func CheckStored(e *event.Event) error {
	for _, text := range [...]string{e.Account, e.Client, e.User, e.ExternalUser, e.Video, e.Subtype, e.Trace, e.Referer} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("the event at position %d is damaged: a text is not UTF-8", e.Position)
		}
	}
	return nil
}

// SkipsOf returns the events of a SkipDamaged call that must be recorded. skipped are the recorded positions, in order.
// read reports whether the log has an event at a position; its error is of code Internal if the row is damaged.
func SkipsOf(events []store.SkippedEvent, head event.Position, skipped []event.Position, read func(event.Position) (bool, error)) (fresh []store.SkippedEvent, err error) {
	if len(events) > store.MaxSkipped {
		return nil, fault.InvalidRequest("%d events are more than the %d that are skipped at once", len(events), store.MaxSkipped)
	}
	added := map[event.Position]bool{}
	for _, e := range events {
		if _, known := slices.BinarySearch(skipped, e.Position); known || added[e.Position] {
			continue
		}
		if e.Position < 1 || e.Position > head {
			return nil, fault.InvalidRequest("position %d is not in the log, which holds the positions 1 to %d", e.Position, head)
		}
		switch found, err := read(e.Position); {
		case found && err == nil:
			return nil, fault.InvalidRequest("the event at position %d can be read: only events that cannot be read are skipped", e.Position)
		case err == nil:
			return nil, fault.InvalidRequest("the log holds no event at position %d: retention has dropped it, or it is missing", e.Position)
		case fault.CodeOf(err) != fault.Internal:
			return nil, err
		}
		added[e.Position] = true
		fresh = append(fresh, e)
	}
	return fresh, nil
}

// Around calls read for each run of positions from after+1 to last that contains no skipped position, in order, until
// read reports that it has enough or returns an error. skipped are the skipped positions, in order. isBeforeSkipped
// reports whether a skipped position follows the run.
func Around(after, last event.Position, skipped []event.Position, read func(after, last event.Position, isBeforeSkipped bool) (enough bool, err error)) error {
	from, _ := slices.BinarySearch(skipped, after+1)
	for _, position := range skipped[from:] {
		if position > last {
			break
		}
		if position-1 > after {
			if enough, err := read(after, position-1, true); err != nil || enough {
				return err
			}
		}
		after = position
	}
	if after >= last {
		return nil
	}
	_, err := read(after, last, false)
	return err
}
