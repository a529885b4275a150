package redis

// Stats are counts since Open, but for the connections, which are those of now.
type Stats struct {
	Hits   int64 // keys with an entry
	Misses int64 // keys without one
	// Foreign are keys under which something else was found; it counts as no entry.
	Foreign int64
	// Oversize are values that were passed over, as they are longer than MaxValue.
	Oversize int64
	// Refused are calls of Get and Put that were not made, as Redis is left alone or has too many.
	Refused int64
	// Errors are keys that a server did not answer, or counts that it did not keep.
	Errors int64
	// LeftAlone: Redis failed, and is not asked just now.
	LeftAlone bool

	Connections, Idle int
}

// Stats returns the counts.
func (c *Cache) Stats() Stats {
	pool := c.client.PoolStats()
	return Stats{
		Hits:        c.counts.hits.Load(),
		Misses:      c.counts.misses.Load(),
		Foreign:     c.counts.foreign.Load(),
		Oversize:    c.counts.oversize.Load(),
		Refused:     c.counts.refused.Load(),
		Errors:      c.counts.errors.Load(),
		LeftAlone:   c.guard.Open(),
		Connections: int(pool.TotalConns),
		Idle:        int(pool.IdleConns),
	}
}
