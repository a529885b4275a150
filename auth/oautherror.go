package auth

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// oauthError is an error response of the token endpoint or one of its siblings. Its code, defined in RFC 6749 section
// 5.2, is the body's "error"; its message is the body's "message" and, as that section requires,
// "error_description".
type oauthError struct {
	status  int
	code    string
	message string
	// reasons lists the invalid fields, each as "field: problem"; it may be empty.
	reasons []string
	// cause is the underlying error, usually nil; clients never see it.
	cause error
	// refusal is the reason that Config.Refused receives, or "" if the error refuses no credentials. client is the ID of
	// the client as sent.
	refusal, client string
}

// Error returns the code and the message.
func (e *oauthError) Error() string { return e.code + ": " + e.message }

// Unwrap returns the cause.
func (e *oauthError) Unwrap() error { return e.cause }

// The error codes of RFC 6749 section 5.2.

func invalidRequest(format string, args ...any) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: "invalid_request", message: fmt.Sprintf(format, args...)}
}

// invalidClient does not reveal whether the client is unknown, disabled or has a different secret.
func invalidClient() *oauthError {
	return &oauthError{status: http.StatusUnauthorized, code: "invalid_client", message: "the client is unknown, or its secret is wrong or missing", refusal: reasonSecretWrong}
}

func invalidGrant(message string, cause error) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: "invalid_grant", message: message, cause: cause, refusal: reasonGrant}
}

func unauthorizedClient(message string) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: "unauthorized_client", message: message}
}

func invalidScope(format string, args ...any) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: "invalid_scope", message: fmt.Sprintf(format, args...)}
}

func unsupportedGrantType(name string) *oauthError {
	return &oauthError{
		status: http.StatusBadRequest, code: "unsupported_grant_type",
		message: fmt.Sprintf("grant_type %s is not one of %s", account.Quoted(name), strings.Join(grantNames(), ", ")),
	}
}

// write sends the error response. A 401 names the authentication scheme, as every 401 must
// (RFC 6749 section 5.2, RFC 9110 section 15.5.2).
func (e *oauthError) write(w http.ResponseWriter, r *http.Request) {
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="filmstrip", charset="UTF-8"`)
	}
	httperror.Write(w, r, e.status, e.code, e.message, e.reasons, map[string]any{"error_description": e.message})
}
