package signin

import (
	"net/http"
	"net/url"
	"strings"
)

// refusal is an error answer that goes to the client by way of the browser (RFC 6749 section 4.1.2.1,
// OpenID Connect Core, section 3.1.2.6). It is only for requests whose redirect address is registered.
type oauthError struct{ code, message string }

func newOAuthError(code, message string) *oauthError { return &oauthError{code, message} }

// answer sends the browser back to the client, with the answer's parameters, the request's state and our
// name (RFC 9207). After a POST the browser must go on with GET.
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

// appendQuery adds parameters, names and values in turn, to an address and leaves all that it has as it
// is, byte for byte.
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

// redirect sends the browser on without looking at the address: http.Redirect would tidy it up.
func redirect(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Location", address)
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	w.WriteHeader(http.StatusFound)
}
