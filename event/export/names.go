package export

import (
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/filmstrip/filmstrip/event"
)

// names builds the IRIs of objects and persons in xAPI and Caliper. base is the public address of the service.
type names struct{ base string }

// video returns the address of a video in the API.
func (n names) video(id string) string { return n.base + "/v1/videos/" + url.PathEscape(id) }

// collection returns the address of a collection in the API, or that of all collections if the event no longer has the
// id.
func (n names) collection(id string) string {
	if id == "" {
		return n.base + "/v1/collections"
	}
	return n.base + "/v1/collections/" + url.PathEscape(id)
}

// account returns the IRI of the account of an event, or the base address if the event has none.
func (n names) account(id string) string { return n.at("/accounts/", id) }

// client returns the IRI of the application that sent the event, or the base address if it sent no token.
func (n names) client(id string) string { return n.at("/clients/", id) }

// at returns the IRI of what has an id below a path, or the base address without an id.
func (n names) at(path, id string) string {
	if id == "" {
		return n.base
	}
	return n.base + path + url.PathEscape(id)
}

// person returns the namespace of the user of an event and the user's name in it; the name is "" for an unknown user.
// The users that clients name and the users of tokens have separate namespaces, because their names may be equal.
func (n names) person(e *event.Event) (place, name string) {
	switch {
	case e.ExternalUser != "":
		return n.account(e.Account) + "/external-users", e.ExternalUser
	case e.User != "":
		return n.account(e.Account) + "/users", e.User
	}
	return n.account(e.Account), ""
}

// within returns the IRI of a person in a namespace.
func within(place, name string) string { return place + "/" + url.PathEscape(name) }

// page returns the web address that a client sent. It makes a relative address absolute and escapes characters that an
// IRI may not contain. If the text is not a web address, for example a script, page returns it as a query parameter of
// the base address, because readers of the export may follow links.
func (n names) page(sent string) string {
	address, err := url.Parse(sent)
	base, baseErr := url.Parse(n.base + "/")
	if err != nil || baseErr != nil || address.Scheme != "" && (address.Scheme != "http" && address.Scheme != "https" || address.Host == "") {
		return n.base + "/?page=" + url.QueryEscape(sent)
	}
	return escaped(base.ResolveReference(address).String())
}

// escaped percent-encodes the ASCII characters that an IRI may not contain (RFC 3987, 2.2), and each % that does not
// start an escape.
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

// escapes reports whether a text that starts with % starts with a percent-encoding.
func escapes(text string) bool {
	if len(text) < 3 {
		return false
	}
	_, err := hex.DecodeString(text[1:3])
	return err == nil
}
