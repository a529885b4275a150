package auth

import (
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

const (
	formType = "application/x-www-form-urlencoded"
	// maxFormBytes is the maximum body size of a request to the token endpoint and the related endpoints.
	maxFormBytes = 64 << 10
)

// form holds the parameters of a request, none of them empty: "Parameters sent without a value MUST be treated as if
// they were omitted" (RFC 6749 section 3.2).
type form map[string]string

// serveForm handles a request to an endpoint that accepts a form. Responses must not be stored (RFC 6749 section
// 5.1). A nil reply gives an empty body.
func (s *Service) serveForm(w http.ResponseWriter, r *http.Request, answer func(form form) (any, error)) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache")
	encoded, err := answerForm(w, r, answer)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	header.Set("X-Content-Type-Options", "nosniff")
	if encoded != nil {
		header.Set("Content-Type", "application/json")
	}
	_, _ = w.Write(encoded) // a client that is gone needs no answer
}

func answerForm(w http.ResponseWriter, r *http.Request, answer func(form form) (any, error)) ([]byte, error) {
	form, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	if _, problem := account.ServiceUserID(r.Header[account.ServiceUserIDHeader]); problem != "" {
		return nil, invalidRequest("%s", problem)
	}
	reply, err := answer(form)
	if err != nil || reply == nil {
		return nil, err
	}
	return json.Marshal(reply)
}

func (s *Service) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if refused, ok := errors.AsType[*oauthError](err); ok {
		// The message stays out of the log: it may quote a secret that was sent in the wrong field.
		s.config.Logger.DebugContext(r.Context(), "request refused", "path", r.URL.Path, "code", refused.code)
		if refused.refusal != "" {
			s.config.Refused(r, refused.refusal, refused.client)
		}
		refused.write(w, r)
		return
	}
	if fault.CodeOf(err) != fault.Unavailable { // that the store is away is said once (follow), not for every request
		s.config.Logger.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	httperror.WriteError(w, r, err)
}

func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &oauthError{status: http.StatusMethodNotAllowed, code: "invalid_request", message: "the form must be sent with POST, not " + account.Quoted(r.Method)}
	}
	contentType := r.Header.Get("Content-Type")
	if mediaType, _, _ := mime.ParseMediaType(contentType); mediaType != formType {
		return nil, &oauthError{status: http.StatusUnsupportedMediaType, code: "invalid_request", message: "the content type must be " + formType + ", not " + account.Quoted(contentType)}
	}
	body, err := requestbody.Read(r, maxFormBytes)
	var unread *requestbody.Error
	switch {
	case errors.As(err, &unread):
		unread.SetHeader(w.Header())
		return nil, &oauthError{status: unread.Status, code: "invalid_request", message: unread.Message}
	case err != nil:
		return nil, err
	}
	return parseForm(string(body))
}

// parseForm parses a form. Its messages contain parameter names but never values, which may be secrets.
func parseForm(body string) (form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil, invalidRequest("the body is not a well-formed %s", formType)
	}
	read := make(form, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch given := values[name]; {
		case len(given) > 1: // RFC 6749 section 3.2
			return nil, invalidRequest("parameter %s is given %d times", account.Quoted(name), len(given))
		case !utf8.ValidString(name) || !utf8.ValidString(given[0]):
			return nil, invalidRequest("parameter %s is not UTF-8", account.Quoted(name))
		case given[0] != "":
			read[name] = given[0]
		}
	}
	return read, nil
}

func missing(names []string) *oauthError {
	refused := invalidRequest("missing required parameters: %s", strings.Join(names, ", "))
	for _, name := range names {
		refused.reasons = append(refused.reasons, name+": required")
	}
	return refused
}
