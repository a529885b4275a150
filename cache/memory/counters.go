package memory

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/cache"
)

// CounterOptions are the settings of Counters. The zero value selects the defaults.
type CounterOptions struct {
	// MaxKeys is the maximum number of counts, of up to 300 bytes each. At the maximum, Counters evicts the counts that
	// have ended, and then arbitrary ones. The default is 100,000.
	MaxKeys int
	// Clock returns the current time. The default is time.Now.
	Clock func() time.Time
}

// Counters are cache.Counters in memory.
type Counters struct {
	limit int
	clock func() time.Time

	mu     sync.Mutex
	counts map[string]count
}

var _ cache.Counters = (*Counters)(nil)

type count struct {
	n    int64
	ends time.Time
}

// NewCounters returns Counters without counts.
func NewCounters(options CounterOptions) *Counters {
	if options.MaxKeys <= 0 {
		options.MaxKeys = 100_000
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	return &Counters{limit: options.MaxKeys, clock: options.Clock, counts: map[string]count{}}
}

// Add implements cache.Counters. It fails only if cache.CheckAdd does.
func (c *Counters) Add(_ context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	if err := cache.CheckAdd(key, n, window); err != nil {
		return 0, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	known, found := c.counts[key]
	if !found && len(c.counts) >= c.limit {
		c.evict(now)
	}
	if !now.Before(known.ends) {
		known = count{ends: now.Add(window)}
	}
	known.n += n
	if known.ends.Sub(now) > window {
		known.ends = now.Add(window)
	}
	if !found {
		key = strings.Clone(key) // it may be a substring of a longer string
	}
	c.counts[key] = known
	return known.n, known.ends.Sub(now), nil
}

// evict evicts the counts that have ended, and then arbitrary ones until more than an eighth of the limit is free,
// so that the next calls of Add need no eviction.
func (c *Counters) evict(now time.Time) {
	for key, known := range c.counts {
		if !now.Before(known.ends) {
			delete(c.counts, key)
		}
	}
	for key := range c.counts {
		if len(c.counts) < c.limit-c.limit/8 {
			return
		}
		delete(c.counts, key)
	}
}
