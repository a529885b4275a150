// Package httperror writes the error body that every answer from status 400 up carries (spec.md,
// "Errors"). It is the only place that writes one, whichever door the request came through.
package httperror

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Body is the error object of the API. Fields that other standards ask for stand beside it (Write's
// extra), never instead.
type Body struct {
	Error     string   `json:"error"`
	Message   string   `json:"message"`
	Reasons   []string `json:"reasons"`
	Path      string   `json:"path"`
	Status    int      `json:"status"`
	Timestamp string   `json:"timestamp"`
}

// StatusOf is the one table from codes to HTTP statuses.
func StatusOf(code fault.Code) int {
	switch code {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Moved:
		return http.StatusPermanentRedirect
	case fault.Conflict:
		return http.StatusConflict
	case fault.Mismatch:
		return http.StatusUnprocessableEntity
	case fault.TooMany:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Write answers with an error body: the status, a label (empty: the status text), a message for the
// caller, the single reasons if there are several, and fields that stand beside the body's own; one
// with the name of the body's own is left out.
func Write(w http.ResponseWriter, r *http.Request, status int, label, message string, reasons []string, extra ...map[string]any) {
	if label == "" {
		label = http.StatusText(status)
	}
	body := Body{
		Error: label, Message: message, Reasons: reasons, Path: clean(r.URL.Path), Status: status,
		Timestamp: time.Now().UTC().Format(catalogue.TimestampFormat),
	}
	encoded, err := encode(body, extra)
	if err != nil { // only an extra that cannot be encoded leads here
		encoded, _ = encode(body, nil)
	}
	header := w.Header()
	header.Del("Content-Length")
	header.Del("Content-Encoding")
	header.Del("ETag")
	header.Del("Last-Modified")
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	if status == http.StatusUnauthorized && header.Get("WWW-Authenticate") == "" {
		header.Set("WWW-Authenticate", `Bearer realm="filmstrip"`)
	}
	if status == http.StatusServiceUnavailable && header.Get("Retry-After") == "" {
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(encoded)
	}
}

// WriteError answers with what err says: the status of its code, its label, message and reasons, and the headers
// that an error in its chain sets (SetHeader). Of other errors, one that says that the request's time is over is a 503. Any other, or one of a code
// that the table does not know, is a 500 that tells nothing.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	var e *fault.Error
	known := errors.As(err, &e)
	if !known && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		Write(w, r, http.StatusServiceUnavailable, "", "the request took longer than the service allows", nil)
		return
	}
	if !known || StatusOf(e.Code) == http.StatusInternalServerError {
		Write(w, r, http.StatusInternalServerError, "", "the request could not be answered; the trace id helps the operator to find out why", nil)
		return
	}
	if said := (headed)(nil); errors.As(err, &said) {
		said.SetHeader(w.Header())
	}
	Write(w, r, StatusOf(e.Code), e.Label, e.Message, e.Reasons)
}

// headed is an error that says more in headers, such as Retry-After.
type headed interface{ SetHeader(header http.Header) }

// ownFields are the names of Body's fields.
var ownFields = []string{"error", "message", "reasons", "path", "status", "timestamp"}

func encode(body Body, extra []map[string]any) ([]byte, error) {
	encoded, err := json.Marshal(body)
	beside := map[string]any{}
	for _, fields := range slices.Backward(extra) { // of two with one name the first counts
		maps.Copy(beside, fields)
	}
	for _, name := range ownFields {
		delete(beside, name)
	}
	if len(beside) == 0 || err != nil {
		return encoded, err
	}
	more, err := json.Marshal(beside)
	if err != nil {
		return nil, err
	}
	return append(append(encoded[:len(encoded)-1], ','), more[1:]...), nil
}

func clean(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }
