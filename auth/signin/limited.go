package signin

import "net/http"

// errTooMany is what a limit's refusal is for whoever sits at the browser.
var errTooMany = &problem{
	status: http.StatusTooManyRequests, code: "slow_down", message: "too many attempts to sign in; wait a little and try again",
}

// Limited puts a limit in front of one of the endpoints. limit returns a handler that lets a request through
// to the one that it is given, with the writer that it came with, or refuses it with status 429; the
// refusal becomes a page for whoever prefers one.
func (h *Handler) Limited(limit func(http.Handler) http.Handler, endpoint http.Handler) http.Handler {
	limited := limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal, ok := w.(*headersOnly); ok {
			refusal.passed = true
			w = refusal.ResponseWriter
		}
		endpoint.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !prefersHTML(r) {
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

// headersOnly takes the headers of a refusal and drops the rest.
type headersOnly struct {
	http.ResponseWriter
	passed bool // whether there was none
}

// WriteHeader implements http.ResponseWriter.
func (h *headersOnly) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (h *headersOnly) Write(p []byte) (int, error) { return len(p), nil }
