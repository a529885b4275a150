package billing

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/usage"
)

// LineKind says what a line of an invoice charges.
type LineKind string

// The kinds, in the order in which they stand on an invoice.
const (
	// LineFee is the monthly fee.
	LineFee LineKind = "FEE"
	// LineAllowance shows units that are free.
	LineAllowance LineKind = "ALLOWANCE"
	// LineUsage charges the units in one step.
	LineUsage LineKind = "USAGE"
	// LineAdjustment charges or credits what late plays and voids change about an earlier month.
	LineAdjustment LineKind = "ADJUSTMENT"
	// LineMinimum is what the fee and the usage of the month lack of the minimum.
	LineMinimum LineKind = "MINIMUM"
)

// LineKinds returns all kinds.
func LineKinds() []LineKind {
	return []LineKind{LineFee, LineAllowance, LineUsage, LineAdjustment, LineMinimum}
}

// Line is a line of an invoice.
type Line struct {
	Kind LineKind `json:"kind"`
	// Unit is "" for a fee or a minimum.
	Unit Unit `json:"unit,omitempty"`
	// Month is the month of play. It is before the invoice's month for an adjustment.
	Month usage.Month `json:"month"`
	// Quantity is a number of seconds for Minute, else of units. It is negative if an adjustment takes plays away.
	Quantity int64 `json:"quantity,omitempty"`
	// From and To are the bounds of the step, in units beyond the allowance; To is 0 if the step has no end.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// Price is the price of one unit; nil unless the line is LineUsage.
	Price *Decimal `json:"price,omitempty"`
	// Amount is rounded once, half up, to the minor unit of the currency.
	Amount Decimal `json:"amount"`
}

// Adjustment is what a statement changes about an earlier month.
type Adjustment struct {
	Month usage.Month
	// Terms are those of the invoice of that month.
	Terms *Terms
	// Before are the quantities that earlier invoices charged, After those with the statement. Users are ignored.
	Before, After Quantities
}

// Charge returns the lines for the usage of a month: allowances and steps, in the order of the plan.
func (t *Terms) Charge(month usage.Month, q Quantities) []Line {
	var lines []Line
	for i := range t.Components {
		lines = append(lines, t.charge(&t.Components[i], month, q.Of(t.Components[i].Unit))...)
	}
	return lines
}

// Lines returns the lines of the invoice of a month. An adjustment has one line for each unit: what the terms of its month
// charge for the quantities after it, less what they charge for those before, so that steps and allowances stay right. The
// minimum compares with the fee and the usage of the month, without adjustments.
func (t *Terms) Lines(month usage.Month, q Quantities, adjustments []Adjustment) []Line {
	var lines []Line
	if t.MonthlyFee.Sign() > 0 {
		lines = append(lines, Line{Kind: LineFee, Month: month, Amount: t.MonthlyFee.portion(1, 1, t.Currency.Digits())})
	}
	lines = append(lines, t.Charge(month, q)...)
	subtotal := t.Total(lines)
	for _, adjustment := range adjustments {
		lines = append(lines, adjustment.lines()...)
	}
	if missing := t.Minimum.Minus(subtotal); missing.Sign() > 0 {
		lines = append(lines, Line{Kind: LineMinimum, Month: month, Amount: missing.portion(1, 1, t.Currency.Digits())})
	}
	return lines
}

func (a *Adjustment) lines() []Line {
	var lines []Line
	for i := range a.Terms.Components {
		c := &a.Terms.Components[i]
		before, after := a.Before.Of(c.Unit), a.After.Of(c.Unit)
		if c.Unit == ActiveUser || before == after {
			continue
		}
		amount := a.Terms.Total(a.Terms.charge(c, a.Month, after)).Minus(a.Terms.Total(a.Terms.charge(c, a.Month, before)))
		lines = append(lines, Line{Kind: LineAdjustment, Unit: c.Unit, Month: a.Month, Quantity: after - before, Amount: amount})
	}
	return lines
}

// Total returns the sum of the amounts of lines in the currency of the terms.
func (t *Terms) Total(lines []Line) Decimal {
	total := t.Currency.Zero()
	for i := range lines {
		total = total.Plus(lines[i].Amount)
	}
	return total
}

// State is the state of an invoice.
type State string

// The states.
const (
	// Draft invoices have no number and may change.
	Draft State = "DRAFT"
	// Issued invoices never change.
	Issued State = "ISSUED"
)

// States returns all states.
func States() []State { return []State{Draft, Issued} }

// Party is one of the two sides of an invoice.
type Party struct {
	Name string `json:"name"`
	// Address has several lines.
	Address string `json:"address,omitempty"`
	Email   string `json:"email,omitempty"`
}

// Invoice is what an account owes for a month. It copies everything that it shows, so that later changes of plans and
// accounts do not change it.
type Invoice struct {
	Account string      `json:"account"`
	Month   usage.Month `json:"month"`
	State   State       `json:"state"`
	// Number is set when the invoice is issued: the year and a number without gaps, such as 2026-0001.
	Number   string     `json:"number,omitempty"`
	IssuedAt *time.Time `json:"issuedAt,omitempty"`
	Issuer   Party      `json:"issuer"`
	Customer Party      `json:"customer"`
	// Statement is the checksum of the sealed statement; "" if nothing was ever played.
	Statement string `json:"statement,omitempty"`
	Plan      string `json:"plan"`
	PlanName  string `json:"planName"`
	Terms     Terms  `json:"terms"`
	Lines     []Line `json:"lines"`
	// Total is the sum of the lines.
	Total Decimal `json:"total"`
	// Milliseconds is the live time of the month, and Channels the parts of it that channels have, in the order of their
	// IDs, when the invoice was drafted. Royalties follow from them.
	Milliseconds int64         `json:"milliseconds,omitempty"`
	Channels     []ChannelTime `json:"channels,omitempty"`
}

// ChannelTime is how long videos of a channel were played.
type ChannelTime struct {
	Channel      string `json:"channel"`
	Milliseconds int64  `json:"milliseconds"`
}

// Number returns the number of the nth invoice of a year.
func Number(year, nth int) string { return fmt.Sprintf("%04d-%04d", year, nth) }
