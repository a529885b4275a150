package limit

import (
	"sync"
	"time"
)

// minute is the window of rates by the minute. Windows of every length begin with the epoch, in all processes.
const minute = time.Minute

// instant is milliseconds since 1970.
type instant int64

func instantOf(at time.Time) instant { return instant(at.UnixMilli()) }

// count is how many requests fell into one window.
type count struct {
	known    int64 // of all processes, as far as this one has been told
	unsent   int64 // of this process, beyond known
	inFlight int64 // the part of unsent that is just being told
	own      int64 // of this process: what it has counted stays, whatever the others have forgotten
}

func (c *count) total() int64 { return max(c.known+c.unsent, c.own) }

func (c *count) add(n int64) {
	c.unsent += n
	c.own += n
}

// claim takes over what nobody else is telling yet; it goes back to settle.
func (c *count) claim() int64 {
	n := c.unsent - c.inFlight
	c.inFlight = c.unsent
	return n
}

// settle notes that n that were claimed are part of a total.
func (c *count) settle(n, total int64) {
	c.known = max(c.known, total)
	c.unsent -= n
	c.inFlight -= n
}

// keep notes that n that were claimed could not be told, or perhaps were: they count in this process alone.
func (c *count) keep(n int64) { c.settle(n, c.known+n) }

// tally counts the requests of one subject, in the current window and in the one before.
type tally struct {
	subject string // what the names of its shared counts are made of
	length  int64  // of a window, in milliseconds

	mu                sync.Mutex
	index             int64 // number of the current window since 1970
	current, previous count
	compared          bool // whether previous is what the shared counters say
	queued            bool // whether it waits to be exchanged
}

// advance goes to the window of an instant and returns the milliseconds that have passed of it. A clock that
// was set back a little stands still; one that was set back further begins anew, so that nobody is kept
// waiting for a time that was wrong.
func (t *tally) advance(at instant) (passed int64) {
	index := int64(at) / t.length
	switch index - t.index {
	case 0:
		return int64(at) % t.length
	case 1:
		t.previous, t.current = t.current, count{}
	case -1:
		return 0
	default:
		t.previous, t.current = count{}, count{}
	}
	t.index, t.compared = index, false
	return int64(at) % t.length
}

// filled is what waiting needs to know of a tally.
type filled struct {
	current, previous int64
	// passed and length are the milliseconds of the current window: those that are over, and all.
	passed, length int64
}

// waiting returns how long it takes until n more fit, 0 where they do now. n is 1 to rate. What went beyond the
// rate in the window before does not count, so that refusals at other processes make nobody wait longer. Counts
// are below 1<<44, as unit lets them be, so that their products with a window fit.
func (c filled) waiting(rate, n int64) time.Duration {
	free := rate - n + 1 // n fit while less than this is counted
	previous := min(c.previous, rate)
	if c.current < free && previous*(c.length-c.passed)/c.length+c.current < free {
		return 0
	}
	if c.current >= free { // then the window has to end
		return time.Duration(c.length-c.passed+clearing(min(c.current, rate), free, c.length)) * time.Millisecond
	}
	return time.Duration(clearing(previous, free-c.current, c.length)-c.passed) * time.Millisecond
}

// clearing is the first moment of a window at which previous*(length-moment)/length is below free.
func clearing(previous, free, length int64) (moment int64) { return length - (length*free-1)/previous }

// signal is what the exchange has to know of a request that was counted.
type signal struct {
	enqueue bool // the tally was not waiting to be exchanged
	hurry   bool // much has been counted since the last time
}

// take counts n, at most rate, unless they have to wait: then it returns how long.
func (t *tally) take(at instant, rate, n int64) (time.Duration, signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n <= 0 {
		return 0, signal{}
	}
	if wait := t.filled(at).waiting(rate, n); wait > 0 {
		return wait, signal{}
	}
	return 0, t.add(rate, n)
}

// pending returns what take would, and counts nothing.
func (t *tally) pending(at instant, rate, n int64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n <= 0 {
		return 0
	}
	return t.filled(at).waiting(rate, n)
}

// note counts one that has happened already.
func (t *tally) note(at instant, rate int64) signal {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(at)
	return t.add(rate, 1)
}

// filled advances to an instant and returns what is counted there. The caller holds the lock.
func (t *tally) filled(at instant) filled {
	passed := t.advance(at)
	return filled{t.current.total(), t.previous.total(), passed, t.length}
}

// add counts n. The caller holds the lock.
func (t *tally) add(rate, n int64) signal {
	t.current.add(n)
	s := signal{enqueue: !t.queued, hurry: (t.current.unsent-t.current.inFlight)*16 >= rate}
	t.queued = true
	return s
}

// claims are what a tally has to tell of two windows.
type claims struct {
	index             int64 // of the current one
	current, previous int64
	compare           bool // the count of the window before is wanted, even if there is nothing to tell
}

// claim takes over what there is to tell. The caller holds the lock.
func (t *tally) claim() claims {
	return claims{index: t.index, current: t.current.claim(), previous: t.previous.claim(), compare: !t.compared}
}

// of returns the count of a window; nil: it has passed. The caller holds the lock.
func (t *tally) of(index int64) *count {
	switch t.index - index {
	case 0:
		return &t.current
	case 1:
		return &t.previous
	}
	return nil
}
