package intake

import "time"

const (
	// company is the number of submissions in a shared commit from which on the log rests before the next one.
	company = 3
	// longestRest is the longest rest.
	longestRest = 10 * time.Millisecond
)

// rest waits after a shared commit, so that more submissions share the next one.
func (c *Commits) rest(group []*entry, took time.Duration) {
	if len(group) < company {
		return
	}
	select {
	case <-c.closing:
	case <-time.After(restAfter(took)):
	}
}

// restAfter returns how long the log rests after a shared commit.
func restAfter(took time.Duration) time.Duration { return min(took, longestRest) }
