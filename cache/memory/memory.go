// Package memory is the cache engine that lives in the process.
package memory

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/cache"
)

// DefaultMaxBytes bounds a cache of which nothing else is said.
const DefaultMaxBytes = 256 << 20

// entryOverhead is what an entry costs beside its key and value, in bytes: its node, its place in
// the hash table and in the eviction queues, as measured.
const entryOverhead = 160

// Options are the settings of a Cache. The zero value is a cache of DefaultMaxBytes without a limit
// of time.
type Options struct {
	// MaxBytes bounds the memory of keys, values and what keeping them costs. Over it, what is used
	// least goes first. 0: DefaultMaxBytes.
	MaxBytes int64
	// TTL is how long an entry is handed out after it was put; 0: as long as there is room.
	TTL time.Duration
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
}

// Cache is a cache.Cache in memory.
type Cache struct {
	entries *otter.Cache[string, entry]
	ttl     time.Duration
	clock   func() time.Time
}

type entry struct {
	cache.Entry
	// expires is in nanoseconds since 1970, never where there is no limit. The engine's own expiry
	// would read the clock for every key; this way a page of 1,000 keys reads it once.
	expires int64
}

const never = math.MaxInt64

// New opens an empty cache.
func New(options Options) *Cache {
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	return &Cache{
		entries: otter.Must(&otter.Options[string, entry]{
			MaximumWeight: uint64(options.MaxBytes),
			Weigher:       weigh,
		}),
		ttl:   options.TTL,
		clock: options.Clock,
	}
}

func weigh(key string, e entry) uint32 {
	return uint32(min(len(key)+len(e.Value)+entryOverhead, math.MaxUint32))
}

// Get implements cache.Cache. It never fails.
func (c *Cache) Get(_ context.Context, asks []cache.Ask, into []cache.Entry) error {
	now := c.now()
	for i := range asks {
		into[i] = cache.Entry{}
		if e, ok := c.entries.GetIfPresent(asks[i].Key); ok && e.expires > now {
			into[i] = e.Entry
		}
	}
	return nil
}

// Put implements cache.Cache.
func (c *Cache) Put(_ context.Context, items []cache.Item) error {
	for _, item := range items {
		if err := item.Check(); err != nil {
			return err
		}
	}
	now := c.now()
	for _, item := range items {
		c.put(item, now)
	}
	return nil
}

func (c *Cache) put(item cache.Item, now int64) {
	kept := entry{Entry: cache.Entry{Version: item.Version, Value: trim(item.Value)}, expires: never}
	if c.ttl > 0 {
		kept.expires = now + int64(c.ttl)
	}
	// A key is often a piece of a longer string that holds the keys of a whole page. Cloned, it does
	// not keep that string alive.
	c.entries.Compute(strings.Clone(item.Key), func(old entry, found bool) (entry, otter.ComputeOp) {
		if found && old.Version >= kept.Version && old.expires > now {
			return old, otter.CancelOp
		}
		return kept, otter.WriteOp
	})
}

// trim copies a value that is a piece of a larger buffer, so that it does not keep the buffer alive
// and weighs what it costs.
func trim(value []byte) []byte {
	if cap(value)-len(value) > len(value)/8 {
		return slices.Clone(value)
	}
	return value
}

// now is 0 where no entry ever expires: the clock is then not worth reading.
func (c *Cache) now() int64 {
	if c.ttl <= 0 {
		return 0
	}
	return c.clock().UnixNano()
}

// Close forgets everything.
func (c *Cache) Close() error {
	c.entries.InvalidateAll()
	return nil
}
