package usagelogic

import (
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Before a horizon, plays are gone and cells hold no persons: store.Usage.ForgetPersons removes them. What is left is
// cells of days and months with their sums and videos, and how many users there were of an account on a day and in a
// month. All other questions about that time are refused by what they ask for, never by what is stored.

// Before reports whether the cell is of the time before a horizon, which is the beginning of a month.
func (k CellKey) Before(horizon event.Instant) bool { return k.Grain.Start(k.Bucket) < horizon }

// Depersonalised are the grains of the cells of a dimension that lose their persons, and not only their place. Hours
// are deleted: who played in one is often a single user.
func Depersonalised() map[usage.Dimension][]Grain {
	kept := map[usage.Dimension][]Grain{}
	for dimension, of := range grains {
		for _, grain := range of {
			if dimension != Listed && grain != Hour {
				kept[dimension] = append(kept[dimension], grain)
			}
		}
	}
	return kept
}

// Hourly are the dimensions that have cells of hours.
func Hourly() []usage.Dimension {
	var dimensions []usage.Dimension
	for dimension, of := range grains {
		for _, grain := range of {
			if grain == Hour {
				dimensions = append(dimensions, dimension)
			}
		}
	}
	return dimensions
}

// Depersonalise removes the persons of a cell that has absorbed all its parts, and returns how many users it is stored
// with: of cells of all plays the most that are known, as before is the most that any part had; of others none. Persons
// who come late may have been counted before, so that the larger number is the right one, or too small by those who
// were not.
func (c *Cell) Depersonalise(before int64) (users int64) {
	if c.Key.Dimension == Total {
		users = max(before, c.Users())
	}
	c.persons = set{}
	return users
}

// checkRetained refuses what a query asks of the time before a horizon and cannot be answered any more.
func (c *collector) checkRetained(horizon event.Instant) error {
	c.horizon = horizon
	if c.From >= horizon {
		return nil
	}
	refusal := refusal(horizon)
	ofAccounts := c.only[usage.ByUser] == nil
	for d := usage.ByClient; d < usage.Dimensions; d++ {
		ofAccounts = ofAccounts && c.only[d] == nil
	}
	if err := c.checkCells(nil, usage.Whole, ofAccounts, !c.total.skip.users, refusal); err != nil {
		return err
	}
	for _, d := range c.By {
		ofAccounts = ofAccounts && d == usage.ByAccount
	}
	return c.checkCells(c.By, c.Interval, ofAccounts, !c.skip.users, refusal)
}

// checkCells refuses rows that are not made of cells of days and months alone, and users of rows that are of more than
// one cell of an account.
func (c *collector) checkCells(by []usage.Dimension, interval usage.Interval, ofAccounts, users bool, refusal error) error {
	dimension, answered := c.answeredBy(by)
	if !answered || users && !ofAccounts {
		return refusal
	}
	cells := int64(0)
	for _, s := range cut(c.From, c.To, fitting(dimension, interval)) {
		if start := s.start(); start < c.horizon && (s.grain == 0 || s.grain == Hour || interval == usage.Monthly && users && s.grain != Month) {
			return refusal
		}
		cells += s.to - s.from
	}
	if users && interval == usage.Whole && cells != 1 {
		return refusal
	}
	return nil
}

// start is the first instant of a span.
func (s span) start() event.Instant {
	if s.grain == 0 {
		return event.Instant(s.from)
	}
	return s.grain.Start(s.from)
}

func refusal(horizon event.Instant) error {
	return fault.InvalidRequest("before %s only totals of whole days and months are kept, and users only of a single day or month of an account: "+
		"events of that time were deleted (--keep-events). Ask for days or months, or for a time from %s on", horizon, horizon)
}
