// Package cache keeps what may be lost: rendered documents, search answers, persisted queries. The
// port is below, its suite in cachetest, the engines beside it; decorators over the other ports
// (read-through) live here too. An engine may forget anything at any moment.
package cache

import (
	"context"
	"io"
)

// Entry is a value with its version.
type Entry struct {
	// Version orders the values of one key: an older one never replaces a newer one. In the answer
	// of Get, 0 means that there is no entry.
	Version int64
	Value   []byte
}

// Cache keeps values under keys. Keys are any bytes of up to 200 bytes; whoever makes one encodes
// its parts by length or of fixed width, so that no two meanings share a key.
//
// Values handed out are shared: the caller must not change them. Put takes the value over. All
// methods may be called concurrently. An error of an engine is the caller's sign to go on without
// it; it is never a reason to refuse a request.
type Cache interface {
	// Get returns one entry for each key, in their order.
	Get(ctx context.Context, keys []string) ([]Entry, error)
	// Put stores values; an item whose version is not above the one that is kept changes nothing.
	Put(ctx context.Context, items []Item) error
	io.Closer
}

// Item is an Entry with its key. Its version is at least 1.
type Item struct {
	Key string
	Entry
}
