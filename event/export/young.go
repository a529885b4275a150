package export

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// young writes events without the addresses that are older than allowed: what forgets them may be behind, or not run.
type young struct {
	Events
	allowed time.Duration // 0 and less: none is told
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
