package storetest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// counted is the naive model of store.Usage. It keeps all plays and scans them for every result.
type counted struct {
	plays    []usage.Play
	seals    []usage.Seal
	progress usage.Progress

	// voids contains the IDs of the active voids of each play, by position.
	voids map[event.Position][]string
	// unbilled contains the positions of plays that were voided when they were sealed.
	unbilled    map[event.Position]bool
	adjustments []adjustment
}

// valuesOf returns a play's values of a dimension, each once, or "" if it has none.
func valuesOf(p *usage.Play, dimension usage.Dimension) []string {
	switch dimension {
	case usage.ByAccount:
		return []string{p.Account}
	case usage.ByClient:
		return []string{p.Client}
	case usage.ByUser:
		return []string{p.Person}
	case usage.ByVideo:
		return []string{p.Video}
	case usage.ByChannel:
		return []string{p.Channel}
	}
	if len(p.Subjects) == 0 {
		return []string{""}
	}
	subjects := slices.Sorted(slices.Values(p.Subjects))
	return slices.Compact(subjects)
}

func keeps(q *usage.Query, p *usage.Play) bool {
	for dimension, wanted := range q.Only {
		if wanted != nil && !slices.ContainsFunc(valuesOf(p, usage.Dimension(dimension)), func(value string) bool {
			return slices.Contains(wanted, value)
		}) {
			return false
		}
	}
	return p.At >= q.From && p.At < q.To && (q.Sandbox || !p.Sandbox)
}

// measured accumulates the measures of a row.
type measured struct {
	usage.Row
	users, videos map[string]bool
}

func (m *measured) add(p *usage.Play) {
	if m.users == nil {
		m.users, m.videos = map[string]bool{}, map[string]bool{}
	}
	m.Milliseconds += p.End - p.Start - p.Excess
	m.Excess += p.Excess
	if p.Continues {
		return
	}
	m.Plays++
	if p.Person != "" {
		m.users[p.Account+"\x00"+p.Person] = true // the same name in two accounts is two persons
	}
	if p.Video != "" {
		m.videos[p.Video] = true
	}
}

func (m *measured) row() usage.Row {
	m.Users, m.Videos = int64(len(m.users)), int64(len(m.videos))
	return m.Row
}

func (c *counted) table(q usage.Query) usage.Table {
	groups, total := map[string]*measured{}, &measured{}
	for i := range c.plays {
		p := &c.plays[i]
		if c.voided(p) {
			continue
		}
		if !keeps(&q, p) {
			continue
		}
		total.add(p)
		if q.RowsTo != 0 && (p.At < q.RowsFrom || p.At >= q.RowsTo) {
			continue
		}
		bucket := q.From
		if q.Interval != usage.Whole {
			bucket = q.Interval.Bucket(p.At)
		}
		for _, keys := range keysOf(p, q.By) {
			if place := slices.Index(q.By, usage.ByChannel); place >= 0 && q.Hide != nil && q.Hide(keys[place]) {
				keys[place] = ""
			}
			name := bucket.String() + "\x00" + strings.Join(keys, "\x00")
			if groups[name] == nil {
				groups[name] = &measured{Row: usage.Row{Bucket: bucket, Keys: keys}}
			}
			groups[name].add(p)
		}
	}
	var rows []usage.Row
	for _, group := range groups {
		rows = append(rows, group.row())
	}
	slices.SortFunc(rows, func(a, b usage.Row) int { return compareRows(q.Order, a, b) })
	from := min(q.Offset, len(rows))
	table := usage.Table{
		Progress: c.progress, Total: total.row().Measures, Count: len(rows), Rows: rows[from:min(from+q.Limit, len(rows))],
	}
	leaveOut(&q, &table.Total)
	if q.NoTotalUsers && (len(q.By) > 0 || q.Interval != usage.Whole) {
		table.Total.Users = 0
	}
	for i := range table.Rows {
		leaveOut(&q, &table.Rows[i].Measures)
	}
	return table
}

// leaveOut clears the measures that the query does not request.
func leaveOut(q *usage.Query, m *usage.Measures) {
	if q.NoUsers && q.Order != usage.MostUsers {
		m.Users = 0
	}
	if q.NoVideos && q.Order != usage.MostVideos {
		m.Videos = 0
	}
}

// keysOf returns the keys of all rows that a play belongs to.
func keysOf(p *usage.Play, by []usage.Dimension) [][]string {
	if len(by) == 0 {
		return [][]string{{}}
	}
	var all [][]string
	for _, rest := range keysOf(p, by[1:]) {
		for _, value := range valuesOf(p, by[0]) {
			all = append(all, append([]string{value}, rest...))
		}
	}
	return all
}

func compareRows(order usage.Order, a, b usage.Row) int {
	most := map[usage.Order]int{
		usage.MostSeconds: cmp.Compare(b.Milliseconds, a.Milliseconds), usage.MostPlays: cmp.Compare(b.Plays, a.Plays),
		usage.MostUsers: cmp.Compare(b.Users, a.Users), usage.MostVideos: cmp.Compare(b.Videos, a.Videos),
	}[order]
	return cmp.Or(most, cmp.Compare(a.Bucket, b.Bucket), slices.Compare(a.Keys, b.Keys))
}

func (c *counted) curve(q usage.CurveQuery) usage.Curve {
	sum, views, seen := &measured{}, map[int64]int64{}, map[string]bool{}
	last := int64(-1)
	for i := range c.plays {
		p := &c.plays[i]
		if c.voided(p) {
			continue
		}
		if p.Video != q.Video || (q.Accounts != nil && !slices.Contains(q.Accounts, p.Account)) ||
			p.At < q.From || p.At >= q.To || (p.Sandbox && !q.Sandbox) {
			continue
		}
		sum.add(p)
		for second := p.Start / 1000; second*1000 < p.End-p.Excess && p.End-p.Excess > p.Start && second < usage.MaxCurve; second++ {
			views[second]++
			last = max(last, second)
			if p.Person != "" {
				seen[p.Account+"\x00"+p.Person+"\x00"+event.Instant(second).String()] = true
			}
		}
	}
	curve := usage.Curve{Progress: c.progress, Measures: sum.row().Measures, UniqueSeconds: int64(len(seen))}
	for second := int64(0); second <= last; second++ {
		curve.Views = append(curve.Views, views[second])
	}
	return curve
}

// ledger sums plays, each under the first seal that it belongs to, and adjustments, each under the first seal made
// after it.
func (c *counted) ledger(account string) (sums []usage.Sum) {
	index := map[usage.Sum]usage.Sum{}
	add := func(p *usage.Play, sealed usage.Month, void string, sign int64) {
		if account != "" && p.Account != account {
			return
		}
		key := usage.Sum{Account: p.Account, Month: usage.MonthOf(p.At), Client: p.Client, Sandbox: p.Sandbox, Sealed: sealed, Void: void}
		sum := index[key]
		if !p.Continues {
			sum.Plays += sign
		}
		sum.Milliseconds += sign * (p.End - p.Start - p.Excess)
		sum.Excess += sign * p.Excess
		index[key] = sum
	}
	for i := range c.plays {
		p := &c.plays[i]
		if sealed := c.sealOf(p); sealed == (usage.Month{}) && !c.voided(p) || sealed != (usage.Month{}) && !c.unbilled[p.Position] {
			add(p, sealed, "", 1)
		}
	}
	for _, a := range c.adjustments {
		sealed := usage.Month{}
		if len(c.seals) > a.seals {
			sealed = c.seals[a.seals].Month
		}
		add(&a.play, sealed, a.void, a.sign)
	}
	for key, sum := range index {
		if sum == (usage.Sum{}) {
			continue
		}
		key.Plays, key.Milliseconds, key.Excess = sum.Plays, sum.Milliseconds, sum.Excess
		sums = append(sums, key)
	}
	slices.SortFunc(sums, compareSums)
	return sums
}

// sealOf returns the month of the first seal that a play belongs to.
func (c *counted) sealOf(p *usage.Play) usage.Month {
	for _, seal := range c.seals {
		if !seal.Month.Before(usage.MonthOf(p.At)) && seal.Position >= p.Position {
			return seal.Month
		}
	}
	return usage.Month{}
}

func compareSums(a, b usage.Sum) int {
	sandbox := map[bool]int{true: 1}
	late := func(m usage.Month) int {
		if m == (usage.Month{}) {
			return 1 << 40
		}
		return m.Number()
	}
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()), cmp.Compare(a.Client, b.Client),
		cmp.Compare(sandbox[a.Sandbox], sandbox[b.Sandbox]), cmp.Compare(late(a.Sealed), late(b.Sealed)), strings.Compare(a.Void, b.Void))
}

// lists returns the expected lists of videos.
func (c *counted) lists() []usage.List {
	lists := map[usage.List]*usage.List{}
	for i := range c.plays {
		p := &c.plays[i]
		if c.voided(p) {
			continue
		}
		month := usage.MonthOf(p.At)
		key := usage.List{Account: p.Account, Month: month, Sandbox: p.Sandbox}
		if lists[key] == nil {
			list := key
			lists[key] = &list
		}
		l, weight := lists[key], weigh(p.Video)
		if !p.Continues {
			l.Plays++
			l.Weight += weight.Play
		}
		l.Milliseconds += p.Milliseconds()
		l.Excess += p.Excess
		l.Weight += weight.Millisecond*uint64(p.Milliseconds()) + weight.Excess*uint64(p.Excess)
	}
	var all []usage.List
	for _, list := range lists {
		all = append(all, *list)
	}
	slices.SortFunc(all, func(a, b usage.List) int {
		sandbox := map[bool]int{true: 1}
		return cmp.Or(strings.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()), sandbox[a.Sandbox]-sandbox[b.Sandbox])
	})
	return all
}

// rename assigns the plays of a person of an account to another person.
func (c *counted) rename(account, person, alias string) {
	for i := range c.plays {
		if c.plays[i].Account == account && c.plays[i].Person == person {
			c.plays[i].Person = alias
		}
	}
}

// Seconds and minutes, in milliseconds, as short names for the lengths of plays.
const (
	second = int64(1000)
	minute = 60 * second
)

// accountsOf returns all accounts of plays.
func accountsOf(plays []usage.Play) []string {
	accounts := map[string]bool{}
	for i := range plays {
		accounts[plays[i].Account] = true
	}
	return slices.Sorted(maps.Keys(accounts))
}
