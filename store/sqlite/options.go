package sqlite

import (
	"runtime"
	"time"
)

// Option changes how a database is opened.
type Option func(*settings)

type settings struct {
	now      func() time.Time
	readers  int
	patience time.Duration
	// synchronous is the engine's setting of that name: "FULL", but for tests.
	synchronous string
	// writing are further settings of the connection that writes.
	writing []string
}

func settingsOf(options []Option) settings {
	s := settings{now: time.Now, readers: 4 + 2*runtime.GOMAXPROCS(0), patience: 5 * time.Second, synchronous: "FULL"}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithClock takes the time from now instead of time.Now.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithReaders sets how many reads can go on at once, at least 1; the default is twice the number of
// processors, at least 4.
func WithReaders(n int) Option { return func(s *settings) { s.readers = max(1, n) } }

// WithPatience sets how long a call waits for another process that holds the database's lock before
// it fails with catalogue.Unavailable; the default is 5 seconds.
func WithPatience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// overwriting has what is deleted written over in the file, for what must be forgotten for good: "ON" everywhere, "FAST"
// where that writes no more pages than would be written anyway.
func overwriting(how string) Option {
	return func(s *settings) { s.writing = append(s.writing, "secure_delete("+how+")") }
}
