package endpoint

import (
	"context"
	"net/http"

	"github.com/filmstrip/filmstrip/event"
)

// traceHeader is where the facade, which stands before every door, has written the trace of the request.
const traceHeader = "X-Service-Trace-Id"

// circumstances puts into the context of a request what it tells of itself, for the events in it.
func (e *Endpoint) circumstances(w http.ResponseWriter, r *http.Request) context.Context {
	told := event.Circumstances{
		Trace:   w.Header().Get(traceHeader),
		Referer: event.RefererOf(r.Header.Get("Service-Referer"), r.Header.Get("Referer")),
	}
	if e.addressOf != nil {
		if address := e.addressOf(r); address.IsValid() {
			told.Address = address.String()
		}
	}
	return event.WithCircumstances(r.Context(), told)
}
