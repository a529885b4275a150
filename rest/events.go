package rest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// The fields of events. The domain keeps members that are not listed as metadata.
var (
	playbackFields = withReport(
		required("videoId", aText),
		required("segmentStartSeconds", seconds),
		required("segmentEndSeconds", seconds),
	)

	playerInteractionFields = withReport(
		required("videoId", aText),
		required("currentTime", seconds),
		required("subtype", aText),
		required("payload", anyValue),
	)

	pageRenderFields = withReport(
		required("url", aText),
		optional("viewport", anObject(optional("width", anInteger), optional("height", anInteger))),
		optional("isResize", aBoolean),
	)

	searchCompletionsFields = withReport(
		required("searchQuery", aText),
		required("impressions", aList(aText)),
		required("componentId", aText),
		required("completionId", aText),
		optional("searchUrl", aText),
	)

	interactionFields           = withReport()
	collectionInteractionFields = withReport(required("subtype", aText))
)

// withReport adds the fields of all events. A captureTime that is not a text must not make a billed event fail: the API
// defines none outside batches.
func withReport(fields ...field) []field {
	return append(fields, optional("userId", aText), field{
		name: captureTime, read: aText, skips: func(value jsontext.Value) bool { return value.Kind() != '"' && value.Kind() != 'n' },
	})
}

const captureTime = "captureTime"

func seconds(in *jsonobject.Reader, value jsontext.Value) any {
	if value.Kind() != '0' {
		in.Expected("a number", value)
		return event.Milliseconds(0)
	}
	t, err := event.ParseSeconds(value)
	if err != nil {
		in.Fault("%s", err)
	}
	return t
}

func anyValue(_ *jsonobject.Reader, value jsontext.Value) any { return value }

// recordEvent returns the endpoint of an operation whose event is the body of the request, which has these fields.
func recordEvent(operation string, fields []field) endpoint {
	return func(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
		input, err := readEvent(r, fields)
		if err != nil {
			return nil, err
		}
		values["event"] = input
		return f.record(r, operation, values)
	}
}

// recordPlaybackBatch serves POST /v1/events/playback/batch.
func recordPlaybackBatch(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	body, err := readEventBody(r, event.MaxBatchBody)
	if err != nil {
		return nil, err
	}
	if values["events"], err = readBatch(body); err != nil {
		return nil, err
	}
	return f.record(r, "RecordPlaybackBatch", values)
}

// recordPlatformInteraction serves POST /v1/events/platform-interaction; the body is optional.
func recordPlatformInteraction(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if values["subtype"] == nil {
		return nil, fault.InvalidRequest("subtype is required")
	}
	return recordEvent("RecordPlatformInteraction", interactionFields)(f, r, values)
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
	input, err := readEvent(r, interactionFields)
	switch {
	case fault.CodeOf(err) == fault.Unavailable:
		return nil, err
	case err == nil:
		values["event"] = input
	}
	answer, err := f.record(r, "RecordVideoInteraction", values)
	if fault.CodeOf(err) == fault.Invalid && len(input) > 0 {
		values["event"] = nil
		return f.record(r, "RecordVideoInteraction", values)
	}
	return answer, err
}

// reportAccessExpired serves POST /v1/events/expired-user-access. It ignores the body.
func reportAccessExpired(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	return f.record(r, "ReportAccessExpired", values)
}

// readEventBody reads a body. A request without one needs no Content-Type.
func readEventBody(r *http.Request, maxBody int) ([]byte, error) {
	if isWithoutBody(r) {
		return nil, nil
	}
	return readBody(r, maxBody)
}

// readEvent reads a body as the input of an event. If no field is required, the body may also be empty or null.
func readEvent(r *http.Request, fields []field) (map[string]any, error) {
	body, err := readEventBody(r, event.MaxBody)
	if err != nil {
		return nil, err
	}
	if text := bytes.TrimSpace(body); len(text) == 0 || string(text) == "null" {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.required }) {
			return map[string]any{}, nil
		}
	}
	var in jsonobject.Reader
	input := eventIn(&in, fields, body)
	if len(in.Faults) > 0 {
		return nil, event.Invalid(in.Faults)
	}
	return input, nil
}

// datedFields are the fields of an event in a batch.
var datedFields = slices.Concat(playbackFields[:len(playbackFields)-1], []field{required(captureTime, aText)})

// readBatch reads a body as the inputs of a batch. It does not parse an element that is too long, whose members would take
// many times its size.
func readBatch(body []byte) ([]any, error) {
	elements, wrong := jsonobject.List(body, event.MaxBatch)
	if wrong != nil {
		return nil, event.InvalidBody("the batch %s", wrong.Problem)
	}
	inputs := make([]any, len(elements))
	var reasons []string
	for i, element := range elements {
		var in jsonobject.Reader
		if len(element) > event.MaxBody {
			in.Fault("has %d bytes, at most %d are allowed", len(element), event.MaxBody)
		} else {
			inputs[i] = eventIn(&in, datedFields, element)
		}
		if len(in.Faults) > 0 {
			reasons = append(reasons, event.InBatch(i, in.Faults))
		}
	}
	if len(reasons) > 0 {
		return nil, event.InvalidBatch(reasons, len(elements))
	}
	return inputs, nil
}

// eventIn reads the input of an event.
func eventIn(in *jsonobject.Reader, fields []field, object jsontext.Value) map[string]any {
	input, others := readFields(in, fields, object)
	if len(others) > 0 {
		input["metadata"] = jsonobject.Join(others)
	}
	return input
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
