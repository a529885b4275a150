package endpoint

import "time"

// WithInitTimeout sets how long a websocket client may take to send connection_init.
func (e *Endpoint) WithInitTimeout(timeout time.Duration) *Endpoint {
	e.initTimeout = timeout
	return e
}
