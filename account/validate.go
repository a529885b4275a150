package account

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Limits of text lengths, in characters, and of list lengths, in elements.
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

// recordID matches IDs that an operator may choose. They appear unescaped in URLs, logs and shells.
var recordID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// faults collects validation errors of an entity.
type faults struct{ catalogue.Faults }

func (f *faults) id(field, value string) {
	if !recordID.MatchString(value) {
		f.Add(field, "%q is not 1 to %d letters, digits, dots, hyphens and underscores, the first a letter or a digit", fault.Shorten(value), MaxIDLength)
	}
}

// origin checks that value is a web origin in serialized form (RFC 6454 section 6.2).
func (f *faults) origin(field, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || value != u.Scheme+"://"+u.Host || len(value) > MaxURLLength {
		f.Add(field, "%q is not an origin such as https://learn.example", fault.Shorten(value))
	}
}

// roles checks a list of roles; of is what has them.
func (f *faults) roles(roles []Permission, of string) {
	f.Length("roles", len(roles), MaxListLength)
	for i, role := range roles {
		if !slices.Contains(TierPermissions(), role) {
			f.Add(fmt.Sprintf("roles[%d]", i), "%q is not a role of %s", role, of)
		}
	}
}

func (f *faults) redirects(field string, addresses []string) {
	f.Length(field, len(addresses), MaxListLength)
	for i, address := range addresses {
		f.redirect(fmt.Sprintf("%s[%d]", field, i), address)
	}
}

// redirect checks a redirect URI (RFC 6749 section 3.1.2, RFC 8252): it is absolute, has no fragment, and uses https,
// http on loopback, or a private scheme, which contains a dot.
func (f *faults) redirect(field, value string) {
	u, err := url.Parse(value)
	switch {
	case err != nil || len(value) > MaxURLLength || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) || strings.ContainsRune(value, ' '):
		f.Add(field, "%q is not an address", fault.Shorten(value))
	case u.Fragment != "" || strings.Contains(value, "#"):
		f.Add(field, "%q has a fragment, which is not allowed", fault.Shorten(value))
	case u.Scheme == "https" && u.Host != "" && u.User == nil:
	case u.Scheme == "http" && IsLoopback(u.Hostname()) && u.User == nil:
	case strings.Contains(u.Scheme, "."):
	default:
		f.Add(field, "%q is neither an https address, nor http on loopback, nor of an application's own scheme such as com.example.app", fault.Shorten(value))
	}
}

// secureURL checks that a URL uses https, or http on loopback.
func (f *faults) secureURL(field, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || len(value) > MaxURLLength ||
		u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())) {
		f.Add(field, "%q is neither an https address nor http on loopback", fault.Shorten(value))
	}
}

// IsLoopback reports whether a host, without a port, is the local machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
