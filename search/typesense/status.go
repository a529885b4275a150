package typesense

// Name returns the name of the index. All processes of the index share it.
func (x *Index) Name() string { return x.base }

// LeftAlone reports whether searches currently fail without a request, because Typesense failed before or is still
// loading.
func (x *Index) LeftAlone() bool { return x.reads.Open() || x.doubt.Load() != certain }
