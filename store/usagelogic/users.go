package usagelogic

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// person is a user of an account.
type person struct{ account, number Number }

// shares is the number of cells with the videos of users for each account and month.
const shares = 64

// shareOf returns the share that a user belongs to. The users of an account are spread evenly over all shares, also if
// their numbers lie far apart.
func shareOf(person Number) Number { return person % shares }

func anyone(Number) bool { return true }

// moveVideos moves the videos of a person to another person, whose share may be another one.
func (c *Cell) moveVideos(old, by Number, moved map[CellKey]*Cell) bool {
	videos, into := c.pairs.take(old), c
	key := c.Key
	if key.Value = shareOf(by); key != c.Key && len(videos) > 0 {
		if moved[key] == nil {
			moved[key] = &Cell{Key: key}
		}
		into = moved[key]
	}
	for _, video := range videos {
		into.pairs.add(by, video)
	}
	return len(videos) > 0
}

// walkUsers adds the contents of the lists of users in a span to the rows. It reads the plays of the months whose lists
// are incomplete: a version of the program counted them that had no such lists, or their lines do not add up.
func (c *collector) walkUsers(ctx context.Context, account Number, s span, each func(*Part, *Play)) error {
	months, err := c.months(ctx, account, ListedUsers, s)
	if err != nil {
		return err
	}
	lists, monthly := map[group]*list{}, list{}
	for _, bucket := range slices.Sorted(maps.Keys(months)) {
		users, complete, err := c.listOfUsers(ctx, months[bucket], &monthly)
		if err != nil {
			return err
		}
		if !complete {
			plays := span{0, int64(s.grain.Start(bucket)), int64(s.grain.Start(bucket + 1))}
			if err := c.walkPlays(ctx, account, plays, func(p *Play) { each(nil, p) }); err != nil {
				return err
			}
			continue
		}
		c.listVideos(c.cells(account, UserVideos, span{s.grain, bucket, bucket + 1}))
		g := c.groupOf(&CellKey{Account: account, Grain: s.grain, Bucket: bucket})
		if lists[g] == nil {
			lists[g] = &list{}
		}
		if lists[g].addAll(users); len(lists[g].lines) > c.most {
			c.full = true
			return nil
		}
	}
	at := slices.Index(c.By, usage.ByUser)
	for g, all := range lists {
		lines := all.unite()
		if c.allListed(account) {
			lines = c.best(lines)
		}
		if len(c.groups) == 0 {
			c.groups = make(map[group]*tally, len(lines))
		}
		for i := range lines {
			g.values[at] = lines[i].value
			c.row(g).addListedUser(account, &lines[i])
		}
	}
	return nil
}

// allListed reports whether the list of an account is the only source of rows, and contains what ranks them.
func (c *collector) allListed(account Number) bool {
	return len(c.accounts) == 1 && c.accounts[0] == account && c.Interval == usage.Whole && len(c.groups) == 0 &&
		usage.MonthOf(c.From).Start() == c.From && usage.MonthOf(c.To).Start() == c.To &&
		(c.Order == usage.MostSeconds || c.Order == usage.MostPlays)
}

// best returns the lines that can be on the page, in any order, and counts the others.
func (c *collector) best(lines []line) []line {
	rank := func(l line) int64 {
		if c.Order == usage.MostPlays {
			return l.plays
		}
		return l.milliseconds
	}
	least := least(lines, c.Offset+c.Limit, rank)
	best := slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return rank(l) < least })
	c.others += len(lines) - len(best)
	return best
}

// listOfUsers returns the list of a month, in the memory of a list. complete reports whether its sums are those of all plays of the month.
func (c *collector) listOfUsers(ctx context.Context, m *month, all *list) (users []line, complete bool, err error) {
	if m.missing != (sum{}) || len(m.lists) == 0 {
		return nil, m.total == (sum{}), nil
	}
	var total sum
	all.lines, all.united = all.lines[:0], 0
	err = c.source.Bodies(ctx, m.lists, func(_ int, body []byte) error {
		_ = readShortList(body, func(user Number, s sum) { // the lines of a damaged body do not add up
			all.add(user, s)
			total = total.plus(s)
		})
		return nil
	})
	return all.unite(), total == m.total, err
}

// listVideos notes cells with the videos of users.
func (c *collector) listVideos(cells CellSpan) {
	if n := len(c.listed); n > 0 && c.listed[n-1].Account == cells.Account && c.listed[n-1].To == cells.From {
		c.listed[n-1].To = cells.To
		return
	}
	c.listed = append(c.listed, cells)
}

// unlistUsers adds the videos of the users to rows that come from lists of users.
func (c *collector) unlistUsers(ctx context.Context, rows []row) error {
	waiting := map[person][]row{}
	for _, r := range rows {
		for _, p := range r.tally.listedUsers {
			waiting[p] = append(waiting[p], r)
		}
		r.tally.listedUsers = nil
	}
	if len(waiting) == 0 {
		return nil
	}
	for _, cells := range c.listed {
		for p := range waiting {
			if p.account == cells.Account {
				cells.Values = append(cells.Values, shareOf(p.number))
			}
		}
		if len(cells.Values) == 0 {
			continue
		}
		slices.Sort(cells.Values)
		cells.Values = slices.Compact(cells.Values)
		if err := c.addVideos(ctx, cells, waiting); err != nil {
			return err
		}
	}
	return nil
}

// addVideos adds the videos that cells contain to the waiting rows of their users.
func (c *collector) addVideos(ctx context.Context, cells CellSpan, waiting map[person][]row) error {
	var parts []PartKey
	if err := c.source.Cells(ctx, cells, func(p Part) { parts = append(parts, p.Key) }); err != nil {
		return err
	}
	if len(parts) == 0 {
		return nil
	}
	return c.source.Bodies(ctx, parts, func(place int, body []byte) error {
		bucket := c.groupOf(&parts[place].CellKey).bucket
		return readPairs(body, func(user Number) bool { return waiting[person{cells.Account, user}] != nil }, func(user, video Number) {
			for _, r := range waiting[person{cells.Account, user}] {
				if r.bucket == bucket {
					r.tally.videos.add(video)
				}
			}
		})
	})
}
