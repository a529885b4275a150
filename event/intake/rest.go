package intake

import "time"

const (
	// company is how many submissions share a commit where more can be expected for the next one.
	company = 3
	// longestRest bounds how long they are waited for.
	longestRest = 10 * time.Millisecond
)

// rest waits after a commit that several submissions shared, so that more share the next one.
func (c *Commits) rest(group []*entry, took time.Duration) {
	if len(group) < company {
		return
	}
	select {
	case <-c.closing:
	case <-time.After(restAfter(took)):
	}
}

// restAfter is how long the log rests after a commit that several shared.
func restAfter(took time.Duration) time.Duration { return min(took, longestRest) }
