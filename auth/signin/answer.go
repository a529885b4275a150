package signin

import (
	"net/http"
	"net/url"
	"strings"
)

// oauthError is an error that is sent to the client by redirect (RFC 6749 section 4.1.2.1, OpenID Connect Core,
// section 3.1.2.6). It may be used only after the redirect URI has been checked.
type oauthError struct{ code, message string }

func newOAuthError(code, message string) *oauthError { return &oauthError{code, message} }

// respond redirects the browser to the client with the given parameters, the request's state and the issuer (RFC
// 9207).
func (h *Handler) respond(w http.ResponseWriter, r *http.Request, q *request, parameters ...string) {
	redirect(w, r, h.responseAddress(q, parameters...))
}

func (h *Handler) sendError(w http.ResponseWriter, r *http.Request, q *request, refused *oauthError) {
	h.Logger.InfoContext(r.Context(), "sign-in refused", "client", q.ClientID, "error", refused.code)
	h.respond(w, r, q, "error", refused.code, "error_description", refused.message)
}

func (h *Handler) responseAddress(q *request, parameters ...string) string {
	if q.HasState {
		parameters = append(parameters, "state", q.State)
	}
	return appendQuery(q.RedirectURI, append(parameters, "iss", h.Issuer)...)
}

// appendQuery adds parameters, given as alternating names and values, to a URL and leaves the rest of the URL
// unchanged, byte for byte.
func appendQuery(address string, parameters ...string) string {
	var b strings.Builder
	b.WriteString(address)
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
		if strings.HasSuffix(address, "?") || strings.HasSuffix(address, "&") {
			separator = ""
		}
	}
	for i := 0; i < len(parameters); i += 2 {
		b.WriteString(separator)
		b.WriteString(url.QueryEscape(parameters[i]) + "=" + url.QueryEscape(parameters[i+1]))
		separator = "&"
	}
	return b.String()
}

// redirect redirects the browser. Unlike http.Redirect it does not modify the URL. After a POST the browser continues
// with GET.
func redirect(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Location", address)
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	w.WriteHeader(http.StatusFound)
}
