package export

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// young writes events without the addresses that exceed the allowed age, because the job that deletes addresses may be
// late or not running.
type young struct {
	Events
	allowed time.Duration // if not positive, no address is written
	now     func() time.Time
}

// Write implements Events.
func (y *young) Write(events []event.Event) (int, error) {
	since := event.InstantOf(y.now().Add(-y.allowed))
	for i := range events {
		if y.allowed <= 0 || events[i].Received < since {
			events[i].Address = ""
		}
	}
	return y.Events.Write(events)
}
