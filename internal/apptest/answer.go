package apptest

import (
	"fmt"
	"time"
)

// Answer is the response to a request.
type Answer struct {
	Request    string
	Status     int
	RetryAfter string
	Body       []byte
	Took       time.Duration
}

func (a Answer) String() string {
	return fmt.Sprintf("%s: %d after %s: %.300s", a.Request, a.Status, a.Took.Round(time.Millisecond), a.Body)
}
