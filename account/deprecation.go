package account

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Deprecation is the operator's decision on when a deprecated part of the API may be removed. The deprecated parts
// themselves are listed in a table in the program.
type Deprecation struct {
	// ID is the key of the deprecated part.
	ID string `json:"id"`
	Meta
	// Sunset is the first UTC day on which the part may be removed.
	Sunset catalogue.Date `json:"sunset"`
	// SetOn is the UTC day on which Sunset was last changed.
	SetOn catalogue.Date `json:"setOn"`
	// Postponed are the clients with a later sunset, at most one entry per client, ordered by client ID. The clients may
	// have been deleted.
	Postponed []Postponement `json:"postponed,omitempty"`
}

// Postponement gives one client a later sunset.
type Postponement struct {
	Client string         `json:"client"`
	Sunset catalogue.Date `json:"sunset"`
	// SetOn is the UTC day on which Sunset was last changed.
	SetOn catalogue.Date `json:"setOn"`
}

// SunsetFor returns the sunset that applies to a client and the day on which it was set: the later of the general
// sunset and the client's own. The client is "" if it is unknown.
func (d *Deprecation) SunsetFor(client string) (sunset, setOn catalogue.Date) {
	if at, ok := d.find(client); ok && d.Postponed[at].Sunset > d.Sunset {
		return d.Postponed[at].Sunset, d.Postponed[at].SetOn
	}
	return d.Sunset, d.SetOn
}

// Postpone sets a client's own sunset, replacing an earlier one.
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

// Resume removes a client's own sunset and reports whether it had one.
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

// Key returns the key of the deprecation.
func (d *Deprecation) Key() EntityKey { return EntityKey{KindDeprecation, d.ID} }

// Validate checks all fields.
func (d *Deprecation) Validate() fault.FieldErrors {
	var f faults
	f.id("id", d.ID)
	f.Length("postponed", len(d.Postponed), MaxPostponed)
	for i, one := range d.Postponed {
		if i > 0 && d.Postponed[i-1].Client >= one.Client {
			f.Add(fmt.Sprintf("postponed[%d].client", i), "is not after the client before it")
		}
	}
	return f.List()
}

// MaxPostponed is the maximum number of postponed clients.
const MaxPostponed = 1000

// Redacted returns the deprecation itself, which contains no secrets.
func (d *Deprecation) Redacted() Entity { return d }

// DeprecatedUse summarizes a client's use of a deprecated part of the API.
type DeprecatedUse struct {
	// Item is the key of the deprecated part.
	Item string
	// Client and Account are the caller's IDs; "" if the calls were anonymous.
	Client, Account string
	// First and Last are the times of the first and the last call, in UTC with microseconds.
	First, Last time.Time
	// Count is the number of calls.
	Count int64
}
