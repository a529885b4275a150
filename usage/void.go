package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Selection says which plays a void selects: those that meet every condition that is given. It names an event, a
// client with a period, or a video.
type Selection struct {
	// Event is the ID of one event in its usual form. Account, From and To are then those of the event.
	Event string `json:"event,omitempty"`
	// EventPosition is the position of the event.
	EventPosition event.Position `json:"eventPosition,omitempty"`
	// Account is required with a client; "" otherwise means any account.
	Account string `json:"account,omitempty"`
	Client  string `json:"client,omitempty"`
	// Video is an id in lower case, as events name it. Hidden plays are of no video.
	Video string `json:"video,omitempty"`
	// From is the first instant of play and To the first instant after; 0: no bound.
	From event.Instant `json:"from,omitempty"`
	To   event.Instant `json:"to,omitempty"`
}

// Check returns an error of code Invalid that names what a Selection lacks.
func (s *Selection) Check() error {
	switch {
	case s.Event == "" && s.Client == "" && s.Video == "":
		return fault.InvalidRequest("a void names an event, a client with a period, or a video")
	case s.Event != "" && (s.Client != "" || s.Video != ""):
		return fault.InvalidRequest("a void of event %s names no client and no video", s.Event)
	case s.Event != "" && s.EventPosition <= 0:
		return fault.InvalidRequest("the position of event %s is missing", s.Event)
	case s.Client != "" && s.Account == "":
		return fault.InvalidRequest("a void of client %q names its account", s.Client)
	case s.Client != "" && (s.From == 0 || s.To == 0):
		return fault.InvalidRequest("a void of client %q names a period: its first instant and the first one after it", s.Client)
	case s.To != 0 && s.From >= s.To:
		return fault.InvalidRequest("the period of a void begins at %s, which is not before its end %s", s.From, s.To)
	}
	return nil
}

// Selects reports whether a play meets every condition.
func (s *Selection) Selects(p *Play) bool {
	if s.Event != "" {
		return p.Position == s.EventPosition
	}
	return (s.Account == "" || p.Account == s.Account) && (s.Client == "" || p.Client == s.Client) &&
		(s.Video == "" || p.Video == s.Video) && s.Covers(p.At)
}

// Covers reports whether an instant lies in the period.
func (s *Selection) Covers(at event.Instant) bool { return at >= s.From && (s.To == 0 || at < s.To) }

// VoidAct is the making of a Void, or its undoing.
type VoidAct struct {
	At time.Time `json:"at"`
	// Client and User are those of the operator who did it.
	Client string `json:"client"`
	User   string `json:"user,omitempty"`
	Reason string `json:"reason"`
	// Number orders all acts of all voids, from 1. The store sets it.
	Number int64 `json:"number"`
	// After is the month of the last seal when the act took effect, nil: there was none. The store sets it.
	After *Month `json:"after,omitempty"`
}

// ErrVoiding is the error of code Unavailable of what waits until a void has changed the counts.
var ErrVoiding = fault.Errorf(fault.Unavailable, "plays are being voided, or a void is being undone: try again")

// MaxReason is the most bytes of a VoidAct.Reason.
const MaxReason = 1000

// Check returns an error of code Invalid where the reason is missing or too long.
func (a *VoidAct) Check() error {
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return fault.InvalidRequest("a reason is required")
	case len(a.Reason) > MaxReason:
		return fault.InvalidRequest("a reason of %d bytes is longer than %d", len(a.Reason), MaxReason)
	}
	return nil
}

// last is the month of After, the zero month where there is none.
func (a *VoidAct) last() Month {
	if a.After == nil {
		return Month{}
	}
	return *a.After
}

// Void takes the plays out of the counts that it selects and that were counted when it was made. Undoing it puts them
// back. Plays of a sealed month become adjustments of the next statement instead (Voids.Sums).
type Void struct {
	// ID is unique. The caller that makes the void chooses it.
	ID string `json:"id"`
	Selection
	Made   VoidAct  `json:"made"`
	Undone *VoidAct `json:"undone,omitempty"`
	// Position is how far the log was counted when the void was made: later events are not voided.
	Position event.Position `json:"position"`
	// Plays and Milliseconds are how much it took out when it was made, of the accounts in Accounts.
	Plays        int64    `json:"plays"`
	Milliseconds int64    `json:"milliseconds"`
	Accounts     []string `json:"accounts,omitempty"`
	// First is the moment of the earliest play that it has taken out, nil: there is none.
	First *event.Instant `json:"first,omitempty"`
	// Pending is set while the counts are still being changed, by the last act.
	Pending bool `json:"-"`
}

// Active reports whether the void has not been undone.
func (v *Void) Active() bool { return v.Undone == nil }

// Last is the latest act.
func (v *Void) Last() *VoidAct {
	if v.Undone != nil {
		return v.Undone
	}
	return &v.Made
}

// takes reports whether the void applies to a play while it is active.
func (v *Void) takes(p *Play) bool { return p.Position <= v.Position && v.Selects(p) }

// Took notes that the void has taken a play out.
func (v *Void) Took(account string, at event.Instant) {
	if v.First == nil || at < *v.First {
		v.First = &at
	}
	if place, known := slices.BinarySearch(v.Accounts, account); !known {
		v.Accounts = slices.Insert(v.Accounts, place, account)
	}
}

// Voids are all voids, in the order in which they were made.
type Voids []Void

// Find returns the void with an ID, nil where there is none.
func (vs Voids) Find(id string) *Void {
	for i := range vs {
		if vs[i].ID == id {
			return &vs[i]
		}
	}
	return nil
}

// NextNumber is the number of the next act.
func (vs Voids) NextNumber() int64 {
	last := int64(0)
	for i := range vs {
		last = max(last, vs[i].Made.Number)
		if undone := vs[i].Undone; undone != nil {
			last = max(last, undone.Number)
		}
	}
	return last + 1
}

// PendingVoid returns the void whose last act is still changing the counts, nil where there is none.
func (vs Voids) PendingVoid() *Void {
	for i := range vs {
		if vs[i].Pending {
			return &vs[i]
		}
	}
	return nil
}

// change is an act on a play.
type change struct {
	act    *VoidAct
	void   *Void
	undoes bool
}

// of are the acts that apply to a play, in their order.
func (vs Voids) of(p *Play) (changes []change) {
	for i := range vs {
		v := &vs[i]
		if !v.takes(p) {
			continue
		}
		changes = append(changes, change{&v.Made, v, false})
		if v.Undone != nil {
			changes = append(changes, change{v.Undone, v, true})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.act.Number, b.act.Number) })
	return changes
}

// Holder is the number (VoidAct.Number of Made) of the void that takes a play out of the counts: of those that select it
// and are active, the one made first. 0: the play is counted.
func (vs Voids) Holder(p *Play) int64 {
	for i := range vs {
		if vs[i].Active() && vs[i].takes(p) {
			return vs[i].Made.Number
		}
	}
	return 0
}

// Sums are what a play comes to in the ledger, as sums of one play each, in no order; there may be none. seals are in
// the order of months. A play that is voided when its seal is made is not in that seal's sum. When the play is voided
// or restored after its seal, the difference is a sum of the first seal after that, which names the void.
func (vs Voids) Sums(p *Play, seals []Seal) []Sum {
	whole := SumOf(p, seals)
	changes := vs.of(p)
	if len(changes) == 0 {
		return []Sum{whole}
	}
	var adjustments []Sum
	active, billed := 0, true
	for _, c := range changes {
		counted := active == 0
		if c.undoes {
			active--
		} else {
			active++
		}
		if counted == (active == 0) {
			continue
		}
		after := c.act.last()
		if whole.Sealed == (Month{}) || after.Before(whole.Sealed) {
			billed = !counted
			continue
		}
		adjustment := whole
		adjustment.Void, adjustment.Sealed = c.void.ID, sealAfter(seals, after)
		if counted {
			adjustment = adjustment.Negative()
		}
		adjustments = append(adjustments, adjustment)
	}
	if billed {
		adjustments = append(adjustments, whole)
	}
	return adjustments
}

// SumOf is what a play comes to in the ledger that no void takes. seals are in the order of months.
func SumOf(p *Play, seals []Seal) Sum {
	month := MonthOf(p.At)
	return Sum{
		Account: p.Account, Month: month, Client: p.Client, Sandbox: p.Sandbox, Sealed: SealOf(seals, month, p.Position),
		Plays: 1, Milliseconds: p.Milliseconds(), Excess: p.Excess,
	}
}

// sealAfter is the month of the first seal behind a month, zero where there is none.
func sealAfter(seals []Seal, month Month) Month {
	for _, seal := range seals {
		if month.Before(seal.Month) {
			return seal.Month
		}
	}
	return Month{}
}
