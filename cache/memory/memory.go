// Package memory is the cache engine in the memory of the process.
package memory

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/cache"
)

// DefaultMaxBytes is the default of Options.MaxBytes.
const DefaultMaxBytes = 256 << 20

// entryOverhead is the measured memory of an entry in addition to its key and value, in bytes: its node, and its slots
// in the hash table and in the eviction queues.
const entryOverhead = 160

// Options are the settings of a Cache. The zero value is a cache of DefaultMaxBytes.
type Options struct {
	// MaxBytes is the maximum memory of keys, values and their overhead, in bytes. Above it, the cache evicts the least
	// used entries first. The default is DefaultMaxBytes.
	MaxBytes int64
}

// Cache is a cache.Cache in memory. Its entries do not expire.
type Cache struct {
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	entries interface {
		GetIfPresent(key string) (cache.Entry, bool)
		Compute(key string, change func(old cache.Entry, found bool) (cache.Entry, otter.ComputeOp)) (cache.Entry, bool)
		InvalidateAll()
		CleanUp()
		WeightedSize() uint64
		EstimatedSize() int
	}
}

// New returns an empty cache.
func New(options Options) *Cache {
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	return &Cache{entries: otter.Must(&otter.Options[string, cache.Entry]{MaximumWeight: uint64(options.MaxBytes), Weigher: weigh})}
}

func weigh(key string, e cache.Entry) uint32 {
	return uint32(min(len(key)+len(e.Value)+entryOverhead, math.MaxUint32))
}

// Get implements cache.Cache. It never fails.
func (c *Cache) Get(_ context.Context, asks []cache.Ask, into []cache.Entry) error {
	for i := range asks {
		into[i], _ = c.entries.GetIfPresent(asks[i].Key)
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
	for _, item := range items {
		c.put(item)
	}
	return nil
}

func (c *Cache) put(item cache.Item) {
	kept := cache.Entry{Version: item.Version, Value: trim(item.Value)}
	// A key is often a substring of a string with the keys of a whole page. The clone does not keep that string alive.
	c.entries.Compute(strings.Clone(item.Key), func(old cache.Entry, found bool) (cache.Entry, otter.ComputeOp) {
		if found && old.Version >= kept.Version {
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

// Close removes all entries.
func (c *Cache) Close() error {
	c.entries.InvalidateAll()
	return nil
}
