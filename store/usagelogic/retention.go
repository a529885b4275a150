package usagelogic

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Before the horizon, plays are deleted and cells contain no persons; see store.Usage.ForgetPersons. The cells of days
// and months remain, with their sums and videos, and so does the number of users of an account on each day and in each
// month. Other queries about that time return an error. Whether they do depends only on the query, never on the stored
// data.

// Before reports whether the cell is from the time before a horizon. The horizon must be the beginning of a month.
func (k CellKey) Before(horizon event.Instant) bool { return k.Grain.Start(k.Bucket) < horizon }

// deleted reports whether cells before the horizon do not remain. Hourly cells are deleted, because often a single user
// played in an hour, and so are cells that list users.
func deleted(dimension usage.Dimension, grain Grain) bool {
	return grain == Hour || dimension == ListedUsers || dimension == UserVideos
}

// ForgetTx is a transaction that removes persons from cells.
type ForgetTx interface {
	CellTx
	// PartsBehind calls each with all parts, and their bodies, of the first cells behind a key, with the same account,
	// dimension and grain, and a bucket before the given one. The cells are in the order of keys, and as many as one
	// transaction may change without delaying other writers for long. The callback must not retain the body.
	PartsBehind(ctx context.Context, key CellKey, before int64, each func(Part) error) error
}

// ForgetCells removes the persons from the first cells behind a key that have its account, dimension and grain and are
// before a horizon, or deletes these cells. It returns the key of the last one, and whether there are any.
func ForgetCells(ctx context.Context, tx ForgetTx, after CellKey, horizon event.Instant) (last CellKey, found bool, err error) {
	var (
		keys  []CellKey
		cells []*Cell
		users []int64
	)
	err = tx.PartsBehind(ctx, after, after.Grain.Bucket(horizon), func(p Part) error {
		i := len(cells) - 1
		if i < 0 || keys[i] != p.Key.CellKey {
			i++
			keys, cells, users = append(keys, p.Key.CellKey), append(cells, &Cell{Key: p.Key.CellKey}), append(users, 0)
		}
		users[i] = max(users[i], p.Users)
		return cells[i].Absorb(p.Plays, p.Milliseconds, p.Excess, p.Body)
	})
	if err != nil || len(keys) == 0 {
		return after, false, err
	}
	last = keys[len(keys)-1]
	if err := tx.DeleteCells(ctx, keys); err != nil || deleted(after.Dimension, after.Grain) {
		return last, true, err
	}
	parts := make([]Part, len(cells))
	for i, cell := range cells {
		remaining := cell.depersonalise(users[i])
		parts[i] = cell.Part(0, cell.Body())
		parts[i].Users = remaining
	}
	return last, true, tx.PutParts(ctx, parts)
}

// EachForgettable calls fn with every dimension of cells that contain persons and its grains, until fn returns an error.
func EachForgettable(fn func(dimension usage.Dimension, grain Grain) error) error {
	return EachGrain(func(dimension usage.Dimension, grain Grain) error {
		if dimension == Listed {
			return nil
		}
		return fn(dimension, grain)
	})
}

// depersonalise removes the persons of a cell that has absorbed all its parts, and returns the number of users to
// store. For a cell of all plays this is the larger of before, the largest number of any part, and the number of users
// that the cell contains; for other cells it is 0. Persons whose plays arrive late may have been counted before, so the
// larger number is right, or too small by the persons who were not.
func (c *Cell) depersonalise(before int64) (users int64) {
	if c.Key.Dimension == Total {
		users = max(before, c.Users())
	}
	c.persons = set{}
	return users
}

// checkRetained returns an error of code Invalid if the query asks something about the time before the horizon that can
// no longer be answered.
func (c *collector) checkRetained(horizon event.Instant) error {
	c.horizon = horizon
	if c.From >= horizon {
		return nil
	}
	rejection := retentionError(horizon)
	ofAccounts := c.only[usage.ByUser] == nil
	for d := usage.ByClient; d < usage.Dimensions; d++ {
		ofAccounts = ofAccounts && c.only[d] == nil
	}
	if err := c.checkCells(nil, usage.Whole, ofAccounts, !c.total.skip.users, rejection); err != nil {
		return err
	}
	for _, d := range c.By {
		ofAccounts = ofAccounts && d == usage.ByAccount
	}
	return c.checkCells(c.By, c.Interval, ofAccounts, !c.skip.users, rejection)
}

// checkCells returns rejection if the rows need more than daily and monthly cells, or if they have users and need more
// than one cell of an account.
func (c *collector) checkCells(by []usage.Dimension, interval usage.Interval, ofAccounts, users bool, rejection error) error {
	dimension, answered := c.answeredBy(by)
	if !answered || dimension == ListedUsers || users && !ofAccounts {
		return rejection
	}
	cells := int64(0)
	for _, s := range cut(c.From, c.To, fitting(dimension, interval)) {
		if start := s.start(); start < c.horizon && (s.grain == 0 || s.grain == Hour || interval == usage.Monthly && users && s.grain != Month) {
			return rejection
		}
		cells += s.to - s.from
	}
	if users && interval == usage.Whole && cells != 1 {
		return rejection
	}
	return nil
}

// start returns the first instant of a span.
func (s span) start() event.Instant {
	if s.grain == 0 {
		return event.Instant(s.from)
	}
	return s.grain.Start(s.from)
}

// retentionError returns the error of queries that cannot be answered for the time before the horizon.
func retentionError(horizon event.Instant) error {
	return fault.InvalidRequest("before %s only totals of whole days and months are kept, and users only of a single day or month of an account: "+
		"events of that time were deleted (--keep-events). Ask for days or months, or for a time from %s on", horizon, horizon)
}
