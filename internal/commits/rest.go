package commits

import (
	"math"
	"time"
)

const (
	// company is how many submissions share a commit where more can be expected for the next one.
	company = 3
	// longestRest bounds how long they are waited for.
	longestRest = 10 * time.Millisecond
	// paceOfCommits is how far commits are apart where the rate is bounded, so that what they set free comes in drops.
	paceOfCommits = 10 * time.Millisecond
)

// rest waits after a commit of a group, for company of the next one and until the rate allows more.
func (c *Commits) rest(group []*entry, took time.Duration) {
	var done load
	for _, e := range group {
		done.add(e.load)
	}
	pause := time.Duration(c.options.Concurrent)*c.timeOf(done) - took
	if len(group) >= company {
		pause = max(pause, restAfter(took))
	}
	if pause <= 0 {
		return
	}
	select {
	case <-c.closing:
	case <-time.After(pause):
	}
}

// restAfter is how long the log rests after a commit that several shared.
func restAfter(took time.Duration) time.Duration { return min(took, longestRest) }

// timeOf is how long something takes at the rate that is allowed.
func (c *Commits) timeOf(l load) time.Duration {
	rate := c.options.Rate()
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(l.work) / rate * float64(time.Second))
}

// workOfCommit is how much of it a commit takes at the rate that is allowed.
func (c *Commits) workOfCommit() int {
	rate := c.options.Rate()
	if rate <= 0 || c.closed {
		return math.MaxInt
	}
	return int(rate * paceOfCommits.Seconds())
}
