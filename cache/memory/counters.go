package memory

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/cache"
)

// CounterOptions are the settings of Counters. The zero value stands for the defaults.
type CounterOptions struct {
	// MaxKeys bounds the counts that are kept, at up to 300 bytes each. Where there would be more, ended
	// ones go first, then any. 0: 100,000.
	MaxKeys int
	// Clock tells the time; nil: time.Now.
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

// NewCounters makes Counters that have counted nothing.
func NewCounters(options CounterOptions) *Counters {
	if options.MaxKeys <= 0 {
		options.MaxKeys = 100_000
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	return &Counters{limit: options.MaxKeys, clock: options.Clock, counts: map[string]count{}}
}

// Add implements cache.Counters. It fails only for what cache.CheckAdd refuses.
func (c *Counters) Add(_ context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	if err := cache.CheckAdd(key, n, window); err != nil {
		return 0, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	known, found := c.counts[key]
	if !found && len(c.counts) >= c.limit {
		c.makeRoom(now)
	}
	if !now.Before(known.ends) {
		known = count{ends: now.Add(window)}
	}
	known.n += n
	if known.ends.Sub(now) > window {
		known.ends = now.Add(window)
	}
	if !found {
		key = strings.Clone(key) // it may be a piece of a longer string
	}
	c.counts[key] = known
	return known.n, known.ends.Sub(now), nil
}

// makeRoom forgets the counts that have ended and, where that is less than an eighth, as many others as
// make it one: so the next Adds need not look for room again.
func (c *Counters) makeRoom(now time.Time) {
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
