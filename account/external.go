package account

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// NewUserID returns a random ID for a new user.
func NewUserID() string { return string(catalogue.RandomID()) }

// ServiceUserIDHeader is the header in which a client names the user on whose behalf it calls.
const ServiceUserIDHeader = "Service-User-Id"

// ServiceUserID reads the values of the Service-User-Id header (spec.md, "Full user context", "Limits"). id is "" if
// the header is absent or empty. If the header is invalid, problem describes why in characters allowed in an OAuth
// error description (RFC 6749 section 5.2).
func ServiceUserID(values []string) (id, problem string) {
	switch len(values) {
	case 0:
		return "", ""
	case 1:
		id = values[0]
	default:
		return "", fmt.Sprintf("there must be at most one %s header, not %d", ServiceUserIDHeader, len(values))
	}
	switch chars := utf8.RuneCountInString(id); {
	case !utf8.ValidString(id):
		return "", ServiceUserIDHeader + " is not UTF-8"
	case chars > MaxExternalID:
		return "", fmt.Sprintf("%s %s has %d characters; at most %d are allowed", ServiceUserIDHeader, Quoted(id), chars, MaxExternalID)
	case strings.ContainsFunc(id, unicode.IsControl):
		return "", ServiceUserIDHeader + " holds a control character"
	}
	return id, ""
}

// Quoted formats a caller's value for a message that may become an OAuth error description: in single quotes, at most
// 64 characters, with those that RFC 6749 section 5.2 forbids replaced by "?".
func Quoted(value string) string {
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
