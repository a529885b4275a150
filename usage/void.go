package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Selection selects the plays of a void: those that match every given condition. It names an event, a client with a
// period, or a video.
type Selection struct {
	// Event is the ID of one event in its canonical form. Account, From and To are then those of the event.
	Event string `json:"event,omitempty"`
	// EventPosition is the position of the event.
	EventPosition event.Position `json:"eventPosition,omitempty"`
	// Account is required with a client. Otherwise "" means any account.
	Account string `json:"account,omitempty"`
	Client  string `json:"client,omitempty"`
	// Video is an ID in lower case, as in events. Hidden plays have no video.
	Video string `json:"video,omitempty"`
	// From is the first instant and To the first instant after the period; 0 means unbounded.
	From event.Instant `json:"from,omitempty"`
	To   event.Instant `json:"to,omitempty"`
}

// Check returns an error with code Invalid if the Selection is incomplete or contradictory.
func (s *Selection) Check() error {
	switch {
	case s.Event == "" && s.Client == "" && s.Video == "":
		return fault.InvalidRequest("a void must name an event, a client with a period, or a video")
	case s.Event != "" && (s.Client != "" || s.Video != ""):
		return fault.InvalidRequest("a void of event %s must not name a client or a video", s.Event)
	case s.Event != "" && s.EventPosition <= 0:
		return fault.InvalidRequest("the position of event %s is missing", s.Event)
	case s.Client != "" && s.Account == "":
		return fault.InvalidRequest("a void of client %q must name its account", s.Client)
	case s.Client != "" && (s.From == 0 || s.To == 0):
		return fault.InvalidRequest("a void of client %q must name a period: its first instant and the first instant after it", s.Client)
	case s.To != 0 && s.From >= s.To:
		return fault.InvalidRequest("the period of a void begins at %s, which is not before its end %s", s.From, s.To)
	}
	return nil
}

// Selects reports whether a play matches every condition.
func (s *Selection) Selects(p *Play) bool {
	if s.Event != "" {
		return p.Position == s.EventPosition
	}
	return (s.Account == "" || p.Account == s.Account) && (s.Client == "" || p.Client == s.Client) &&
		(s.Video == "" || p.Video == s.Video) && s.Covers(p.At)
}

// Covers reports whether an instant lies in the period.
func (s *Selection) Covers(at event.Instant) bool { return at >= s.From && (s.To == 0 || at < s.To) }

// VoidAct records that a Void was made or undone.
type VoidAct struct {
	At time.Time `json:"at"`
	// Client and User are those of the operator.
	Client string `json:"client"`
	User   string `json:"user,omitempty"`
	Reason string `json:"reason"`
	// Number orders all acts of all voids, starting at 1. The store sets it.
	Number int64 `json:"number"`
	// After is the month of the last seal when the act took effect; nil if there was none. The store sets it.
	After *Month `json:"after,omitempty"`
}

// ErrVoiding has code Unavailable. It is returned by operations that must wait until a void has changed the counts.
var ErrVoiding = fault.Errorf(fault.Unavailable, "plays are being voided, or a void is being undone: try again")

// MaxReason is the maximum length of VoidAct.Reason in bytes.
const MaxReason = 1000

// Check returns an error with code Invalid if the reason is missing or too long.
func (a *VoidAct) Check() error {
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return fault.InvalidRequest("a reason is required")
	case len(a.Reason) > MaxReason:
		return fault.InvalidRequest("a reason of %d bytes is longer than %d", len(a.Reason), MaxReason)
	}
	return nil
}

// last returns the month of After, or the zero month.
func (a *VoidAct) last() Month {
	if a.After == nil {
		return Month{}
	}
	return *a.After
}

// Void removes from the counts the plays that it selects and that were counted when it was made. Undoing it restores
// them. Plays of a sealed month become adjustments of the next statement instead (Voids.Sums).
type Void struct {
	// ID is unique and chosen by the caller that makes the void.
	ID string `json:"id"`
	Selection
	Made   VoidAct  `json:"made"`
	Undone *VoidAct `json:"undone,omitempty"`
	// Position is the position up to which the log was counted when the void was made. Later events are not voided.
	Position event.Position `json:"position"`
	// Plays and Milliseconds are the amounts removed when it was made, for the accounts in Accounts.
	Plays        int64    `json:"plays"`
	Milliseconds int64    `json:"milliseconds"`
	Accounts     []string `json:"accounts,omitempty"`
	// First is the time of the earliest removed play; nil if there is none.
	First *event.Instant `json:"first,omitempty"`
	// Pending reports that the last act is still changing the counts.
	Pending bool `json:"-"`
}

// Active reports whether the void has not been undone.
func (v *Void) Active() bool { return v.Undone == nil }

// Last returns the latest act.
func (v *Void) Last() *VoidAct {
	if v.Undone != nil {
		return v.Undone
	}
	return &v.Made
}

// takes reports whether the void, while active, applies to a play.
func (v *Void) takes(p *Play) bool { return p.Position <= v.Position && v.Selects(p) }

// Took records that the void removed a play.
func (v *Void) Took(account string, at event.Instant) {
	if v.First == nil || at < *v.First {
		v.First = &at
	}
	if place, known := slices.BinarySearch(v.Accounts, account); !known {
		v.Accounts = slices.Insert(v.Accounts, place, account)
	}
}

// Voids are all voids in the order in which they were made.
type Voids []Void

// Find returns the void with the given ID, or nil.
func (vs Voids) Find(id string) *Void {
	for i := range vs {
		if vs[i].ID == id {
			return &vs[i]
		}
	}
	return nil
}

// NextNumber returns the number of the next act.
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

// PendingVoid returns the void whose last act is still changing the counts, or nil.
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

// of returns the acts that apply to a play in order.
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

// Holder returns the number (VoidAct.Number of Made) of the void that removes a play from the counts: the first of
// the active voids that select it. It returns 0 if the play is counted.
func (vs Voids) Holder(p *Play) int64 {
	for i := range vs {
		if vs[i].Active() && vs[i].takes(p) {
			return vs[i].Made.Number
		}
	}
	return 0
}

// Adjustment changes a sealed month by one play.
type Adjustment struct {
	// Void is the ID of the void.
	Void string
	// After is the month of the last seal before the act; the first later seal includes the adjustment.
	After Month
	// Negative reports that the act took the play out of the counts; otherwise the act restored it.
	Negative bool
}

// Bill reports whether the seal of a play includes it, and returns the adjustments of later seals, in no particular
// order. sealed is the month of the seal to which the play belongs (SealOf). Later seals change neither result: an act
// that precedes the seal of a play decides whether that seal includes it.
func (vs Voids) Bill(p *Play, sealed Month) (billed bool, adjustments []Adjustment) {
	active, billed := 0, true
	for _, c := range vs.of(p) {
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
		if sealed == (Month{}) || after.Before(sealed) {
			billed = !counted
			continue
		}
		adjustments = append(adjustments, Adjustment{Void: c.void.ID, After: after, Negative: counted})
	}
	return billed, adjustments
}

// Sums returns the ledger entries of a play, each a sum of one play, in no particular order; there may be none. seals
// must be in the order of months. A play that is voided when its seal is made is not part of that seal. If a play is
// voided or restored after its seal, the difference belongs to the first seal after that, and names the void.
func (vs Voids) Sums(p *Play, seals []Seal) (sums []Sum) {
	whole := SumOf(p, seals)
	billed, adjustments := vs.Bill(p, whole.Sealed)
	for _, a := range adjustments {
		sum := whole
		sum.Void, sum.Sealed = a.Void, SealAfter(seals, a.After)
		if a.Negative {
			sum = sum.Negative()
		}
		sums = append(sums, sum)
	}
	if billed {
		sums = append(sums, whole)
	}
	return sums
}

// SumOf returns the ledger entry of a play that is not voided. seals must be in the order of months.
func SumOf(p *Play, seals []Seal) Sum {
	month := MonthOf(p.At)
	return Sum{
		Account: p.Account, Month: month, Client: p.Client, Sandbox: p.Sandbox, Sealed: SealOf(seals, month, p.Position),
		Plays: p.Plays(), Milliseconds: p.Milliseconds(), Excess: p.Excess,
	}
}

// SealAfter returns the month of the first seal after the given month, or zero.
func SealAfter(seals []Seal, month Month) Month {
	for _, seal := range seals {
		if month.Before(seal.Month) {
			return seal.Month
		}
	}
	return Month{}
}
