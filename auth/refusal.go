package auth

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// refusal is an answer of the token endpoint, or of one of its siblings, that grants nothing. Its code is one of RFC 6749 section
// 5.2 and stands in the error body's "error"; the message stands in "message" and, as that section
// asks, in "error_description".
type refusal struct {
	status  int
	code    string
	message string
	// reasons are the single faults, each "field: problem", where there can be several.
	reasons []string
	// cause is what lies below, nil mostly; it is not shown.
	cause error
}

// Error returns the code and the message.
func (e *refusal) Error() string { return e.code + ": " + e.message }

// Unwrap returns the cause.
func (e *refusal) Unwrap() error { return e.cause }

// The refusals of RFC 6749 section 5.2.

func invalidRequest(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "invalid_request", message: fmt.Sprintf(format, args...)}
}

// invalidClient does not say whether the client is unknown, disabled or has another secret.
func invalidClient() *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_client", message: "the client is unknown, or its secret is wrong or not given"}
}

func invalidGrant(message string, cause error) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "invalid_grant", message: message, cause: cause}
}

func unauthorizedClient(message string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "unauthorized_client", message: message}
}

func invalidScope(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "invalid_scope", message: fmt.Sprintf(format, args...)}
}

func unsupportedGrantType(name string) *refusal {
	return &refusal{
		status: http.StatusBadRequest, code: "unsupported_grant_type",
		message: fmt.Sprintf("grant_type %s is not one of %s", quoted(name), strings.Join(grantNames(), ", ")),
	}
}

// write answers with the refusal. A refused client is told how clients authenticate, as every 401 must
// (RFC 6749 section 5.2, RFC 9110 section 15.5.2).
func (e *refusal) write(w http.ResponseWriter, r *http.Request) {
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="filmstrip", charset="UTF-8"`)
	}
	httperror.Write(w, r, e.status, e.code, e.message, e.reasons, map[string]any{"error_description": e.message})
}

// quoted writes a value that a caller sent into a message: at most 64 characters, of those that RFC 6749
// section 5.2 allows in a description.
func quoted(value string) string {
	const most = 64
	var b strings.Builder
	b.WriteByte('\'')
	count := 0
	for _, char := range value {
		if count++; count > most {
			b.WriteString("...")
			break
		}
		if char < ' ' || char > '~' || char == '"' || char == '\\' {
			char = '?'
		}
		b.WriteRune(char)
	}
	b.WriteByte('\'')
	return b.String()
}
