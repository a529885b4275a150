package usagelogic

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// month is the content of the lists of videos or users for one month of an account.
type month struct {
	total sum
	// missing is the difference between the sums of the account's cells and those of its lists.
	missing sum
	lists   []PartKey
}

// walkVideos adds the contents of the lists in a span to the rows. It uses the cells for the months whose lists are
// incomplete, which a version of the program counted that had no lists.
func (c *collector) walkVideos(ctx context.Context, account Number, s span, each func(*Part, *Play)) error {
	months, err := c.months(ctx, account, Listed, s)
	if err != nil {
		return err
	}
	var lists []PartKey
	for _, bucket := range slices.Sorted(maps.Keys(months)) {
		cells := c.cells(account, usage.ByVideo, span{s.grain, bucket, bucket + 1})
		if m := months[bucket]; m.missing == (sum{}) {
			lists, c.listed = append(lists, m.lists...), append(c.listed, cells)
		} else if err := c.source.Cells(ctx, cells, func(p Part) { each(&p, nil) }); err != nil {
			return err
		}
	}
	if len(lists) == 0 {
		return nil
	}
	at := slices.Index(c.By, usage.ByVideo)
	return c.source.Bodies(ctx, lists, func(place int, body []byte) error {
		rest, err := readSets(body, nil, nil)
		if err != nil {
			return err
		}
		g := c.groupOf(&lists[place].CellKey)
		return readList(rest, func(video Number, s sum) {
			g.values[at] = video
			c.row(g).addListed(video, s)
		})
	})
}

// months returns the months of a span that have plays or lists of a dimension.
func (c *collector) months(ctx context.Context, account Number, dimension usage.Dimension, s span) (map[int64]*month, error) {
	months := map[int64]*month{}
	at := func(bucket int64) *month {
		if months[bucket] == nil {
			months[bucket] = &month{}
		}
		return months[bucket]
	}
	err := c.source.Cells(ctx, c.cells(account, Total, s), func(p Part) {
		m := at(p.Key.Bucket)
		m.total = m.total.plus(sum{p.Plays, p.Milliseconds, p.Excess})
		m.missing = m.total
	})
	if err != nil {
		return nil, err
	}
	return months, c.source.Cells(ctx, c.cells(account, dimension, s), func(p Part) {
		m := at(p.Key.Bucket)
		m.missing = m.missing.plus(sum{-p.Plays, -p.Milliseconds, -p.Excess})
		m.lists = append(m.lists, p.Key)
	})
}

// unlist adds to rows that come from lists the parts of their cells, which contain their users.
func (c *collector) unlist(ctx context.Context, rows []row) error {
	waiting, place := map[group]*tally{}, slices.Index(c.By, usage.ByVideo)
	var videos []Number
	for _, r := range rows {
		if r.tally.listed && !c.skip.users {
			waiting[r.group] = r.tally
			videos = append(videos, r.values[place])
			r.tally.listed = false
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	slices.Sort(videos)
	videos = slices.Compact(videos)
	for _, span := range c.listed {
		span.Values = videos
		err := c.source.Cells(ctx, span, func(p Part) {
			if t := waiting[c.groupOf(&p.Key.CellKey)]; t != nil {
				t.keep(p)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
