package typesense

import "time"

// SetLinger sets how long a replaced build stays, in place of the longest that a search may take. It must be set
// before the first write.
func (x *Index) SetLinger(d time.Duration) { x.linger = d }

// SetLinger is that of Index.
func (s *CollectionIndex) SetLinger(d time.Duration) { s.index.SetLinger(d) }
