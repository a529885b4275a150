package usagelogic

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
			for dimension, kept := range grains {
				p.keysOf(dimension, kept[len(kept)-1], func(key CellKey) { cell(key).add(p) })
			}
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
	if s.many == nil && other.many != nil {
		other = &set{many: other.many.Clone()} // unite would take the bitmap
	}
	s.unite(other)
}
