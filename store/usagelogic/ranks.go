package usagelogic

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// Combining the users of a row is expensive, and most orders depend on sums alone. So a query ranks the rows first, and
// then opens only the rows on the page.

// row is a row of the table before it becomes a usage.Row.
type row struct {
	group
	tally *tally
	// rank is the measure that the query orders by, the highest first, before the keys.
	rank int64
}

func compareRanks(a, b row) int { return cmp.Compare(b.rank, a.rank) }

// ranked returns rows in order of rank, as many of the first ones as the page needs.
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
	if known {
		rows = c.first(rows)
	}
	slices.SortFunc(rows, compareRanks)
	if known || c.Offset >= len(rows) {
		return rows, nil
	}
	return c.certain(ctx, rows)
}

// first returns the rows whose rank is not below that of the last row of the page. There may be many others, which need
// no order.
func (c *collector) first(rows []row) []row {
	least := least(rows, c.Offset+c.Limit, func(r row) int64 { return r.rank })
	return slices.DeleteFunc(rows, func(r row) bool { return r.rank < least })
}

// least returns the rank that the n highest ranks of a list are not below.
func least[T any](list []T, n int, rank func(T) int64) int64 {
	if n >= len(list) {
		return math.MinInt64
	}
	ranks := make([]int64, len(list))
	for i := range list {
		ranks[i] = rank(list[i])
	}
	slices.Sort(ranks)
	return ranks[len(ranks)-n]
}

// certain ranks rows that are in the order of their highest possible ranks. It opens them from the first on, until no
// other row can come before the end of the page, and returns these by their actual ranks.
func (c *collector) certain(ctx context.Context, rows []row) ([]row, error) {
	end := min(c.Offset+c.Limit, len(rows))
	behind := end
	if slices.Contains(c.By, usage.ByUser) {
		behind = len(rows) // the videos of many users are in the same cells
	}
	for first := 0; ; first, behind = behind, min(2*behind, len(rows)) {
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

// open combines the users and videos of rows.
func (c *collector) open(ctx context.Context, rows []row) error {
	if err := c.unlist(ctx, rows); err != nil {
		return err
	}
	if err := c.unlistUsers(ctx, rows); err != nil {
		return err
	}
	tallies := make([]*tally, len(rows))
	for i, r := range rows {
		tallies[i] = r.tally
	}
	return open(ctx, c.source, tallies...)
}

// equals extends a range of sorted rows to the rows whose rank equals that of its first or last row.
func equals(rows []row, from, to int) (first, behind int) {
	if from == to {
		return from, from
	}
	first, _ = slices.BinarySearchFunc(rows, rows[from], compareRanks)
	behind, _ = slices.BinarySearchFunc(rows, rows[to-1], func(r, last row) int { return cmp.Or(compareRanks(r, last), -1) })
	return first, behind
}
