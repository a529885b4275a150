package rest

import (
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// recordEvent returns the endpoint of an operation whose event is the body of the request.
func recordEvent(operation string, maxBody int) endpoint {
	return func(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
		if err := readEvent(r, maxBody, values); err != nil {
			return nil, err
		}
		return f.record(r, operation, values)
	}
}

// recordPlatformInteraction serves POST /v1/events/platform-interaction; the body is optional.
func recordPlatformInteraction(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if values["subtype"] == nil {
		return nil, fault.InvalidRequest("subtype is required")
	}
	return recordEvent("RecordPlatformInteraction", event.MaxBody)(f, r, values)
}

// recordVideoInteraction serves POST /v1/videos/{id}/events?logVideoInteraction=true. Without the parameter, the address
// does not exist. The API defines no body, so a body that cannot be stored is ignored.
func recordVideoInteraction(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if values["logged"] != true {
		return nil, fault.Errorf(fault.NotFound, "there is nothing at this address without logVideoInteraction=true")
	}
	if values["type"] == nil {
		return nil, fault.InvalidRequest("type is required")
	}
	delete(values, "logged")
	values["videoId"] = idIn(r)
	if err := f.readNote(r, values); err != nil {
		return nil, err
	}
	return f.record(r, "RecordVideoInteraction", values)
}

// readNote puts the body into the variables if it can be that of an event, else nothing.
func (f *facade) readNote(r *http.Request, into hal.Variables) error {
	into["event"] = event.Body(nil)
	body, err := readBody(r, event.MaxBody)
	if fault.CodeOf(err) == fault.Unavailable {
		return err
	}
	if err != nil {
		return nil //nolint:nilerr // it is ignored
	}
	if _, err := event.DecodeInteraction(event.VideoInteraction, "type", "any", event.Body(body), event.InstantOf(f.Now())); err == nil {
		into["event"] = event.Body(body)
	}
	return nil
}

// reportAccessExpired serves POST /v1/events/expired-user-access. It ignores the body.
func reportAccessExpired(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	return f.record(r, "ReportAccessExpired", values)
}

// readEvent puts the body into the variables as the client sent it; the domain decodes it. A request without a body needs no
// Content-Type.
func readEvent(r *http.Request, maxBody int, into hal.Variables) error {
	if isWithoutBody(r) {
		into["event"] = event.Body(nil)
		return nil
	}
	body, err := readBody(r, maxBody)
	into["event"] = event.Body(body)
	return err
}

// record runs an operation that stores an event, and replies after the commit.
func (f *facade) record(r *http.Request, operation string, values hal.Variables) (*reply, error) {
	if err := readIdempotencyKey(r.Header, values); err != nil {
		return nil, err
	}
	ctx := event.WithCircumstances(r.Context(), f.circumstances(r))
	if _, err := f.operations.Run(ctx, operation, values); err != nil {
		return nil, err
	}
	return &reply{status: http.StatusCreated}, nil
}

const idempotencyHeader = "Idempotency-Key"

func readIdempotencyKey(header http.Header, into hal.Variables) error {
	keys := header[idempotencyHeader]
	switch {
	case len(keys) == 0:
		return nil
	case len(keys) > 1:
		return fault.InvalidRequest("%s is given %d times, it takes one value", idempotencyHeader, len(keys))
	case strings.TrimSpace(keys[0]) == "":
		return fault.InvalidRequest("%s is empty", idempotencyHeader)
	}
	into["idempotencyKey"] = keys[0]
	return nil
}

// circumstances returns the request's context with the properties that its events record.
func (f *facade) circumstances(r *http.Request) event.Circumstances {
	circumstances := event.Circumstances{Trace: httpserver.TraceIDOf(r.Context()), Referer: event.RefererOf(r.Header.Get("Service-Referer"), r.Header.Get("Referer"))}
	if address := f.AddressOf(r); address.IsValid() {
		circumstances.Address = address.String()
	}
	return circumstances
}
