package clock

import "time"

var started = time.Now()

// sinceStart reads the process's own monotonic clock, where the system has no boot-time clock to read.
func sinceStart() Reading {
	now := time.Now()
	return Reading{Wall: now.Round(0), SinceBoot: now.Sub(started)}
}
