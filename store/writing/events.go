package writing

import (
	"math"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// MaxAppended is the most events that one call of store.Events takes.
	MaxAppended = 100_000
	// MaxRead is the most events that one call returns.
	MaxRead = 10_000
)

// CheckSubmissions returns the fault of a list that no engine appends.
func CheckSubmissions(submissions []event.Submission) error {
	events := 0
	for i := range submissions {
		events += len(submissions[i].Events)
	}
	if events > MaxAppended {
		return catalogue.InvalidRequest("%d events are more than the %d that are stored at once", events, MaxAppended)
	}
	return nil
}

// Judge is the verdict on a submission whose key came before with a fingerprint.
func Judge(submission *event.Submission, before []byte) event.Verdict {
	if string(before) == string(submission.Fingerprint[:]) {
		return event.Repeated
	}
	return event.Mismatched
}

// PersonColumns takes event.Event.Person apart: one of the two is the name, the other is "". Both are "" where
// nobody is known.
func PersonColumns(person string) (externalUser, user string) {
	switch {
	case person == "":
		return "", ""
	case person[0] == 'x':
		return person[1:], ""
	}
	return "", person[1:]
}

// CheckDropped returns an error of code Conflict where events behind a position were dropped and the query does not
// accept that. dropped is what Events.Dropped returns.
func CheckDropped(query store.EventQuery, after, dropped event.Position) error {
	if max(after, query.Dropped) >= dropped {
		return nil
	}
	return catalogue.Errorf(catalogue.Conflict,
		"events behind position %d cannot be read in full: retention has dropped events up to position %d", after, dropped)
}

// EventRange is an EventQuery as a statement compares with it: every bound is set.
type EventRange struct {
	Account, ExternalUser, User string
	// Kinds has the bit 1<<kind of each kind that is kept.
	Kinds int64
	// From and To are of receipt, To the first instant after.
	From, To event.Instant
	UpTo     event.Position
}

// RangeOf is the EventRange of a query, in a log with a head.
func RangeOf(query store.EventQuery, head event.Position) EventRange {
	r := EventRange{Account: query.Account, From: query.From, To: query.To, UpTo: head}
	r.ExternalUser, r.User = PersonColumns(query.Person)
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
