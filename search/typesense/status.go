package typesense

// Name is that of the index: its processes share it, other indexes have others.
func (x *Index) Name() string { return x.base }

// LeftAlone reports whether searches are refused just now without being asked, because Typesense failed
// before, or is still loading.
func (x *Index) LeftAlone() bool { return x.reads.Open() || x.doubt.Load() != certain }
