package export

import (
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/filmstrip/filmstrip/event"
)

// names gives things the addresses by which xAPI and Caliper know them.
type names struct{ base string }

// video is the address at which the API shows it.
func (n names) video(id string) string { return n.base + "/v1/videos/" + url.PathEscape(id) }

// collection is the address at which the API shows it; that of all where it was forgotten which it was.
func (n names) collection(id string) string {
	if id == "" {
		return n.base + "/v1/collections"
	}
	return n.base + "/v1/collections/" + url.PathEscape(id)
}

// account is whose events they are; the service itself for events of nobody's.
func (n names) account(id string) string {
	if id == "" {
		return n.base
	}
	return n.base + "/accounts/" + url.PathEscape(id)
}

// client is the application that told the event; the service itself where no token was sent.
func (n names) client(id string) string {
	if id == "" {
		return n.base
	}
	return n.base + "/clients/" + url.PathEscape(id)
}

// person is who did it: the place in which the name means somebody, and the name; "" where nobody is known.
// Users as clients call them and users of tokens are in two places, for they may have equal names.
func (n names) person(e *event.Event) (place, name string) {
	switch {
	case e.ExternalUser != "":
		return n.account(e.Account) + "/external-users", e.ExternalUser
	case e.User != "":
		return n.account(e.Account) + "/users", e.User
	}
	return n.account(e.Account), ""
}

// within is the address of somebody in the place that knows them.
func within(place, name string) string { return place + "/" + url.PathEscape(name) }

// page is an address of the web that a client sent, made absolute where it is not, and free of what no address
// holds. What is none, such as a script, is told as a parameter: whoever reads the export may follow it.
func (n names) page(sent string) string {
	address, err := url.Parse(sent)
	base, baseErr := url.Parse(n.base + "/")
	if err != nil || baseErr != nil || address.Scheme != "" && (address.Scheme != "http" && address.Scheme != "https" || address.Host == "") {
		return n.base + "/?page=" + url.QueryEscape(sent)
	}
	return escaped(base.ResolveReference(address).String())
}

// escaped replaces the characters that an IRI may not hold (RFC 3987, 2.2), and a % that escapes nothing.
func escaped(address string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(address) {
		c := address[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte("<>\"{}|\\^`", c) >= 0 || c == '%' && !escapes(address[i:]) {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// escapes reports whether a text that begins with % begins with an escape.
func escapes(text string) bool {
	if len(text) < 3 {
		return false
	}
	_, err := hex.DecodeString(text[1:3])
	return err == nil
}
