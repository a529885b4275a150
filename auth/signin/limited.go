package signin

import (
	"net/http"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// errTooMany is shown in the browser when a limit rejects the request.
var errTooMany = &problem{
	status: http.StatusTooManyRequests, code: "slow_down", message: "too many sign-in attempts; wait a moment and try again",
}

// Limited applies a limit to one of the endpoints. limit wraps a handler; the wrapper either calls the handler with
// the response writer that it received, or rejects the request with status 429. If the request prefers HTML, the
// rejection becomes a page.
func (h *Handler) Limited(limit func(http.Handler) http.Handler, endpoint http.Handler) http.Handler {
	limited := limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal, ok := w.(*headersOnly); ok {
			refusal.passed = true
			w = refusal.ResponseWriter
		}
		endpoint.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httperror.PrefersHTML(r) {
			limited.ServeHTTP(w, r)
			return
		}
		refusal := &headersOnly{ResponseWriter: w}
		if limited.ServeHTTP(refusal, r); !refusal.passed {
			setSecurityHeaders(w.Header())
			h.writeProblem(w, r, errTooMany)
		}
	})
}

// headersOnly passes on the headers of a rejection and drops the rest.
type headersOnly struct {
	http.ResponseWriter
	passed bool // whether there was none
}

// WriteHeader implements http.ResponseWriter.
func (h *headersOnly) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (h *headersOnly) Write(p []byte) (int, error) { return len(p), nil }
