package sqlite

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// Option changes how a database is opened.
type Option func(*settings)

type settings struct {
	now func() time.Time
	// readers is how many reads can run concurrently.
	readers  int
	patience time.Duration
	// pages is how many bytes the page caches of all connections may take.
	pages int64
	// synchronous is the engine's setting of that name: "FULL", except in tests.
	synchronous string
	// writing contains additional settings of the write connection.
	writing []string
	// segment is storelogic.PersonSegment, except in tests.
	segment int64
	// gather is usagelogic.GatheredPlays, except in tests.
	gather int64
}

func settingsOf(options []Option) settings {
	s := settings{now: time.Now, readers: 4 + 2*runtime.GOMAXPROCS(0), patience: 5 * time.Second, pages: math.MaxInt64, synchronous: "FULL", segment: storelogic.PersonSegment, gather: usagelogic.GatheredPlays}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithClock makes the database take the time from now instead of time.Now.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithPatience sets how long a call waits for another process that has the database's lock before it fails with
// fault.Unavailable. The default is 5 seconds.
func WithPatience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// WithPageCache sets how many bytes the page caches of a database may take at most, over all connections. Without it, that of
// the writer takes 32 MiB at most and that of each reader 8 MiB.
func WithPageCache(bytes int64) Option { return func(s *settings) { s.pages = bytes } }

const (
	writerPages = 32 << 20
	readerPages = 8 << 20
	leastPages  = 256 << 10
)

// cacheSize returns the setting of a connection whose page cache may take bytes if there is no limit for all.
func (s settings) cacheSize(bytes int64) string {
	if all := int64(writerPages + s.readers*readerPages); s.pages < all {
		bytes = max(leastPages, int64(float64(bytes)*float64(s.pages)/float64(all)))
	}
	return fmt.Sprintf("cache_size(%d)", -bytes>>10)
}

// overwriting makes deletions overwrite the deleted content in the file, for data that must be erased for good. "ON"
// always overwrites; "FAST" overwrites only if that writes no additional pages.
func overwriting(how string) Option {
	return func(s *settings) { s.writing = append(s.writing, "secure_delete("+how+")") }
}
