// Package cache keeps what may be lost: rendered documents, search answers, persisted queries, counters
// of rates. The ports are below, their suite in cachetest, the engines beside it; decorators over the
// other ports (read-through) live here too. An engine may forget anything at any moment.
package cache

import (
	"context"
	"fmt"
	"io"
	"time"
)

// MaxKeyLength is the length of the longest key, in bytes.
const MaxKeyLength = 200

// Entry is a value with its version.
type Entry struct {
	// Version orders the values of one key: an older one never replaces a newer one. In the answer
	// of Get, 0 means that there is no entry.
	Version int64
	Value   []byte
}

// Ask names an entry.
type Ask struct {
	Key string
	// AtLeast is the lowest version that is of use. An engine may leave an older one out, and one that
	// has a second place to look looks there.
	AtLeast int64
}

// Cache keeps values under keys. Keys are any bytes of up to MaxKeyLength; whoever makes one encodes
// its parts by length or of fixed width, so that no two meanings share a key.
//
// Values handed out are shared: the caller must not change them. Put takes the value over. All
// methods may be called concurrently. An error of an engine is the caller's sign to go on without
// it; it is never a reason to refuse a request.
type Cache interface {
	// Get writes the entry of each key into the element of the same place; it may be older than was
	// asked for. Both slices have the same length; whatever into held is overwritten, so that a caller
	// may use it again and again. After an error into holds nothing that may be used.
	Get(ctx context.Context, asks []Ask, into []Entry) error
	// Put stores values; an item whose version is not above the one that is kept changes nothing. An
	// item that Check refuses is an error, and nothing is stored.
	Put(ctx context.Context, items []Item) error
	io.Closer
}

// Item is an Entry with its key. Its version is at least 1.
type Item struct {
	Key string
	Entry
}

// Check returns an error for an item that breaks a rule of Put: a mistake of the caller's program.
func (i Item) Check() error {
	switch {
	case len(i.Key) > MaxKeyLength:
		return fmt.Errorf("cache: a key of %d bytes, at most %d are allowed", len(i.Key), MaxKeyLength)
	case i.Version < 1:
		return fmt.Errorf("cache: version %d of key %q, the lowest is 1", i.Version, i.Key)
	}
	return nil
}

// Counters count events within windows of time, for limits of rates. Counts may be lost, and a limit is
// then too mild for a while, never too strict.
type Counters interface {
	// Add adds n to the count of a key, or begins a count of n, which is forgotten after window, where
	// there is none. It returns the count and the time that is left of its window, never more than window:
	// every caller of a key names the same one. n is at least 1, window at least a millisecond, a key at
	// most MaxKeyLength bytes; CheckAdd tells.
	Add(ctx context.Context, key string, n int64, window time.Duration) (count int64, left time.Duration, err error)
}

// CheckAdd returns an error for arguments that break a rule of Counters.Add: a mistake of the caller's
// program.
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
