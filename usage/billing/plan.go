package billing

import (
	"fmt"
	"math"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/usage"
)

// Unit is what a component of a plan charges for.
type Unit string

// The units.
const (
	// Minute is a minute of billed time. Seconds are charged as sixtieths.
	Minute Unit = "MINUTE"
	// Play is a play.
	Play Unit = "PLAY"
	// ActiveUser is a person with at least one play in the month.
	ActiveUser Unit = "ACTIVE_USER"
)

// Units returns all units.
func Units() []Unit { return []Unit{Minute, Play, ActiveUser} }

// parts returns how many quantities (Quantities.Of) make one unit.
func (u Unit) parts() int64 {
	if u == Minute {
		return 60
	}
	return 1
}

const (
	// MaxSteps is the maximum number of steps of a component.
	MaxSteps = 20
	// maxBound is the largest bound of a step and the largest allowance, in units.
	maxBound = math.MaxInt32
)

// Terms are the prices of a plan.
type Terms struct {
	Currency Currency `json:"currency"`
	// MonthlyFee is charged for every month.
	MonthlyFee Decimal `json:"monthlyFee"`
	// Minimum is the least that the fee and the usage of a month cost.
	Minimum Decimal `json:"minimum"`
	// Components have different units.
	Components []Component `json:"components"`
}

// Component is the price of a unit.
type Component struct {
	Unit Unit `json:"unit"`
	// Allowance is the number of units in a month that are free.
	Allowance int64 `json:"allowance,omitempty"`
	// Steps are graduated: each unit beyond the allowance costs the price of the step in which it falls.
	Steps []Step `json:"steps"`
}

// Step is the price of the units up to a bound.
type Step struct {
	// UpTo is the number of units beyond the allowance at which the step ends; 0 for the last step, which has no end.
	UpTo int64 `json:"upTo,omitempty"`
	// Price is the price of one unit.
	Price Decimal `json:"price"`
}

// Check adds the errors of all fields.
func (t *Terms) Check(f *catalogue.Faults) {
	if problem := t.Currency.check(); problem != "" {
		f.Add("currency", "%s", problem)
	} else {
		t.checkAmount(f, "monthlyFee", t.MonthlyFee)
		t.checkAmount(f, "minimum", t.Minimum)
	}
	used := map[Unit]bool{}
	f.Length("components", len(t.Components), len(Units()))
	for i, component := range t.Components {
		field := fmt.Sprintf("components[%d].", i)
		catalogue.Listed(f, field+"unit", component.Unit, Units())
		if used[component.Unit] {
			f.Add(field+"unit", "%s has a component already", component.Unit)
		}
		used[component.Unit] = true
		component.check(f, field)
	}
}

func (t *Terms) checkAmount(f *catalogue.Faults, field string, amount Decimal) {
	switch digits := t.Currency.Digits(); {
	case amount.Sign() < 0:
		f.Add(field, "%s is below 0", amount)
	case amount.places() > digits:
		f.Add(field, "%s has more digits after the point than an amount in %s, which has %d", amount, t.Currency, digits)
	}
}

func (c *Component) check(f *catalogue.Faults, field string) {
	if c.Allowance < 0 || c.Allowance > maxBound {
		f.Add(field+"allowance", "%d is not 0 to %d", c.Allowance, maxBound)
	}
	if len(c.Steps) == 0 {
		f.Add(field+"steps", "is empty; a single price is one step without upTo")
	}
	f.Length(field+"steps", len(c.Steps), MaxSteps)
	var before int64
	for i, step := range c.Steps {
		at := fmt.Sprintf("%ssteps[%d].", field, i)
		switch last := i == len(c.Steps)-1; {
		case last && step.UpTo != 0:
			f.Add(at+"upTo", "%d: the last step has no upTo, because it has no end", step.UpTo)
		case !last && (step.UpTo <= before || step.UpTo > maxBound):
			f.Add(at+"upTo", "%d is not above %d and at most %d", step.UpTo, before, maxBound)
		}
		if step.Price.Sign() < 0 {
			f.Add(at+"price", "%s is below 0", step.Price)
		}
		before = step.UpTo
	}
}

// Quantities are what is charged for in a month.
type Quantities struct {
	// Seconds are the sum of the rounded seconds of statement lines.
	Seconds int64
	Plays   int64
	Users   int64
}

// Of returns the quantity of a unit: seconds for Minute.
func (q Quantities) Of(unit Unit) int64 {
	switch unit {
	case Minute:
		return q.Seconds
	case Play:
		return q.Plays
	}
	return q.Users
}

// Add adds the billable lines of a statement that are of a month.
func (q *Quantities) Add(statement *usage.Statement, month usage.Month) {
	for _, line := range statement.Lines {
		if line.Billable && line.Month == month {
			q.Seconds += line.Seconds
			q.Plays += line.Plays
		}
	}
}

// AddCharged adds what an invoice charges for the plays of a month. Users are ignored.
func (q *Quantities) AddCharged(invoice *Invoice, month usage.Month) {
	for i := range invoice.Lines {
		switch line := &invoice.Lines[i]; {
		case line.Month != month:
		case line.Unit == Minute:
			q.Seconds += line.Quantity
		case line.Unit == Play:
			q.Plays += line.Quantity
		}
	}
}

// charge returns the lines of a component for a quantity: those of the allowance and of the steps that it reaches.
func (t *Terms) charge(c *Component, month usage.Month, quantity int64) []Line {
	var lines []Line
	parts := c.Unit.parts()
	left := max(0, quantity)
	if free := min(left, c.Allowance*parts); free > 0 {
		lines = append(lines, Line{Kind: LineAllowance, Unit: c.Unit, Month: month, Quantity: free, Amount: t.Currency.Zero()})
		left -= free
	}
	var from int64
	for i := range c.Steps {
		step := &c.Steps[i]
		here := left
		if step.UpTo > 0 {
			here = min(left, (step.UpTo-from)*parts)
		}
		if here == 0 {
			break
		}
		lines = append(lines, Line{
			Kind: LineUsage, Unit: c.Unit, Month: month, Quantity: here, From: from, To: step.UpTo, Price: &step.Price,
			Amount: step.Price.portion(here, parts, t.Currency.Digits()),
		})
		left -= here
		from = step.UpTo
	}
	return lines
}
