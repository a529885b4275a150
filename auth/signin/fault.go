package signin

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// fault is an answer for whoever sits at the browser, where nothing may go to the client.
type problem struct {
	status  int
	code    string // that of OAuth, for programs
	message string // as in every error body: a sentence without capital letter and full stop
	// again is where to try again, back where the client hears that nothing came of it; "": there is
	// no such address.
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

// fail answers with an error: a page where the request prefers one, else the error body.
func (h *Handler) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	f := problemOf(err)
	if f.status >= http.StatusInternalServerError && fault.CodeOf(err) != fault.Unavailable {
		h.Logger.ErrorContext(r.Context(), "signing in or out failed", "error", err, "cause", f.cause)
	} else {
		h.Logger.InfoContext(r.Context(), "signing in or out was not possible", "status", f.status, "code", f.code)
	}
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "3")
	}
	if prefersHTML(r) {
		h.writePage(w, r, f.status, "fault", faultPage{Title: titleOf(f.status), Message: sentence(f.message), Again: f.again, Back: template.URL(f.back)})
		return
	}
	httperror.Write(w, r, f.status, f.code, f.message, nil, map[string]any{"error_description": f.message})
}

// faultOf says of an error what a stranger may know.
func problemOf(err error) *problem {
	var f *problem
	switch {
	case errors.As(err, &f):
		return f
	case fault.CodeOf(err) == fault.Unavailable, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", message: "the service cannot answer at this moment", cause: err}
	}
	return &problem{status: http.StatusInternalServerError, code: "server_error", message: "something went wrong here", cause: err}
}

func titleOf(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "Too many attempts"
	case status == http.StatusServiceUnavailable || status == http.StatusBadGateway:
		return "Signing in is not possible at this moment"
	case status >= http.StatusInternalServerError:
		return "Something went wrong"
	}
	return "This request cannot be answered"
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

// shown writes a parameter's name into a message.
func quoted(name string) string {
	const most = 64
	clean := strings.Map(func(char rune) rune {
		if char == '"' || char == '\\' || !unicode.IsPrint(char) || char > unicode.MaxASCII {
			return '?'
		}
		return char
	}, name)
	if len(clean) > most {
		clean = clean[:most] + "..."
	}
	return "'" + clean + "'"
}

// prefersHTML reports whether a request would rather have a page than JSON (RFC 9110 section 12.5.1).
func prefersHTML(r *http.Request) bool {
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	return quality(accepted, "text", "html") > quality(accepted, "application", "json")
}

// quality is the weight of a media type in an Accept header, by the most precise range that covers it.
func quality(accepted, kind, subtype string) float64 {
	weight, precision := 0.0, -1
	for part := range strings.SplitSeq(accepted, ",") {
		mediaRange, parameters, _ := strings.Cut(part, ";")
		precise := -1
		switch strings.ToLower(strings.TrimSpace(mediaRange)) {
		case kind + "/" + subtype:
			precise = 2
		case kind + "/*":
			precise = 1
		case "*/*":
			precise = 0
		}
		if precise > precision {
			weight, precision = weightOf(parameters), precise
		}
	}
	return weight
}

func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return weight
		}
	}
	return 1
}
