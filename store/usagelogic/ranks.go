package usagelogic

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// Who used what is dear to put together, and most orders go by sums alone: so rows find their places first, and are
// opened where they are on the page.

// row is a usage.Row that has its place.
type row struct {
	group
	tally *tally
	// rank is what the query orders by, the highest first, but for the keys.
	rank int64
}

func compareRanks(a, b row) int { return cmp.Compare(b.rank, a.rank) }

// ranked lists rows by their ranks: all of them, or where ranks are dear, so many of the first that the page is among
// them.
func (c *collector) ranked(ctx context.Context) ([]row, error) {
	rows, known := make([]row, 0, len(c.groups)), true
	for g, tally := range c.groups {
		r := row{g, tally, -int64(g.bucket)}
		if c.Order != usage.OrderByKey {
			var certain bool
			r.rank, certain = tally.weight(c.Order)
			known = known && certain
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, compareRanks)
	if known || c.Offset >= len(rows) {
		return rows, nil
	}
	return c.certain(ctx, rows)
}

// certain opens rows that are ranked by the most that they can have, the first ones first, until no other can come
// before the end of the page, and returns these by what they have.
func (c *collector) certain(ctx context.Context, rows []row) ([]row, error) {
	end := min(c.Offset+c.Limit, len(rows))
	for first, behind := 0, end; ; first, behind = behind, min(2*behind, len(rows)) {
		if err := c.open(ctx, rows[first:behind]); err != nil {
			return nil, err
		}
		for i := range rows[first:behind] {
			r := &rows[first+i]
			r.rank, _ = r.tally.weight(c.Order)
		}
		slices.SortFunc(rows[:behind], compareRanks)
		if behind == len(rows) || rows[end-1].rank > rows[behind].rank {
			return rows[:behind], nil
		}
	}
}

// open puts together who used what of rows.
func (c *collector) open(ctx context.Context, rows []row) error {
	if err := c.unlist(ctx, rows); err != nil {
		return err
	}
	tallies := make([]*tally, len(rows))
	for i, r := range rows {
		tallies[i] = r.tally
	}
	return open(ctx, c.source, tallies...)
}

// equals widens a part of sorted rows to those that equal its first and its last.
func equals(rows []row, from, to int) (first, behind int) {
	if from == to {
		return from, from
	}
	first, _ = slices.BinarySearchFunc(rows, rows[from], compareRanks)
	behind, _ = slices.BinarySearchFunc(rows, rows[to-1], func(r, last row) int { return cmp.Or(compareRanks(r, last), -1) })
	return first, behind
}
