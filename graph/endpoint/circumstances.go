package endpoint

import (
	"context"
	"net/http"

	"github.com/filmstrip/filmstrip/event"
)

// traceHeader is the response header into which the middleware has written the trace ID of the request.
const traceHeader = "X-Service-Trace-Id"

// circumstances returns the request's context with trace ID, referer and address, which its events record.
func (e *Endpoint) circumstances(w http.ResponseWriter, r *http.Request) context.Context {
	recorded := event.Circumstances{
		Trace:   w.Header().Get(traceHeader),
		Referer: event.RefererOf(r.Header.Get("Service-Referer"), r.Header.Get("Referer")),
	}
	if e.addressOf != nil {
		if address := e.addressOf(r); address.IsValid() {
			recorded.Address = address.String()
		}
	}
	return event.WithCircumstances(r.Context(), recorded)
}
