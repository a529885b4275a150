// Package httperror writes the error body of every response with a status of 400 or above (spec.md, "Errors"). No
// other package writes one.
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

// Body is the error object of the API. Write can add fields required by other standards, but never replace these.
type Body struct {
	Error     string   `json:"error"`
	Message   string   `json:"message"`
	Reasons   []string `json:"reasons"`
	Path      string   `json:"path"`
	Status    int      `json:"status"`
	Timestamp string   `json:"timestamp"`
}

// StatusOf maps error codes to HTTP statuses.
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

// Write writes an error body with a status, a label (empty means the status text), a message, reasons if there are
// several, and extra fields. Extra fields with the name of a body field are ignored. Behind WithOAuthCodes, an error
// without extra fields gets those of OAuth.
func Write(w http.ResponseWriter, r *http.Request, status int, label, message string, reasons []string, extra ...map[string]any) {
	if code := oauthCodes[status]; code != "" && len(extra) == 0 && r.Context().Value(oauthKey{}) != nil {
		label, extra = code, []map[string]any{{"error_description": message}}
	}
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

// oauthCodes are the codes of OAuth (RFC 6749, RFC 6750) for statuses of errors that have no code of their own.
var oauthCodes = map[int]string{
	http.StatusBadRequest:          "invalid_request",
	http.StatusUnauthorized:        "invalid_token",
	http.StatusForbidden:           "insufficient_scope",
	http.StatusTooManyRequests:     "slow_down",
	http.StatusInternalServerError: "server_error",
	http.StatusServiceUnavailable:  "temporarily_unavailable",
}

type oauthKey struct{}

// WithOAuthCodes lets the error bodies of a handler have the fields of OAuth (RFC 6749, section 5.2): a code as the label,
// and error_description.
func WithOAuthCodes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), oauthKey{}, true)))
	})
}

// WithBodies returns a writer for a handler whose own error bodies differ from ours: a response with a status from 400 up
// gets our body, with the message for the status.
func WithBodies(w http.ResponseWriter, r *http.Request, message func(status int) string) http.ResponseWriter {
	return &bodies{ResponseWriter: w, request: r, message: message}
}

type bodies struct {
	http.ResponseWriter
	request *http.Request
	message func(status int) string
	refused bool
}

// WriteHeader writes an error body from status 400 up.
func (b *bodies) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		b.ResponseWriter.WriteHeader(status)
		return
	}
	b.refused = true
	Write(b.ResponseWriter, b.request, status, "", b.message(status), nil)
}

// Unwrap is for http.ResponseController.
func (b *bodies) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// Write drops the body that the handler writes with an error.
func (b *bodies) Write(p []byte) (int, error) {
	if b.refused {
		return len(p), nil
	}
	return b.ResponseWriter.Write(p)
}

// WriteError writes an error body for err: the status of its code, its label, message and reasons, and the headers
// of SetHeaders. An error without code becomes 503 if the request's deadline has
// passed. All others, and unknown codes, become 500 without details.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	var e *fault.Error
	known := errors.As(err, &e)
	if !known && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		Write(w, r, http.StatusServiceUnavailable, "", "the request took longer than the service allows", nil)
		return
	}
	if !known || StatusOf(e.Code) == http.StatusInternalServerError {
		Write(w, r, http.StatusInternalServerError, "", "an internal error occurred; the trace id helps the operator find the cause", nil)
		return
	}
	SetHeaders(w, err)
	Write(w, r, StatusOf(e.Code), e.Label, e.Message, e.Reasons)
}

// SetHeaders sets the headers of an error in the chain of err that has the method SetHeader, such as Retry-After.
func SetHeaders(w http.ResponseWriter, err error) {
	if said := (interface{ SetHeader(header http.Header) })(nil); errors.As(err, &said) {
		said.SetHeader(w.Header())
	}
}

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
