package usagelogic

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// page returns the requested page of rows, and the total number of rows.
func (c *collector) page(ctx context.Context) ([]usage.Row, int, error) {
	t := &texts{collector: c, known: map[usage.Dimension]map[Number]string{}}
	if err := c.uniteNames(ctx, t); err != nil {
		return nil, 0, err
	}
	rows, err := c.ranked(ctx)
	if err != nil {
		return nil, 0, err
	}
	from := min(c.Offset, len(rows))
	to := min(from+c.Limit, len(rows))
	// Rows of equal rank are ordered by their keys. Only the rows around the page need the keys.
	first, behind := equals(rows, from, to)
	if err := t.learn(ctx, rows[first:behind]); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(rows[first:behind], func(a, b row) int { return cmp.Or(compareRanks(a, b), t.compare(a.group, b.group)) })
	if err := c.open(ctx, rows[from:to]); err != nil {
		return nil, 0, err
	}
	page := make([]usage.Row, 0, to-from)
	for _, r := range rows[from:to] {
		page = append(page, usage.Row{Bucket: r.bucket, Keys: t.keys(r.group), Measures: r.tally.measures()})
	}
	return page, len(c.groups) + c.others, nil
}

// uniteHidden merges the rows of all hidden channels and of no channel into one. Several rows would reveal the number
// of hidden channels.
func (c *collector) uniteHidden(ctx context.Context) error {
	place := slices.Index(c.By, usage.ByChannel)
	if place < 0 || c.Hide == nil {
		return nil
	}
	t := &texts{collector: c, known: map[usage.Dimension]map[Number]string{}}
	channels := map[Number]bool{}
	for g := range c.groups {
		channels[g.values[place]] = true
	}
	if err := t.learnNumbers(ctx, usage.ByChannel, channels); err != nil {
		return err
	}
	c.uniteGroups(func(g group) group {
		if c.Hide(t.known[usage.ByChannel][g.values[place]]) {
			g.values[place] = 0
		}
		return g
	})
	return nil
}

// uniteGroups merges groups that become maps to the same group.
func (c *collector) uniteGroups(become func(group) group) {
	united := make(map[group]*tally, len(c.groups))
	for g, tally := range c.groups {
		g = become(g)
		if united[g] == nil {
			united[g] = tally
		} else {
			united[g].unite(tally)
		}
	}
	c.groups = united
}

// uniteNames merges users with the same name at several accounts, unless the rows distinguish accounts.
func (c *collector) uniteNames(ctx context.Context, t *texts) error {
	place := slices.Index(c.By, usage.ByUser)
	if place < 0 || slices.Contains(c.By, usage.ByAccount) || len(c.accounts) < 2 {
		return nil
	}
	users := map[Number]bool{}
	for g := range c.groups {
		users[g.values[place]] = true
	}
	if err := t.learnNumbers(ctx, usage.ByUser, users); err != nil {
		return err
	}
	first := map[string]Number{}
	for _, user := range slices.Sorted(maps.Keys(users)) {
		name := t.known[usage.ByUser][user]
		if _, taken := first[name]; !taken {
			first[name] = user
		}
	}
	c.uniteGroups(func(g group) group {
		g.values[place] = first[t.known[usage.ByUser][g.values[place]]]
		return g
	})
	return nil
}

// texts contains the texts of rows.
type texts struct {
	*collector
	known map[usage.Dimension]map[Number]string
}

// learn reads the texts of rows.
func (t *texts) learn(ctx context.Context, rows []row) error {
	for i, d := range t.By {
		numbers := map[Number]bool{}
		for _, r := range rows {
			numbers[r.values[i]] = true
		}
		if err := t.learnNumbers(ctx, d, numbers); err != nil {
			return err
		}
	}
	return nil
}

// learnNumbers reads the texts of the numbers that are not known yet.
func (t *texts) learnNumbers(ctx context.Context, dimension usage.Dimension, numbers map[Number]bool) error {
	known := t.known[dimension]
	if known == nil {
		known = map[Number]string{0: ""}
		t.known[dimension] = known
	}
	unknown := make([]Number, 0, len(numbers))
	for number := range numbers {
		if _, there := known[number]; !there {
			unknown = append(unknown, number)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return t.source.Texts(ctx, dimension, unknown, func(number Number, text string) { known[number] = text })
}

// keys returns the texts of a row.
func (t *texts) keys(g group) []string {
	keys := make([]string, len(t.By))
	for i, d := range t.By {
		keys[i] = t.known[d][g.values[i]]
	}
	return keys
}

// compare orders groups by bucket and keys.
func (t *texts) compare(a, b group) int {
	order := cmp.Compare(a.bucket, b.bucket)
	for i, d := range t.By {
		if order == 0 {
			order = cmp.Compare(t.known[d][a.values[i]], t.known[d][b.values[i]])
		}
	}
	return order
}
