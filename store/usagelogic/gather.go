package usagelogic

import (
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Gather returns cells with the sums of plays, ordered by account, month and key. It leaves out plays that voids take
// out of the counts.
func Gather(plays []Play) (cells []*Cell) {
	months := map[BlockKey]*gathering{}
	var last *gathering
	for i := range plays {
		p := &plays[i]
		if last == nil || last.account != p.Account || p.At < last.from || p.At >= last.to {
			key := BlockKey{Account: p.Account, Month: Month.Bucket(p.At)}
			if last = months[key]; last == nil {
				last = newGathering(key)
				months[key] = last
			}
		}
		last.add(p)
	}
	for _, key := range slices.SortedFunc(maps.Keys(months), BlockKey.compare) {
		cells = append(cells, months[key].ordered()...)
	}
	return cells
}

// gathering sums up plays of one account and month in cells.
//
// A play is added only to the cells of the finest grain of each dimension. The coarser cells are the sums of these,
// because a bucket of each grain lies within one bucket of the coarser ones. The lists of videos are the sums of the
// cells of videos.
type gathering struct {
	account  Number
	from, to event.Instant
	// first contains the first bucket of the month, by grain.
	first [Month + 1]int64
	cells map[packed]*Cell
}

// packed is the key of a cell of a gathering. The order is that of CellKey.
type packed uint64

func newGathering(of BlockKey) *gathering {
	g := &gathering{account: of.Account, from: Month.Start(of.Month), to: Month.Start(of.Month + 1), cells: map[packed]*Cell{}}
	g.first = [...]int64{Hour: Hour.Bucket(g.from), Day: Day.Bucket(g.from), Month: of.Month}
	return g
}

func (g *gathering) cell(dimension usage.Dimension, grain Grain, bucket int64, value Number, sandbox bool) *Cell {
	// A month has less than 1024 hours.
	key := packed(dimension)<<45 | packed(grain)<<43 | packed(bucket-g.first[grain])<<33 | packed(value)<<1 | packed(truth(sandbox))
	c := g.cells[key]
	if c == nil {
		c = &Cell{Key: CellKey{g.account, dimension, grain, bucket, value, sandbox}}
		g.cells[key] = c
	}
	return c
}

// finest contains the finest grain of each dimension.
var finest = func() (of [UserVideos + 1]Grain) {
	for dimension, kept := range grains {
		of[dimension] = kept[len(kept)-1]
	}
	return of
}()

func (g *gathering) add(p *Play) {
	if p.Void != 0 {
		return
	}
	buckets := [...]int64{Hour: Hour.Bucket(p.At), Day: Day.Bucket(p.At), Month: g.first[Month]}
	for i, grain := range finest {
		if dimension := usage.Dimension(i); grain != 0 && dimension != Listed {
			p.cellValues(dimension, func(value Number) {
				g.cell(dimension, grain, buckets[grain], value, p.Sandbox).add(p)
			})
		}
	}
}

// ordered returns the cells in the order of their keys, after the coarser cells and the lists of videos are added.
func (g *gathering) ordered() []*Cell {
	keys := slices.Sorted(maps.Keys(g.cells))
	added := make([]*Cell, 0, len(keys))
	for _, key := range keys {
		added = append(added, g.cells[key])
	}
	for i := 0; i < len(added); i++ { // includes the cells that it adds
		c := added[i]
		if c.Key.Dimension == usage.ByVideo {
			listed := g.cell(Listed, Month, g.first[Month], 0, c.Key.Sandbox)
			listed.addSums(c)
			listed.list.add(c.Key.Value, sum{c.Plays, c.Milliseconds, c.Excess})
		}
		if grain := coarser(c.Key); grain != 0 {
			cells := len(g.cells)
			into := g.cell(c.Key.Dimension, grain, grain.Bucket(c.Key.Grain.Start(c.Key.Bucket)), c.Key.Value, c.Key.Sandbox)
			if len(g.cells) > cells {
				added = append(added, into)
			}
			into.include(c)
		}
	}
	cells := make([]*Cell, 0, len(g.cells))
	for _, key := range slices.Sorted(maps.Keys(g.cells)) {
		cells = append(cells, g.cells[key])
	}
	return cells
}

// coarser returns the next coarser grain of the cells of a dimension; 0: there is none.
func coarser(key CellKey) (grain Grain) {
	for _, kept := range grains[key.Dimension] { // the coarsest comes first
		if kept == key.Grain {
			return grain
		}
		grain = kept
	}
	return 0
}

func (c *Cell) addSums(other *Cell) {
	c.Plays += other.Plays
	c.Milliseconds += other.Milliseconds
	c.Excess += other.Excess
}

// include adds another cell of a dimension with sets, which remains usable.
func (c *Cell) include(other *Cell) {
	c.addSums(other)
	c.persons.include(&other.persons)
	c.videos.include(&other.videos)
}
