package redis

// Stats are counts since Open, except for LeftAlone, Connections and Idle, which describe the present.
type Stats struct {
	Hits   int64 // keys with an entry
	Misses int64 // keys without an entry
	// Foreign is the number of keys with foreign data, which counts as no entry.
	Foreign int64
	// Oversize is the number of values that Put skipped because they are longer than MaxValue.
	Oversize int64
	// Refused is the number of calls of Get and Put that the guard rejected, because its circuit breaker was open or
	// too many calls were running.
	Refused int64
	// Errors is the number of keys that failed, and of counts that were not stored.
	Errors int64
	// LeftAlone means that the circuit breaker is open, because Redis failed.
	LeftAlone bool

	Connections, Idle int
}

// Stats returns the current counts.
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
