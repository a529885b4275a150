package account

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The longest texts, in characters, and lists, in elements, that a record may hold.
const (
	MaxIDLength      = 64
	MaxNameLength    = 200
	MaxURLLength     = 2000
	MaxListLength    = 200
	MaxExternalID    = 64 // spec.md, "Limits"
	maxEmailLength   = 254
	maxSecretLength  = 1000
	maxProviderCount = 20
)

// recordID is what an operator may call a record: it stands in addresses, logs and shells as it is.
var recordID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// faults gathers field errors.
type faults struct{ list catalogue.FieldErrors }

func (f *faults) add(field, format string, args ...any) {
	f.list = append(f.list, catalogue.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

func (f *faults) id(field, value string) {
	if !recordID.MatchString(value) {
		f.add(field, "%q is not 1 to %d letters, digits, dots, hyphens and underscores, the first a letter or a digit", shorten(value), MaxIDLength)
	}
}

func (f *faults) text(field, value string, least, most int) {
	switch n := utf8.RuneCountInString(value); {
	case !utf8.ValidString(value):
		f.add(field, "is not valid UTF-8")
	case n < least || least > 0 && strings.TrimSpace(value) == "":
		f.add(field, "is required")
	case n > most:
		f.add(field, "has %d characters, at most %d are allowed", n, most)
	case strings.ContainsFunc(value, unicode.IsControl):
		f.add(field, "holds a control character")
	}
}

func (f *faults) length(field string, n, most int) {
	if n > most {
		f.add(field, "has %d elements, at most %d are allowed", n, most)
	}
}

func listed[T ~string](f *faults, field string, value T, allowed []T) {
	if !slices.Contains(allowed, value) {
		f.add(field, "%q is not one of %v", shorten(string(value)), allowed)
	}
}

// origin holds a web origin (RFC 6454 section 6.2) to its serialised form.
func (f *faults) origin(field, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || value != u.Scheme+"://"+u.Host || len(value) > MaxURLLength {
		f.add(field, "%q is not an origin such as https://learn.example", shorten(value))
	}
}

// redirect holds a redirect address to RFC 6749 section 3.1.2 and RFC 8252: absolute, without a fragment;
// https, http on this machine only, or the private scheme of an application, which holds a dot.
func (f *faults) redirect(field, value string) {
	u, err := url.Parse(value)
	switch {
	case err != nil || len(value) > MaxURLLength || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) || strings.ContainsRune(value, ' '):
		f.add(field, "%q is not an address", shorten(value))
	case u.Fragment != "" || strings.Contains(value, "#"):
		f.add(field, "%q has a fragment, which is not allowed", shorten(value))
	case u.Scheme == "https" && u.Host != "" && u.User == nil:
	case u.Scheme == "http" && IsLoopback(u.Hostname()) && u.User == nil:
	case strings.Contains(u.Scheme, "."):
	default:
		f.add(field, "%q is neither an https address, nor http on loopback, nor of an application's own scheme such as com.example.app", shorten(value))
	}
}

// secureURL holds the address of another service to https, or http on loopback.
func (f *faults) secureURL(field, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || len(value) > MaxURLLength ||
		u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())) {
		f.add(field, "%q is neither an https address nor http on loopback", shorten(value))
	}
}

// IsLoopback reports whether a host, without a port, is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func shorten(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

func lengthOf(part string) string { return strconv.Itoa(len(part)) + ":" }
