package export

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// addressFilter writes events without the addresses that exceed the allowed age, because the job that deletes addresses may
// be late or not running.
type addressFilter struct {
	Events
	allowed time.Duration // if not positive, no address is written
	now     func() time.Time
}

// Write implements Events.
func (f *addressFilter) Write(events []event.Event) (int, error) {
	since := event.InstantOf(f.now().Add(-f.allowed))
	for i := range events {
		if f.allowed <= 0 || events[i].Received < since {
			events[i].Address = ""
		}
	}
	return f.Events.Write(events)
}
