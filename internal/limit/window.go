package limit

import (
	"sync"
	"time"
)

// minute is the window of rates per minute. Windows of every length start at the epoch, in all processes.
const minute = time.Minute

// instant is a time in milliseconds since 1970.
type instant int64

func instantOf(at time.Time) instant { return instant(at.UnixMilli()) }

// count is the number of requests in one window.
type count struct {
	known    int64 // of all processes, as last reported
	unsent   int64 // of this process, not yet in known
	inFlight int64 // the part of unsent that an exchange is sending
	own      int64 // of this process; it stays even if the shared counters forget
}

func (c *count) total() int64 { return max(c.known+c.unsent, c.own) }

func (c *count) add(n int64) {
	c.unsent += n
	c.own += n
}

// claim takes the part of unsent that no exchange is sending. The caller must pass it to settle or keep.
func (c *count) claim() int64 {
	n := c.unsent - c.inFlight
	c.inFlight = c.unsent
	return n
}

// settle records that n claimed requests are part of a reported total.
func (c *count) settle(n, total int64) {
	c.known = max(c.known, total)
	c.unsent -= n
	c.inFlight -= n
}

// keep records that n claimed requests did not certainly reach the shared counters: they count in this process only.
func (c *count) keep(n int64) { c.settle(n, c.known+n) }

// tally counts the requests of one subject, in the current window and in the previous one.
type tally struct {
	subject string // part of the names of its shared counters
	length  int64  // of a window, in milliseconds

	mu                sync.Mutex
	index             int64 // number of the current window since 1970
	current, previous count
	compared          bool // reports whether previous includes the shared count
	queued            bool // reports whether it waits for an exchange
}

// advance moves to the window of an instant and returns how many milliseconds of it have passed. If the clock was set
// back by less than a window, the tally keeps its window; if by more, it starts again, so that a wrong time keeps
// nobody waiting.
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

// filled is the input of waiting.
type filled struct {
	current, previous int64
	// passed is how many milliseconds of the current window are over, length how many it has.
	passed, length int64
}

// waiting returns how long it takes until n more requests fit, or 0 if they fit now. n is 1 to rate. The part of the
// previous window's count beyond the rate is ignored, so that rejections at other processes do not prolong any wait.
// Counts are below 1<<44 (see unit), so their products with a window length do not overflow.
func (c filled) waiting(rate, n int64) time.Duration {
	free := rate - n + 1 // n fit while the count is less than this
	previous := min(c.previous, rate)
	if c.current < free && previous*(c.length-c.passed)/c.length+c.current < free {
		return 0
	}
	if c.current >= free { // the window has to end first
		return time.Duration(c.length-c.passed+clearing(min(c.current, rate), free, c.length)) * time.Millisecond
	}
	return time.Duration(clearing(previous, free-c.current, c.length)-c.passed) * time.Millisecond
}

// clearing returns the first moment of a window at which previous*(length-moment)/length is below free.
func clearing(previous, free, length int64) (moment int64) { return length - (length*free-1)/previous }

// signal informs the exchange of a counted request.
type signal struct {
	enqueue bool // the tally was not waiting for an exchange
	hurry   bool // the count has grown much since the last exchange
}

// take counts n requests, at most rate, and returns 0; or, if they do not fit, counts nothing and returns the wait.
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

// pending returns what take would return, and counts nothing.
func (t *tally) pending(at instant, rate, n int64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n <= 0 {
		return 0
	}
	return t.filled(at).waiting(rate, n)
}

// note counts a request that has already been served.
func (t *tally) note(at instant, rate int64) signal {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(at)
	return t.add(rate, 1)
}

// filled advances to an instant and returns the counts there. The caller holds the lock.
func (t *tally) filled(at instant) filled {
	passed := t.advance(at)
	return filled{t.current.total(), t.previous.total(), passed, t.length}
}

// add counts n requests. The caller holds the lock.
func (t *tally) add(rate, n int64) signal {
	t.current.add(n)
	s := signal{enqueue: !t.queued, hurry: (t.current.unsent-t.current.inFlight)*16 >= rate}
	t.queued = true
	return s
}

// claims are the unsent counts of the two windows of a tally.
type claims struct {
	index             int64 // of the current window
	current, previous int64
	compare           bool // ask for the previous window's count even if nothing is unsent
}

// claim takes the unsent counts. The caller holds the lock.
func (t *tally) claim() claims {
	return claims{index: t.index, current: t.current.claim(), previous: t.previous.claim(), compare: !t.compared}
}

// of returns the count of a window, or nil if the window is over. The caller holds the lock.
func (t *tally) of(index int64) *count {
	switch t.index - index {
	case 0:
		return &t.current
	case 1:
		return &t.previous
	}
	return nil
}
