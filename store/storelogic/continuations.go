package storelogic

import (
	"slices"

	"github.com/filmstrip/filmstrip/event"
)

// MarkContinuations returns the events of a submission, with Continues set on those whose play an earlier event began.
// begins remembers a key of event.Submission.PlayKey, and reports whether it is new. MarkContinuations does not change the
// given events.
func MarkContinuations(submission *event.Submission, events []event.Event, begins func(key string) (bool, error)) ([]event.Event, error) {
	marked := events
	for i := range events {
		key := submission.PlayKey(&events[i])
		if key == "" {
			continue
		}
		isFirst, err := begins(key)
		if err != nil {
			return nil, err
		}
		if isFirst {
			continue
		}
		if &marked[0] == &events[0] {
			marked = slices.Clone(events)
		}
		marked[i].Continues = true
	}
	return marked, nil
}
