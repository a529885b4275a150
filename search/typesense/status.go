package typesense

// Name is that of the index: its processes share it, other indexes have others.
func (x *Index) Name() string { return x.base }

// LeftAlone reports whether Typesense is not asked just now, because it failed before.
func (x *Index) LeftAlone() bool { return x.reads.Open() }
