package signin

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// problem is an error that is shown in the browser because it must not be sent to the client.
type problem struct {
	status  int
	code    string // that of OAuth, for programs
	message string // as in every error body: a sentence without capital letter and full stop
	// again is the URL to try again, and back the URL that reports the failure to the client; each is "" if there is
	// none.
	again, back string
	cause       error
}

// Error returns the message.
func (f *problem) Error() string { return f.message }

// Unwrap returns the cause.
func (f *problem) Unwrap() error { return f.cause }

func badRequest(message string) *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid_request", message: message}
}

// writeProblem writes an error: as a page if the request prefers HTML, and otherwise as the error body.
func (h *Handler) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	f := problemOf(err)
	if f.status >= http.StatusInternalServerError && fault.CodeOf(err) != fault.Unavailable {
		h.Logger.ErrorContext(r.Context(), "signing in or out failed", "error", err, "cause", f.cause)
	} else {
		h.Logger.DebugContext(r.Context(), "signing in or out was not possible", "status", f.status, "code", f.code)
	}
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "3")
	}
	if httperror.PrefersHTML(r) {
		h.writePage(w, r, f.status, "fault", faultPage{Title: titleOf(f.status), Message: sentence(f.message), Again: f.again, Back: template.URL(f.back)})
		return
	}
	httperror.Write(w, r, f.status, f.code, f.message, nil, map[string]any{"error_description": f.message})
}

// problemOf returns the part of an error that may be shown to anyone.
func problemOf(err error) *problem {
	var f *problem
	switch {
	case errors.As(err, &f):
		return f
	case fault.CodeOf(err) == fault.Unavailable, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", message: "the service is temporarily unavailable", cause: err}
	}
	return &problem{status: http.StatusInternalServerError, code: "server_error", message: "an internal error occurred", cause: err}
}

func titleOf(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "Too many attempts"
	case status == http.StatusServiceUnavailable || status == http.StatusBadGateway:
		return "Sign-in is temporarily unavailable"
	case status >= http.StatusInternalServerError:
		return "Something went wrong"
	}
	return "This request cannot be processed"
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func checkMethod(w http.ResponseWriter, r *http.Request, methods []string) error {
	if slices.Contains(methods, http.MethodGet) {
		methods = append(slices.Clone(methods), http.MethodHead)
	}
	if slices.Contains(methods, r.Method) {
		return nil
	}
	slices.Sort(methods)
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return &problem{status: http.StatusMethodNotAllowed, code: "invalid_request", message: "this address takes " + strings.Join(methods, ", ") + " only"}
}
