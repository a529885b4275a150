package account

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Deprecation is what the operator has decided of something that is deprecated: as of when it may be gone.
// What is deprecated at all is no record but a table of the program.
type Deprecation struct {
	// ID is the key of what is deprecated.
	ID string `json:"id"`
	Meta
	// Sunset is the first UTC day on which it may be gone.
	Sunset catalogue.Date `json:"sunset"`
	// SetOn is the UTC day on which Sunset became what it is.
	SetOn catalogue.Date `json:"setOn"`
	// Postponed are the clients that have longer, each once, in the order of their IDs.
	Postponed []Postponement `json:"postponed,omitempty"`
}

// Postponement gives one client longer.
type Postponement struct {
	Client string         `json:"client"`
	Sunset catalogue.Date `json:"sunset"`
	// SetOn is as that of Deprecation.
	SetOn catalogue.Date `json:"setOn"`
}

// SunsetFor is the day that counts for a client, "" for one that nobody knows, and when it was set: its own,
// unless that of all is later.
func (d *Deprecation) SunsetFor(client string) (sunset, setOn catalogue.Date) {
	if at, ok := d.find(client); ok && d.Postponed[at].Sunset > d.Sunset {
		return d.Postponed[at].Sunset, d.Postponed[at].SetOn
	}
	return d.Sunset, d.SetOn
}

// Postpone gives a client a day of its own, in the place of one that it has.
func (d *Deprecation) Postpone(to Postponement) {
	at, ok := d.find(to.Client)
	if !ok {
		d.Postponed = slices.Insert(d.Postponed, at, to)
		return
	}
	if d.Postponed[at].Sunset != to.Sunset {
		d.Postponed[at] = to
	}
}

// Resume takes the day of its own from a client, and reports whether it had one.
func (d *Deprecation) Resume(client string) bool {
	at, ok := d.find(client)
	if ok {
		d.Postponed = slices.Delete(d.Postponed, at, at+1)
	}
	return ok
}

func (d *Deprecation) find(client string) (at int, ok bool) {
	return slices.BinarySearchFunc(d.Postponed, client, func(p Postponement, client string) int { return cmp.Compare(p.Client, client) })
}

// Key names the decision.
func (d *Deprecation) Key() EntityKey { return EntityKey{KindDeprecation, d.ID} }

// Owner is nobody.
func (d *Deprecation) Owner() string { return "" }

// Names is empty.
func (d *Deprecation) Names() []string { return nil }

// Links is empty: a client may go that had longer.
func (d *Deprecation) Links() []EntityKey { return nil }

// Validate checks every field.
func (d *Deprecation) Validate() (faults fault.FieldErrors) {
	add := func(field, format string, args ...any) {
		faults = append(faults, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
	}
	if !recordID.MatchString(d.ID) {
		add("id", "is no key of what is deprecated")
	}
	if len(d.Postponed) > MaxPostponed {
		add("postponed", "has %d elements, at most %d are allowed", len(d.Postponed), MaxPostponed)
	}
	for i, one := range d.Postponed {
		if i > 0 && d.Postponed[i-1].Client >= one.Client {
			add(fmt.Sprintf("postponed[%d].client", i), "is not behind the one before")
		}
	}
	return faults
}

// MaxPostponed is how many clients may have longer.
const MaxPostponed = 1000

// Redacted is the decision: it holds no secret.
func (d *Deprecation) Redacted() Entity { return d }

// DeprecatedUse tells of the use that a client has made of something that is deprecated.
type DeprecatedUse struct {
	// Item is the key of what is deprecated.
	Item string
	// Client and Account are the caller's IDs; "": nobody knows whose the calls were.
	Client, Account string
	// First and Last are the moments of the first and the last call, UTC, microseconds.
	First, Last time.Time
	// Count is the number of calls.
	Count int64
}
