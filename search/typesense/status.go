package typesense

// Name returns the name of the index, which its processes share.
func (x *Index) Name() string { return x.base }

// LeftAlone reports whether searches are refused at present without a request, because Typesense failed before or is
// still loading.
func (x *Index) LeftAlone() bool { return x.reads.Open() || x.doubt.Load() != certain }
