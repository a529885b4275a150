// Package cache stores what may be lost: rendered documents, search answers, persisted queries, counters of request rates. It
// defines the ports and read-through decorators of other ports. Package cachetest is the conformance suite, and the engines are
// in folders beside it. An engine may forget anything at any moment.
package cache

import (
	"context"
	"fmt"
	"io"
	"time"
)

// MaxKeyLength is the greatest length of a key, in bytes.
const MaxKeyLength = 200

// Entry is a value with its version.
type Entry struct {
	// Version orders the values of one key: an older one never replaces a newer one. In results of Get, 0 means that there is
	// no entry.
	Version int64
	Value   []byte
}

// Ask requests an entry.
type Ask struct {
	Key string
	// AtLeast is the lowest version that the caller can use. An engine may omit older ones, and one with a second place to
	// look then looks there.
	AtLeast int64
}

// Cache stores values under keys. A key is any string of up to MaxKeyLength bytes. Callers encode its parts by length or with
// fixed width, so that two meanings never share a key.
//
// Values handed out are shared: the caller must not change them. Put takes ownership of values. Methods may be called
// concurrently. After an error the caller goes on without the cache; it never refuses a request for that reason.
type Cache interface {
	// Get writes the entry of each key into the element of into at the same index; it may be older than requested. Both slices
	// have the same length. Get overwrites into completely, so that a caller may reuse it. After an error, its content must
	// not be used.
	Get(ctx context.Context, asks []Ask, into []Entry) error
	// Put stores values. An item whose version is not above the stored one changes nothing. If Check refuses an item, Put
	// returns that error and stores nothing.
	Put(ctx context.Context, items []Item) error
	io.Closer
}

// Item is an Entry with its key. Its version is at least 1.
type Item struct {
	Key string
	Entry
}

// Check returns an error if the item breaks a rule of Put, which is a bug of the caller.
func (i Item) Check() error {
	switch {
	case len(i.Key) > MaxKeyLength:
		return fmt.Errorf("cache: a key of %d bytes, at most %d are allowed", len(i.Key), MaxKeyLength)
	case i.Version < 1:
		return fmt.Errorf("cache: version %d of key %q, the lowest is 1", i.Version, i.Key)
	}
	return nil
}

// Counters count events within time windows, for rate limits. Counts may be lost; a limit is then too mild for a while, never
// too strict.
type Counters interface {
	// Add adds n to the count of a key. If there is none, it starts a count of n, which ends after window. Add returns the count
	// and the remaining time of its window, which is at most window: every caller uses the same window for a key. CheckAdd
	// checks the arguments: n is at least 1, window at least a millisecond, the key at most MaxKeyLength bytes.
	Add(ctx context.Context, key string, n int64, window time.Duration) (count int64, left time.Duration, err error)
}

// CheckAdd returns an error if the arguments break a rule of Counters.Add, which is a bug of the caller.
func CheckAdd(key string, n int64, window time.Duration) error {
	switch {
	case len(key) > MaxKeyLength:
		return fmt.Errorf("cache: a key of %d bytes, at most %d are allowed", len(key), MaxKeyLength)
	case n < 1:
		return fmt.Errorf("cache: %d added to the count of %q, at least 1 is", n, key)
	case window < time.Millisecond:
		return fmt.Errorf("cache: a window of %s for the count of %q, the shortest is 1ms", window, key)
	}
	return nil
}
