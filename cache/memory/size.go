package memory

import "context"

// Size returns the memory of the entries in bytes, and their number. It never fails.
func (c *Cache) Size(context.Context) (bytes, entries int64, err error) {
	c.entries.CleanUp() // counts what was put last
	return int64(c.entries.WeightedSize()), int64(c.entries.EstimatedSize()), nil
}
