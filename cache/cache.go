// Package cache stores data that may be lost: rendered documents, search results, persisted queries, and counters for
// rate limits. It defines the ports Cache and Counters, and read-through decorators of other ports. Its subdirectories
// contain the engines and the conformance suite, cachetest. An engine may lose any entry at any moment.
package cache

import (
	"context"
	"fmt"
	"io"
	"time"
)

// MaxKeyLength is the maximum length of a key in bytes.
const MaxKeyLength = 200

// Entry is a value with its version.
type Entry struct {
	// Version orders the values of a key: an older version never replaces a newer one. In results of Get, an entry
	// with version 0 is missing.
	Version int64
	Value   []byte
}

// Ask is a request for an entry.
type Ask struct {
	Key string
	// AtLeast is the lowest version that the caller can use. An engine may omit older versions; a cache with a second
	// level looks there for a newer one.
	AtLeast int64
}

// Cache stores values under keys. A key is any string of up to MaxKeyLength bytes. Callers encode the parts of a key
// with their lengths or in a fixed width, so that different meanings never share a key.
//
// The values that Get returns are shared: callers must not change them. Put takes ownership of its values. Methods may
// be called concurrently. After an error, callers continue without the cache and never reject a request for that
// reason.
type Cache interface {
	// Get sets each element of into to the entry of the key at the same index in asks. The entry may be older than
	// requested. Both slices must have the same length. Get overwrites all of into, so that callers may reuse the
	// slice. After an error, callers must not use into.
	Get(ctx context.Context, asks []Ask, into []Entry) error
	// Put stores values. It ignores an item whose version is not above the stored one. If Check returns an error for an
	// item, Put returns that error and stores nothing.
	Put(ctx context.Context, items []Item) error
	io.Closer
}

// Item is an Entry with its key. Its version is at least 1.
type Item struct {
	Key string
	Entry
}

// Check returns an error if the item violates a rule of Put, which is a bug of the caller.
func (i Item) Check() error {
	switch {
	case len(i.Key) > MaxKeyLength:
		return fmt.Errorf("cache: the key has %d bytes, but at most %d are allowed", len(i.Key), MaxKeyLength)
	case i.Version < 1:
		return fmt.Errorf("cache: version %d of key %q, the lowest is 1", i.Version, i.Key)
	}
	return nil
}

// Counters count events within time windows, for rate limits. Counts may be lost: a limit is then too lenient for a
// while, never too strict.
type Counters interface {
	// Add adds n to the count of a key. If the key has no count, Add starts one that ends after window. Add returns the
	// count and the remaining time of its window, which is at most window: all callers use the same window for a key. n
	// must be at least 1, window at least a millisecond, and the key at most MaxKeyLength bytes long (CheckAdd).
	Add(ctx context.Context, key string, n int64, window time.Duration) (count int64, left time.Duration, err error)
}

// CheckAdd returns an error if the arguments violate a rule of Counters.Add, which is a bug of the caller.
func CheckAdd(key string, n int64, window time.Duration) error {
	switch {
	case len(key) > MaxKeyLength:
		return fmt.Errorf("cache: the key has %d bytes, but at most %d are allowed", len(key), MaxKeyLength)
	case n < 1:
		return fmt.Errorf("cache: %d added to the count of %q, but at least 1 is required", n, key)
	case window < time.Millisecond:
		return fmt.Errorf("cache: the window of the count of %q is %s, but at least 1ms is required", key, window)
	}
	return nil
}
