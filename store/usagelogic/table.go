package usagelogic

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// maxGathered is the largest number of rows, of some hundred bytes each, that a table collects to return one page. The
// rows of a year of a large account by user and video would not fit in memory.
const maxGathered = 1_000_000

// Table answers a query that Query.Check accepts. It returns an error of code Invalid if the query collects too many
// rows.
func Table(ctx context.Context, source Source, query usage.Query) (usage.Table, error) {
	return tableOf(ctx, source, query, maxGathered)
}

func tableOf(ctx context.Context, source Source, query usage.Query, most int) (table usage.Table, err error) {
	if table.Progress, err = source.Progress(ctx); err != nil {
		return usage.Table{}, err
	}
	q, err := ask(ctx, source, &query)
	if err != nil {
		return usage.Table{}, err
	}
	c := &collector{question: q, source: source, groups: map[group]*tally{}, most: most}
	c.total = &tally{skip: q.skip}
	if !c.single() {
		c.total.skip.users = c.total.skip.users || query.NoTotalUsers
	}
	horizon, err := source.Horizon(ctx)
	if err != nil {
		return usage.Table{}, err
	}
	if err := c.checkRetained(horizon); err != nil {
		return usage.Table{}, err
	}
	c.total.horizon = c.horizon
	if err := c.collect(ctx); err != nil {
		return usage.Table{}, err
	}
	if err := open(ctx, source, c.total); err != nil {
		return usage.Table{}, err
	}
	table.Total = c.total.measures()
	table.Rows, table.Count, err = c.page(ctx)
	return table, err
}

// group identifies a row: a bucket, and the values of the dimensions of the query.
type group struct {
	bucket event.Instant
	values [usage.MaxDimensions]Number
}

// collector collects the rows of a table and its total.
type collector struct {
	*question
	source Source
	groups map[group]*tally
	// value holds the values of a play, so that none is allocated for each.
	value [usage.MaxDimensions][1]Number
	most  int // limit of the number of groups
	full  bool
	total *tally
	// others is the number of rows without a group, because they cannot be on the page.
	others int
	// listed contains the spans of cells with what is missing in rows that come from lists: the cells of videos, or the
	// videos of users.
	listed []CellSpan
	// horizon is the first instant whose persons are known.
	horizon event.Instant
}

// single reports whether the table has one row, which is its total.
func (c *collector) single() bool { return len(c.By) == 0 && c.Interval == usage.Whole }

// collect reads cells as far as they answer the query, and plays for the rest. If the rows need plays, the total comes
// from the plays too; otherwise it comes from its own cells, which are coarser than those of the rows.
func (c *collector) collect(ctx context.Context) error {
	single := c.single()
	if !single {
		from, to := c.From, c.To
		if c.RowsTo != 0 {
			from, to = c.RowsFrom, c.RowsTo
		}
		dimension, spans, err := c.spans(ctx, c.By, from, to, c.Interval)
		if err != nil {
			return err
		}
		onlyPlays := !slices.ContainsFunc(spans, func(s span) bool { return s.grain != 0 })
		totalToo := onlyPlays && from == c.From && to == c.To
		if err := c.walk(ctx, dimension, spans, func(p *Part, play *Play) {
			c.addToRows(p, play)
			if totalToo {
				c.total.addPlay(play)
			}
		}); err != nil {
			return err
		}
		if err := c.uniteHidden(ctx); err != nil || totalToo {
			return err
		}
	}
	dimension, spans, err := c.spans(ctx, nil, c.From, c.To, usage.Whole)
	if err != nil {
		return err
	}
	if err := c.walk(ctx, dimension, spans, c.total.add); err != nil {
		return err
	}
	if single && !c.total.empty() {
		c.groups[group{bucket: c.From}] = c.total
	}
	return nil
}

// spans splits a period into what answers the query by the given dimensions: cells of one dimension as far as they do, and
// plays elsewhere. Cells of a bucket that ends after the period answer too if no play lies between: cells of a month thus
// answer for the month to date, whose plays would take long to read.
func (c *collector) spans(ctx context.Context, by []usage.Dimension, from, to event.Instant, interval usage.Interval) (usage.Dimension, []span, error) {
	dimension, answered := c.answeredBy(by)
	if !answered {
		return dimension, cut(from, to, nil), nil
	}
	grains := fitting(dimension, interval)
	spans := cut(from, to, grains)
	for _, grain := range grains {
		if n := len(spans); n == 0 || spans[n-1].grain != 0 {
			break
		}
		end := grain.Start(grain.Bucket(to) + 1)
		longer := cut(from, end, grains)
		if longer[len(longer)-1].grain == 0 {
			continue
		}
		if later, err := c.anyPlays(ctx, to, end); err != nil {
			return dimension, nil, err
		} else if !later {
			return dimension, longer, nil
		}
	}
	return dimension, spans, nil
}

// anyPlays reports whether the accounts have plays in a period of whole hours.
func (c *collector) anyPlays(ctx context.Context, from, to event.Instant) (found bool, err error) {
	for _, account := range c.accounts {
		for _, s := range cut(from, to, grains[Total]) {
			err := c.source.Cells(ctx, c.cells(account, Total, s), func(Part) { found = true })
			if found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// walk calls each with everything in spans that matches the query: parts of cells of a dimension, and plays.
func (c *collector) walk(ctx context.Context, dimension usage.Dimension, spans []span, each func(*Part, *Play)) error {
	for _, account := range c.accounts {
		for _, s := range spans {
			if err := c.walkSpan(ctx, account, dimension, s, each); err != nil {
				return err
			}
			if c.full {
				return fault.InvalidRequest("there are more than %d rows to choose from: ask for a shorter time, fewer dimensions or a longer interval", c.most)
			}
		}
	}
	return nil
}

func (c *collector) walkSpan(ctx context.Context, account Number, dimension usage.Dimension, s span, each func(*Part, *Play)) error {
	switch {
	case s.grain == 0:
		return c.walkPlays(ctx, account, s, func(p *Play) { each(nil, p) })
	case dimension == usage.ByVideo && c.only[dimension] == nil:
		return c.walkVideos(ctx, account, s, each)
	case dimension == ListedUsers:
		return c.walkUsers(ctx, account, s, each)
	}
	return c.source.Cells(ctx, c.cells(account, dimension, s), func(p Part) { each(&p, nil) })
}

// walkPlays calls each with the plays that match the query. It finds them by video or by person if the query asks for
// some.
func (c *collector) walkPlays(ctx context.Context, account Number, s span, each func(*Play)) error {
	kept := func(p *Play) {
		if c.keeps(p) {
			each(p)
		}
	}
	whole := PlaySpan{Account: account, From: event.Instant(s.from), To: event.Instant(s.to), Sandbox: c.Sandbox, Persons: c.only[usage.ByUser]}
	if c.only[usage.ByVideo] == nil {
		return readPlays(ctx, c.source, whole, kept)
	}
	for _, video := range c.only[usage.ByVideo] {
		whole.Video, whole.OfVideo = video, true
		if err := readPlays(ctx, c.source, whole, kept); err != nil {
			return err
		}
	}
	return nil
}

// addToRows adds a part of a cell or a play, one of which is nil, to all rows that it belongs to.
func (c *collector) addToRows(part *Part, play *Play) {
	if part != nil {
		c.row(c.groupOf(&part.Key.CellKey)).addPart(*part)
		return
	}
	values := [usage.MaxDimensions][]Number{noSubjects, noSubjects}
	for i, d := range c.By {
		if d == usage.BySubject {
			values[i] = play.subjects()
		} else {
			c.value[i][0] = play.value(d)
			values[i] = c.value[i][:]
		}
	}
	for _, first := range values[0] {
		for _, second := range values[1] {
			c.row(group{c.bucket(play.At), [...]Number{first, second}}).addPlay(play)
		}
	}
}

// groupOf returns the group that a cell belongs to.
func (c *collector) groupOf(key *CellKey) group {
	g := group{bucket: c.bucket(key.Grain.Start(key.Bucket))}
	for i, d := range c.By {
		if g.values[i] = key.Value; d == usage.ByAccount {
			g.values[i] = key.Account
		}
	}
	return g
}

func (c *collector) bucket(at event.Instant) event.Instant {
	if c.Interval == usage.Whole {
		return c.From
	}
	return c.Interval.Bucket(at)
}

// row returns the tally of a group. If there are too many groups, it returns a tally that the table does not include.
func (c *collector) row(g group) *tally {
	t := c.groups[g]
	if t == nil {
		t = &tally{skip: c.skip, horizon: c.horizon}
		if c.full = c.full || len(c.groups) >= c.most; !c.full {
			c.groups[g] = t
		}
	}
	return t
}
