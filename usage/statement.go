package usage

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// Sum is what the ledger holds: plays of one account and client, by the month in which they happened and the
// seal that closed them.
type Sum struct {
	Account string
	Month   Month
	Client  string
	Sandbox bool
	// Sealed is the month of the seal that took them in; zero: none has yet.
	Sealed       Month
	Plays        int64
	Milliseconds int64
	// Excess is that of Measures.
	Excess int64
	// Void is the ID of the void whose making or undoing adjusts a sealed month; "": the sum is of plays.
	Void string
}

// Negative is the sum that takes this one back.
func (s Sum) Negative() Sum {
	s.Plays, s.Milliseconds, s.Excess = -s.Plays, -s.Milliseconds, -s.Excess
	return s
}

// Seal closes a month for all accounts. Seals are made in the order of months. A play belongs to the first seal
// whose Month is not before the play's and whose Position is not below the play's.
type Seal struct {
	Month    Month
	Position event.Position
	At       time.Time
}

// Statement is the bill of one account for one month.
type Statement struct {
	Account string `json:"account"`
	Month   Month  `json:"month"`
	// Lines are in the order of month and client: those of Month itself, and adjustments of months before.
	Lines []Line `json:"lines"`
	// Plays, Milliseconds, Seconds and ExcessMilliseconds are sums of the billable lines: Seconds that of the
	// rounded ones.
	Plays        int64 `json:"plays"`
	Milliseconds int64 `json:"milliseconds"`
	Seconds      int64 `json:"seconds"`
	// ExcessMilliseconds were reported beside Milliseconds and are not billed.
	ExcessMilliseconds int64 `json:"excessMilliseconds"`
	// Position is that of the last event that was looked at.
	Position event.Position `json:"position"`
	// SealedAt is nil while the statement is provisional.
	SealedAt *time.Time `json:"sealedAt"`
	// Previous is the checksum of the account's sealed statement before, "" for its first; Checksum that of
	// this one: SHA-256 in hexadecimal over the statement's JSON with an empty Checksum and without Seal. "" while provisional.
	Previous string `json:"previous"`
	Checksum string `json:"checksum"`
	// Seal is the digest that commits to the statement. It is not stored and no part of what the checksum is made of;
	// nil while provisional.
	Seal *StatementSeal `json:"seal,omitempty"`
}

// Line is one line of a statement.
type Line struct {
	// Month is when it was played: before the statement's month for an adjustment.
	Month  Month  `json:"month"`
	Client string `json:"client"`
	// Billable is false for a sandbox account's plays.
	Billable     bool  `json:"billable"`
	Adjustment   bool  `json:"adjustment"`
	Plays        int64 `json:"plays"`
	Milliseconds int64 `json:"milliseconds"`
	// Seconds is Milliseconds, rounded once.
	Seconds int64 `json:"seconds"`
	// ExcessMilliseconds were reported beside Milliseconds and are not billed.
	ExcessMilliseconds int64 `json:"excessMilliseconds"`
	// Void is the ID of the void whose making (the line is negative) or undoing adjusts a sealed month; "": the line is
	// of plays.
	Void string `json:"void,omitempty"`
}
