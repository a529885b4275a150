package usagelogic

import "github.com/filmstrip/filmstrip/usage"

// Gather returns cells with the sums of plays, in the order of their keys. It leaves out plays that voids take out of
// the counts.
//
// A play is added only to the cells of the finest grain of each dimension. The coarser cells are the sums of these,
// because a bucket of each grain lies within one bucket of the coarser ones.
func Gather(plays []Play) []*Cell {
	cells := map[CellKey]*Cell{}
	added := make([]*Cell, 0, len(plays))
	cell := func(key CellKey) *Cell {
		c := cells[key]
		if c == nil {
			c = &Cell{Key: key}
			cells[key], added = c, append(added, c)
		}
		return c
	}
	for i := range plays {
		if p := &plays[i]; p.Void == 0 {
			p.finest(func(key CellKey) { cell(key).add(p) })
		}
	}
	for i := 0; i < len(added); i++ { // includes the cells that it adds
		if grain := coarser(added[i].Key); grain != 0 {
			key := added[i].Key
			key.Grain, key.Bucket = grain, grain.Bucket(key.Grain.Start(key.Bucket))
			cell(key).include(added[i])
		}
	}
	return inOrder(cells)
}

// finest calls each with the keys of the cells of the finest grains that the play belongs to.
func (p *Play) finest(each func(CellKey)) {
	for dimension, kept := range grains {
		grain := kept[len(kept)-1]
		key := CellKey{p.Account, dimension, grain, grain.Bucket(p.At), 0, p.Sandbox}
		switch {
		case dimension < usage.Dimensions:
			for _, value := range p.values(dimension) {
				key.Value = value
				each(key)
			}
			continue
		case dimension == UserVideos && (p.Continues || p.Video == 0):
			continue
		case dimension == UserVideos:
			key.Value = shareOf(p.Person)
		}
		each(key)
	}
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

// include adds another cell, which remains usable.
func (c *Cell) include(other *Cell) {
	c.Plays += other.Plays
	c.Milliseconds += other.Milliseconds
	c.Excess += other.Excess
	c.persons.include(&other.persons)
	c.videos.include(&other.videos)
	for _, l := range other.list.unite() {
		c.list.add(l.value, l.sum)
	}
}

// include adds all elements of another set, which remains usable.
func (s *set) include(other *set) {
	switch {
	case other.many == nil:
		for _, n := range other.list {
			s.add(n)
		}
	case s.many != nil:
		s.many.Or(other.many)
	default:
		s.unite(&set{many: other.many.Clone()})
	}
}
