// Package memory is the cache engine in the memory of the process.
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

// DefaultMaxBytes is the default of Options.MaxBytes.
const DefaultMaxBytes = 256 << 20

// entryOverhead is the measured memory of an entry in addition to its key and value, in bytes: its node, and its slots
// in the hash table and in the eviction queues.
const entryOverhead = 160

// Options are the settings of a Cache. The zero value is a cache of DefaultMaxBytes whose entries do not expire.
type Options struct {
	// MaxBytes is the maximum memory of keys, values and their overhead, in bytes. Above it, the cache evicts the least
	// used entries first. The default is DefaultMaxBytes.
	MaxBytes int64
	// TTL is the lifetime of an entry after Put. If it is 0, entries do not expire.
	TTL time.Duration
	// Clock returns the current time. The default is time.Now.
	Clock func() time.Time
}

// Cache is a cache.Cache in memory.
type Cache struct {
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	entries interface {
		GetIfPresent(key string) (entry, bool)
		Compute(key string, change func(old entry, found bool) (entry, otter.ComputeOp)) (entry, bool)
		InvalidateAll()
		CleanUp()
		WeightedSize() uint64
		EstimatedSize() int
	}
	ttl   time.Duration
	clock func() time.Time
}

type entry struct {
	cache.Entry
	// expires is in nanoseconds since 1970, or never. The expiry of otter would read the clock for each key; this one
	// reads it once for a page of 1,000 keys.
	expires int64
}

const never = math.MaxInt64

// New returns an empty cache.
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
	// A key is often a substring of a string with the keys of a whole page. The clone does not keep that string alive.
	c.entries.Compute(strings.Clone(item.Key), func(old entry, found bool) (entry, otter.ComputeOp) {
		if found && old.Version >= kept.Version && old.expires > now {
			return old, otter.CancelOp
		}
		return kept, otter.WriteOp
	})
}

// trim copies a value whose buffer has unused capacity of more than an eighth of the value's length, so that the value
// does not keep a larger buffer alive and its weight is accurate.
func trim(value []byte) []byte {
	if cap(value)-len(value) > len(value)/8 {
		return slices.Clone(value)
	}
	return value
}

// now returns the current time, or 0 if entries do not expire, to avoid reading the clock.
func (c *Cache) now() int64 {
	if c.ttl <= 0 {
		return 0
	}
	return c.clock().UnixNano()
}

// Close removes all entries.
func (c *Cache) Close() error {
	c.entries.InvalidateAll()
	return nil
}
