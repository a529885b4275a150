package typesense

import "time"

// SetLinger sets how long a replaced build stays, instead of the longest duration of a search. SetLinger must be called
// before the first write.
func (x *Index) SetLinger(d time.Duration) { x.linger = d }

// SetLinger sets the same for the collection index, as Index.SetLinger does.
func (s *CollectionIndex) SetLinger(d time.Duration) { s.index.SetLinger(d) }
