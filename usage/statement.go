package usage

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// Sum is an entry of the ledger: plays of one account and client, by the month in which they happened and the seal to
// which they belong.
type Sum struct {
	Account string
	Month   Month
	Client  string
	Sandbox bool
	// Sealed is the month of the seal to which they belong; zero if none yet.
	Sealed       Month
	Plays        int64
	Milliseconds int64
	// Excess is as in Measures.
	Excess int64
	// Void is the ID of the void that adjusts a sealed month by this sum when it is made or undone; "" for plays.
	Void string
}

// Negative returns the sum that cancels this one.
func (s Sum) Negative() Sum {
	s.Plays, s.Milliseconds, s.Excess = -s.Plays, -s.Milliseconds, -s.Excess
	return s
}

// Seal closes a month for all accounts. Seals are made in the order of months. A play belongs to the first seal whose
// Month is not before the play's and whose Position is not below the play's.
type Seal struct {
	Month    Month
	Position event.Position
	At       time.Time
}

// Statement is the bill of one account for one month.
type Statement struct {
	Account string `json:"account"`
	Month   Month  `json:"month"`
	// Lines are in the order of month and client: those of Month, and adjustments of earlier months.
	Lines []Line `json:"lines"`
	// Plays, Milliseconds, Seconds and ExcessMilliseconds are sums of the billable lines. Seconds is the sum of the
	// rounded seconds.
	Plays        int64 `json:"plays"`
	Milliseconds int64 `json:"milliseconds"`
	Seconds      int64 `json:"seconds"`
	// ExcessMilliseconds were reported in addition to Milliseconds and are not billed.
	ExcessMilliseconds int64 `json:"excessMilliseconds"`
	// Position is the position of the last event considered.
	Position event.Position `json:"position"`
	// SealedAt is nil while the statement is provisional.
	SealedAt *time.Time `json:"sealedAt"`
	// Previous is the checksum of the account's previous sealed statement, or "" for the first. Checksum is the
	// hexadecimal SHA-256 hash of the statement's JSON encoding with an empty Checksum and without Seal, or "" while
	// the statement is provisional.
	Previous string `json:"previous"`
	Checksum string `json:"checksum"`
	// Seal is the digest that commits to the statement. It is not stored and not covered by the checksum; nil while
	// the statement is provisional.
	Seal *StatementSeal `json:"seal,omitempty"`
}

// Line is a line of a statement.
type Line struct {
	// Month is the month of the plays. It is before the statement's month for an adjustment.
	Month  Month  `json:"month"`
	Client string `json:"client"`
	// Billable is false for plays of a sandbox account.
	Billable     bool  `json:"billable"`
	Adjustment   bool  `json:"adjustment"`
	Plays        int64 `json:"plays"`
	Milliseconds int64 `json:"milliseconds"`
	// Seconds is Milliseconds, rounded once.
	Seconds int64 `json:"seconds"`
	// ExcessMilliseconds were reported in addition to Milliseconds and are not billed.
	ExcessMilliseconds int64 `json:"excessMilliseconds"`
	// Void is the ID of the void that adjusts a sealed month when it is made (the line is negative) or undone; "" for
	// plays.
	Void string `json:"void,omitempty"`
}
