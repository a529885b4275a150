package storelogic

import (
	"slices"

	"github.com/filmstrip/filmstrip/event"
)

// MarkContinuations returns the events, with Continues set on those whose index continues reports to be a part of a play
// that an earlier event began. It calls continues in the order of the events, and does not change the given ones.
func MarkContinuations(events []event.Event, continues func(i int) (bool, error)) ([]event.Event, error) {
	marked := events
	for i := range events {
		isPart, err := continues(i)
		if err != nil {
			return nil, err
		}
		if !isPart {
			continue
		}
		if &marked[0] == &events[0] {
			marked = slices.Clone(events)
		}
		marked[i].Continues = true
	}
	return marked, nil
}
