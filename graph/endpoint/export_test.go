package endpoint

import "time"

// WithInitTimeout changes how long a client of a websocket may take to say who calls.
func (e *Endpoint) WithInitTimeout(timeout time.Duration) *Endpoint {
	e.initTimeout = timeout
	return e
}
